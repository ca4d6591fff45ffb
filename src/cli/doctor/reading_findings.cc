// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "cli/doctor/probe.h"

namespace stitch::cli::doctor {
namespace {

constexpr const char* kReadingGroup = "What reads a candidate's source, to explain its verdict";
constexpr const char* kSays = "import clang.cindex as c; c.Index.create(); print(c.__file__)";

Finding parser(const Examination& examination) {
  const std::string python = examination.resources.python.string();
  const Answer asked = ask({python, "-c", kSays}, examination.probe_timeout_ms);
  if (asked.ok && asked.output.starts_with('/')) {
    return {kReadingGroup, "libclang", State::kHere, first_line(asked.output), "", ""};
  }
  return {kReadingGroup,
          "libclang",
          State::kAbsent,
          "not installed",
          "Verdicts do not say what stands out in C++ and CUDA sources, and let kernels use the host's code.",
          shell_word(python) + " -m pip install libclang"};
}

Finding disassembler(const Examination& examination) {
  if (!examination.tools.cuobjdump.empty()) {
    return {kReadingGroup, "cuobjdump", State::kHere, examination.tools.cuobjdump.string(), "", ""};
  }
  return {
      kReadingGroup,
      "cuobjdump",
      State::kAbsent,
      "not installed",
      "Verdicts on a GPU do not say what stands out in its instructions.",
      shell_word(examination.resources.python.string()) + " -m pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm"};
}

}  // namespace

std::vector<Finding> reading_findings(const Examination& examination) {
  return {parser(examination), disassembler(examination)};
}

}  // namespace stitch::cli::doctor
