// SPDX-License-Identifier: Apache-2.0
// From databases, and texts that were made of others, to what is shipped.
#pragma once

#include <vector>

#include "tuning/shipped/times_text.h"

namespace stitch::tuning {

struct MergeLimits {
  size_t settings_per_step = 8;  // the fastest, and those that do not run
  double within = 3;             // times the fastest: slower ones are left out
};

// A step a time, as databases know it; none of whole plans.
std::vector<KnownStep> steps_of(const std::vector<KnownTime>& times);

// Steps of any number of databases and texts by device, mode, skeleton, family, extents and signature; of a step the
// fastest setting comes first. Where several have timed the same, the steadiest time counts. Toolchains are not told
// apart: of two versions of a compiler the choice of a setting is mostly the same, and a time is no promise.
std::vector<KnownStep> merge_steps(const std::vector<KnownStep>& all, const MergeLimits& limits = {});
std::vector<KnownStep> merge_times(const std::vector<KnownTime>& times, const MergeLimits& limits = {});

}  // namespace stitch::tuning
