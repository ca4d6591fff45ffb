// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "driver/profile/profilers.h"

namespace stitch::cli::doctor {
namespace {

constexpr const char* kProfilerGroup = "What `profile` looks through, which is optional";

Finding profiler(const char* name, const std::filesystem::path& path, const char* cost, std::string mend) {
  if (!path.empty()) {
    return {kProfilerGroup, name, State::kHere, path.string(), "", ""};
  }
  return {kProfilerGroup, name, State::kAbsent, "not here", cost, std::move(mend)};
}

}  // namespace

std::vector<Finding> profiler_findings(const Examination& examination) {
  const driver::Profilers found = driver::find_profilers(examination.resources.python);
  const std::string python = shell_word(examination.resources.python.string());
  const std::string cupti = python + " -m pip install nvidia-cuda-cupti";
  return {
      profiler("ncu", found.ncu, "Profiles have no counters of the hardware.", "install NVIDIA Nsight Compute"),
      profiler("CUPTI", found.cupti, "Profiles on a GPU have no times of single kernels without ncu or nsys.", cupti),
      profiler("CUPTI's observer", found.activity,
               "CUPTI cannot be used: its headers were missing when stitchcuda was built.", ""),
      profiler("nsys", found.nsys, "Nothing that CUPTI does not tell as well.", "install NVIDIA Nsight Systems")};
}

}  // namespace stitch::cli::doctor
