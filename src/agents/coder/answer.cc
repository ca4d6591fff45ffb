// SPDX-License-Identifier: Apache-2.0
#include "agents/coder/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxCodeBytes = 256u << 10;
constexpr size_t kMaxReasonBytes = 300;
constexpr std::string_view kCannot = "cannot, because";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Fence {
  size_t ticks = 0;  // that begin it; as many or more end it
  std::string language{};
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<Fence> fence_in(std::string_view line) {
  const std::string_view text = trimmed(line);
  const size_t ticks = std::min(text.find_first_not_of('`'), text.size());
  if (ticks < 3) {
    return std::nullopt;
  }
  const std::string_view rest = trimmed(text.substr(ticks));
  return Fence{ticks, lower(rest.substr(0, rest.find_first_of(" \t{:")))};
}

// Words of shells and data stand in fences, too.
bool is_code(const std::string& language) {
  constexpr std::array<std::string_view, 11> kLanguages = {"",    "cuda", "cu", "cuh",      "cpp",     "c++",
                                                           "cxx", "cc",   "c",  "cuda-cpp", "cuda-c++"};
  return std::find(kLanguages.begin(), kLanguages.end(), language) != kLanguages.end() || language.ends_with(".cu");
}

struct Fences {
  std::optional<std::string> code;  // of the last one
  bool is_cut = false;
};

Fences fences_in(const std::string& answer) {
  Fences found;
  std::optional<Fence> open;
  std::string text;
  for (size_t at = 0; at < answer.size();) {
    const size_t end = std::min(answer.find('\n', at), answer.size());
    std::string_view line = std::string_view(answer).substr(at, end - at);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    line.remove_prefix(line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    at = end + 1;
    const std::optional<Fence> fence = fence_in(line);
    const bool is_opened_anew = fence.has_value() && !fence->language.empty() && is_code(fence->language);
    if (!open.has_value() || (is_opened_anew && fence->ticks >= open->ticks)) {
      open = fence;
      text.clear();
    } else if (fence.has_value() && fence->language.empty() && fence->ticks >= open->ticks) {
      if (is_code(open->language)) {
        found.code = text;
      }
      open.reset();
    } else {
      text += line;
      text += '\n';
    }
  }
  found.is_cut = open.has_value();
  return found;
}

std::optional<std::string> reason_in(const std::string& answer) {
  const size_t at = lower(answer).find(kCannot);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view rest = trimmed(std::string_view(answer).substr(at + kCannot.size()));
  return printable_line(rest.substr(0, rest.find("\n\n")), kMaxReasonBytes);
}

}  // namespace

CoderAnswer coder_answer_from_text(const std::string& answer) {
  const Fences fences = fences_in(answer);
  if (fences.is_cut) {
    return NoCode{"the answer ends within its code: it was cut"};
  }
  if (fences.code.has_value()) {
    if (trimmed(*fences.code).find_first_not_of('\n') == std::string_view::npos) {
      return NoCode{"the answer's code is empty"};
    }
    if (fences.code->size() > kMaxCodeBytes || fences.code->find('\0') != std::string::npos) {
      return NoCode{fmt::format("the answer's code has more than {} bytes, or bytes of no text", kMaxCodeBytes)};
    }
    return StepCode{*fences.code};
  }
  if (std::optional<std::string> why = reason_in(answer); why.has_value() && !why->empty()) {
    return CannotWrite{std::move(*why)};
  }
  return NoCode{"the answer holds no fence of code and no \"cannot, because\""};
}

}  // namespace stitch::agents
