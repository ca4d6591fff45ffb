// SPDX-License-Identifier: Apache-2.0
// What measured times alone say about a plan: a setting takes the place of the one that the plan has where both were
// measured, and it was faster by more than their times vary. An estimate proves nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "plan/plan.h"
#include "tuning/database/database.h"

namespace stitch::tuning {

using KnownTimes = std::function<std::optional<Measurement>(const std::string& signature, const kernels::Setting&)>;

// Whether the slower end of `rival` is below the faster end of `own`.
bool is_faster(const Measurement& rival, const Measurement& own);

// Of each step that a call runs, by its signature.
struct ProvenSettings {
  std::map<std::string, kernels::Setting> of_steps;
  int replaced = 0;  // of them, not the plan's own
};
ProvenSettings proven_settings(const plan::Plan& plan, const KnownTimes& known);

// Times by which a program is planned with these settings again, whatever is known of others: of such a step no other
// setting works.
plan::MeasuredTimes only_these(ProvenSettings settings);

// Whether both do the same by the same settings.
bool is_same_work(const plan::Plan& a, const plan::Plan& b);
// Whether both have the same steps, whatever their settings.
bool are_same_steps(const plan::Plan& a, const plan::Plan& b);
// As what a whole plan's time is known, beside its program's signature.
kernels::Setting setting_of_whole(const plan::Plan& plan);
bool is_of_whole(const kernels::Setting& setting);

}  // namespace stitch::tuning
