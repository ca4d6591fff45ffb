// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/machine_code.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace stitch::profile {
namespace {

constexpr size_t kMaxKernels = 2000;
constexpr size_t kMaxDemangled = 1000;

struct Opcode {
  std::string_view beginning;
  const char* family;
};
constexpr Opcode kOpcodes[] = {
#define STITCH_OPCODE(beginning, family) {beginning, family},
#include "profile/reading/opcodes.def"
#undef STITCH_OPCODE
};

Unexpected unreadable_code(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "what cuobjdump printed cannot be read: " + what);
}

// What stands behind `key` on the line, up to a blank; empty where the key does not.
std::string word_behind(const std::string& line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string::npos) {
    return {};
  }
  const size_t begin = line.find_first_not_of(' ', at + key.size());
  if (begin == std::string::npos) {
    return {};
  }
  std::string word = line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
  return word;
}

std::optional<double> figure_behind(const std::string& line, std::string_view key) {
  const std::string word = word_behind(line, key);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == '\0' && value >= 0 && value < 1e9 ? std::optional(value) : std::nullopt;
}

// From Hopper on the kilobyte that the system takes of each block is among what is told.
std::optional<double> own_shared(std::optional<double> told, const std::string& architecture) {
  constexpr double kSystemBytes = 1024;
  const bool is_among = !architecture.starts_with("sm_7") && !architecture.starts_with("sm_8");
  return told.has_value() && is_among && *told >= kSystemBytes ? *told - kSystemBytes : told;
}

// "        /*0060*/                   @!P0 STG.E desc[UR4][R2.64], R7 ;": "STG.E"; empty for another line.
std::string opcode_in(const std::string& line) {
  const size_t open = line.find("/*");
  const size_t close = line.find("*/", open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos || line.find_first_not_of(" \t") != open ||
      line.find(';', close) == std::string::npos) {
    return {};
  }
  std::istringstream words(line.substr(close + 2, line.find(';', close) - close - 2));
  std::string word;
  words >> word;
  while (!word.empty() && (word.front() == '@' || word.front() == '{')) {
    const bool is_joined = word.front() == '{' && word.size() > 1;
    word = is_joined ? word.substr(1) : std::string();
    if (!is_joined && !(words >> word)) {
      return {};
    }
  }
  return word;
}

}  // namespace

const char* opcode_family(std::string_view opcode) {
  for (const Opcode& each : kOpcodes) {
    // "LD." fits "LD" as well.
    if (opcode.starts_with(each.beginning) ||
        (each.beginning.ends_with('.') && opcode == each.beginning.substr(0, 2))) {
      return each.family;
    }
  }
  return "other";
}

std::string readable_name(const std::string& name) {
  if (name.size() > kMaxDemangled || !name.starts_with("_Z")) {
    return name;
  }
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

Result<std::vector<CodeOfKernel>> read_resource_usage(std::string_view text) {
  std::vector<CodeOfKernel> kernels;
  std::string architecture;
  bool awaits_figures = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line) && kernels.size() <= kMaxKernels;) {
    if (line.starts_with("arch = ")) {
      architecture = word_behind(line, "arch =");
    } else if (line.find(" Function ") != std::string::npos && line.find(" Function ") < 2) {
      if (awaits_figures) {
        return unreadable_code(fmt::format("kernel {} has no figures", kernels.back().name));
      }
      std::string name = word_behind(line, "Function ");
      name = name.substr(0, name.rfind(':'));
      kernels.push_back({std::move(name), architecture});
      awaits_figures = true;
    } else if (awaits_figures) {
      CodeOfKernel& kernel = kernels.back();
      kernel.shape.registers = figure_behind(line, "REG:");
      kernel.shape.static_shared = own_shared(figure_behind(line, " SHARED:"), kernel.architecture);
      const std::optional<double> stack = figure_behind(line, " STACK:");
      kernel.shape.local_bytes =
          stack.has_value() ? *stack + figure_behind(line, " LOCAL:").value_or(0) : figure_behind(line, " LOCAL:");
      if (!kernel.shape.registers.has_value() || !kernel.shape.static_shared.has_value()) {
        return unreadable_code(fmt::format("kernel {} has no figures", kernel.name));
      }
      awaits_figures = false;
    }
  }
  if (kernels.empty() || awaits_figures) {
    return unreadable_code(kernels.empty() ? "there is no kernel in it" : "it ends before a kernel's figures");
  }
  return kernels;
}

Result<void> read_opcodes(std::string_view text, std::vector<CodeOfKernel>& kernels) {
  std::string architecture;
  CodeOfKernel* current = nullptr;
  double count = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("arch = ")) {
      architecture = word_behind(line, "arch =");
    } else if (line.find("Function : ") != std::string::npos) {
      const std::string name = word_behind(line, "Function : ");
      const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const CodeOfKernel& kernel) {
        return kernel.name == name && kernel.architecture == architecture;
      });
      current = found == kernels.end() ? nullptr : &*found;
    } else if (const std::string opcode = opcode_in(line); current != nullptr && !opcode.empty() && opcode != "NOP") {
      current->opcodes[opcode_family(opcode)] += 1;
      count += 1;
    }
  }
  return count > 0 ? Result<void>() : unreadable_code("it has no instruction of the library's kernels");
}

}  // namespace stitch::profile
