// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reading/sass.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "base/fs/files.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/tool_cage.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kTimeoutMs = 60'000;
constexpr std::string_view kFunction = "Function : ";
constexpr size_t kMaxKernels = 200;

struct Kernel {
  std::set<std::string> seen;
  bool reads_clock = false;
};

bool has(const Kernel& kernel, std::initializer_list<const char*> opcodes) {
  for (const char* opcode : opcodes) {
    const auto found = kernel.seen.lower_bound(opcode);
    if (found != kernel.seen.end() && found->starts_with(opcode)) {
      return true;
    }
  }
  return false;
}

bool has_matrix_operations(const Kernel& kernel) {
  return has(kernel, {"HMMA", "HGMMA", "IMMA", "IGMMA", "DMMA", "QGMMA", "BMMA"});
}

// "        /*0060*/                   @!P0 STG.E desc[UR4][R2.64], R7 ;       /* 0x… */": the words between the two.
std::string_view instruction_of(std::string_view line) {
  const size_t start = line.find("/*");
  const size_t close = line.find("*/", start);
  if (start == std::string_view::npos || close == std::string_view::npos ||
      line.find_first_not_of(" \t") != start || close - start > 10) {
    return {};
  }
  const size_t end = line.find(';', close);
  const size_t first = line.find_first_not_of(" \t{", close + 2);
  return end == std::string_view::npos || first >= end ? std::string_view() : line.substr(first, end - first);
}

void count(std::string_view instruction, Kernel& kernel) {
  std::istringstream words{std::string(instruction)};
  std::string opcode;
  words >> opcode;
  if (opcode.starts_with('@')) {
    words >> opcode;
  }
  // A product with the register that is always zero is how the compiler spells a constant.
  const bool is_constant = opcode.starts_with("HFMA2") && instruction.find("-RZ, RZ") != std::string_view::npos;
  if (opcode.empty() || is_constant) {
    return;
  }
  kernel.seen.insert(opcode);
  kernel.reads_clock = kernel.reads_clock || instruction.find("SR_CLOCK") != std::string_view::npos ||
                       instruction.find("SR_GLOBALTIMER") != std::string_view::npos;
}

void tell(const std::string& name, const Kernel& kernel, std::vector<SourceFact>& facts) {
  const auto add = [&](const std::string& what, bool audit = false) { facts.push_back({name, 0, what, audit, false}); };
  const bool adds_in_place = has(kernel, {"ATOM.", "ATOMG", "RED.", "REDG"});
  const bool reads = adds_in_place || has(kernel, {"LDG", "LD.", "UBLKCP", "UTMALDG"});
  const bool writes = adds_in_place || has(kernel, {"STG", "ST.", "UTMASTG", "UTMAREDG", "UBLKRED"});
  const bool calculates =
      has(kernel, {"FADD", "FMUL", "FFMA", "FMNMX", "FSET", "FSEL", "HFMA2", "HADD2", "HMUL2", "HMNMX2", "HSETP2"}) ||
      has(kernel, {"DADD", "DMUL", "DFMA", "DSETP", "MUFU"}) || has_matrix_operations(kernel);
  if (!writes) {
    add("writes no memory: it computes nothing that anybody sees", true);
  } else if (!reads) {
    add("reads no memory: what it writes does not depend on any input");
  } else if (!calculates) {
    add("moves values and computes none with a fraction");
  }
  if (kernel.reads_clock) {
    add("reads a clock", true);
  }
  if (has(kernel, {"NANOSLEEP"})) {
    add("sleeps", true);
  }
  if (has_matrix_operations(kernel)) {
    add("uses tensor cores");
  }
  if (has(kernel, {"LDGSTS", "UTMALDG", "UBLKCP"})) {
    add("copies into shared memory while it computes");
  }
  if (has(kernel, {"STL"})) {
    add("keeps values in local memory: registers were too few, or an array is indexed as it runs");
  }
}

}  // namespace

std::vector<SourceFact> sass_facts(const std::string& text) {
  std::map<std::string, Kernel> kernels;
  Kernel* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find(kFunction); at != std::string::npos) {
      const std::string name = line.substr(at + kFunction.size());
      current = kernels.size() < kMaxKernels || kernels.contains(name) ? &kernels[name] : nullptr;
    } else if (current != nullptr) {
      count(instruction_of(line), *current);
    }
  }
  std::vector<SourceFact> facts;
  for (const auto& [name, kernel] : kernels) {
    tell(name, kernel, facts);
  }
  return facts;
}

Result<SassReading> read_sass(const fs::path& library, const Toolchain& tools) {
  if (tools.cuobjdump.empty()) {
    return SassReading{{}, "machine code was not read: there is no cuobjdump (pip install nvidia-cuda-cuobjdump "
                           "nvidia-cuda-nvdisasm)"};
  }
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-read"));
  sandbox::CagePolicy cage = tool_cage(tools, {}, folder.path());
  cage.readable.push_back(tools.cuobjdump.parent_path());  // nvdisasm lies beside it
  cage.data.push_back(library);
  ChildOptions options;
  options.arguments = {tools.cuobjdump.string(), "-sass", library.string()};
  options.working_directory = folder.path();
  options.environment = {{"TMPDIR", folder.path().string()}, {"PATH", tools.cuobjdump.parent_path().string()}};
  STITCH_ASSIGN(const ChildOutput output, sandbox::run_caged_child(options, cage, kTimeoutMs));
  const std::string said = output.standard_error + output.standard_output;
  if (said.find("does not contain device code") != std::string::npos) {
    return SassReading{};
  }
  if (!output.exit.ok()) {
    return SassReading{{}, "machine code was not read: cuobjdump did not take it"};
  }
  return SassReading{sass_facts(output.standard_output), {}};
}

}  // namespace stitch::toolchain
