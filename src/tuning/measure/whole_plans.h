// SPDX-License-Identifier: Apache-2.0
// Whole plans of one program, one beside the other. Steps alone do not tell what a plan takes: what they leave in the
// cache for each other differs, and what was cut otherwise has no step to be compared with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "tuning/database/database.h"

namespace stitch::tuning {

struct WholePlan {
  std::string name;  // of its form: "channels_last"
  double expected_us = 0;
  std::optional<Measurement> measured{};
  std::string why_not{};  // a sentence, where it was not measured
};

struct WholePlanOptions {
  double within = 1.4;  // times what the first is expected to take: slower ones are not timed
  std::function<bool()> has_room;
  // Of the plan with this number. Nothing where its times are too unsteady to be kept.
  std::function<Result<std::optional<Measurement>>(size_t)> measure;
};

// The number of the fastest. The first is the plan that is taken where nothing else is known: it is timed where a rival
// is near it, and kept where a rival is only as fast or has no time. A rival that cannot be timed is left out, whatever
// the reason; an Error is the first's alone.
Result<size_t> fastest(std::vector<WholePlan>& plans, const WholePlanOptions& options);

}  // namespace stitch::tuning
