// SPDX-License-Identifier: Apache-2.0
// The rungs that look at a built library: it is called by stitchcuda-replay-cuda in a cage, under a profiler; or its
// machine code is read. No call of these is one that a time is reported of.
#pragma once

#include <string>
#include <vector>

#include "driver/job/job.h"
#include "driver/profile/profilers.h"
#include "profile/reading/machine_code.h"
#include "profile/values/measurement.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct ProfiledLibrary {
  Job& job;
  const toolchain::Toolchain& tools;
  const Profilers& profilers;
  std::string library;
};

// An Error where the tool did not give what it should, with its own words; kProgramInvalid where the program fails.
Result<profile::Measurement> profile_by_ncu(const ProfiledLibrary& profiled);
Result<profile::Measurement> profile_by_cupti(const ProfiledLibrary& profiled);
Result<profile::Measurement> profile_by_nsys(const ProfiledLibrary& profiled);
Result<std::vector<profile::CodeOfKernel>> read_machine_code(const ProfiledLibrary& profiled);

}  // namespace stitch::driver
