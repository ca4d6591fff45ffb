// SPDX-License-Identifier: Apache-2.0
// Reductions that lead back to every element they were made of, x / sqrt(mean(x * x) + epsilon): groups of Reduce whose
// results have the shape of what is reduced. The elements stay in registers meanwhile and are read once.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Whether some result of the reduce group has an element for each that is reduced, and every other one an element for
// each reduction.
bool is_rewrite(const Group& group);
// Whether it has results of both kinds: a batch norm that is trained, with its running statistics.
bool rewrites_beside_totals(const Group& group);

// The functions of a KernelTemplate, for such groups.
std::vector<Setting> rewrite_space(const Group& group, const DeviceLimits& limits);
Work rewrite_work(const Group& group, const Setting& setting);
Result<StepDraft> draft_rewrite(const Group& group, const Setting& setting);

}  // namespace stitch::kernels
