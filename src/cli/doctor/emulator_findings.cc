// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/process/child.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "cli/doctor/probe.h"
#include "toolchain/discovery/cuda_folders.h"

namespace stitch::cli::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEmulatorGroup = "Emulated device, which verifies without a GPU";
constexpr const char* kNoVerdict = "Without it no program can be built and verified here.";
constexpr int kMinCompilerVersion = 12;

std::string unpack(const Examination& examination) {
  const std::string root = examination.resources.root.string();
  return set_up(examination.resources).empty() ? "Unpack the whole of stitchcuda's archive again."
                                               : "make -C " + shell_word(root) + " build";
}

Finding compiler(const Examination& examination) {
  const std::string mend = install_packages("g++", "gcc-c++", "Install g++ 12 or newer.");
  const Answer answer = ask({"g++", "--version"}, examination.probe_timeout_ms);
  if (!answer.ok) {
    return {kEmulatorGroup,  "g++",
            State::kMissing, answer.is_there ? "g++ " + answer.trouble(examination.probe_timeout_ms) : "not installed",
            kNoVerdict,      mend};
  }
  const std::string first = first_line(answer.output);  // "g++ (Debian 12.2.0-14) 12.2.0"
  const std::string version = first.substr(first.rfind(' ') + 1);
  if (const int major = std::atoi(version.c_str()); major > 0 && major < kMinCompilerVersion) {
    return {kEmulatorGroup,
            "g++",
            State::kMissing,
            first,
            fmt::format("{} or newer is needed: emitted programs are C++20.", kMinCompilerVersion),
            mend};
  }
  return {kEmulatorGroup, "g++", State::kHere, first, "", ""};
}

Finding headers(const Examination& examination) {
  const fs::path& folder = examination.tools.cuda_include;
  std::error_code ignored;
  // PyTorch's own packages bring cuda_runtime.h without the part that it includes.
  const bool is_whole = fs::exists(folder / "crt" / "host_config.h", ignored);
  if (is_whole) {
    return {kEmulatorGroup, "CUDA headers", State::kHere, folder.string(), "", ""};
  }
  const std::string tree = set_up(examination.resources);
  const std::string python = shell_word(examination.resources.python.string());
  return {kEmulatorGroup,
          "CUDA headers",
          State::kMissing,
          folder.empty() ? "cuda_runtime.h was not found" : folder.string() + " lacks crt/host_config.h",
          kNoVerdict,
          tree.empty() ? fmt::format("{0} -m pip install 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*' "
                                     "'nvidia-cuda-cccl==13.0.*' && export CUDA_HOME=$({0} -c 'import "
                                     "nvidia.cu13 as n; print(list(n.__path__)[0])')",
                                     python)
                       : tree};
}

Finding parts(const Examination& examination) {
  std::string lacking;
  for (const char* name : {"stitchcuda-keeper-emulated", "stitchcuda-worker-emulated", "stitchcuda-worker-checked",
                           "stitchcuda-worker-counted", "stitchcuda-rewrite"}) {
    if (!find_helper_program(name).has_value()) {
      lacking += std::string(lacking.empty() ? "" : ", ") + name;
    }
  }
  if (examination.tools.emulator_include.empty()) {
    lacking += std::string(lacking.empty() ? "" : ", ") + "the emulator's headers";
  }
  if (!lacking.empty()) {
    return {kEmulatorGroup, "emulator", State::kMissing, "not there: " + lacking, kNoVerdict, unpack(examination)};
  }
  return {kEmulatorGroup,
          "emulator",
          State::kHere,
          "keeper, workers and rewriter in " + examination.resources.programs.string(),
          "",
          ""};
}

Finding prebuilt(const Examination& examination) {
  if (!examination.tools.prebuilt.empty()) {
    return {kEmulatorGroup, "prebuilt headers", State::kHere, examination.tools.prebuilt.string(), "", ""};
  }
  const fs::path programs = examination.resources.programs;
  return {kEmulatorGroup,
          "prebuilt headers",
          State::kAbsent,
          "not made yet",
          "The first program takes about 60 s longer: headers are parsed and the host side is compiled in its run.",
          fmt::format("{} {}", shell_word((programs / "stitchcuda-prebuild").string()),
                      shell_word((programs / "prebuilt").string()))};
}

}  // namespace

std::vector<Finding> emulator_findings(const Examination& examination) {
  return {compiler(examination), headers(examination), parts(examination), prebuilt(examination)};
}

}  // namespace stitch::cli::doctor
