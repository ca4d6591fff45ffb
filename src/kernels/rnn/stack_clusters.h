// SPDX-License-Identifier: Apache-2.0
// One launch of clusters for all layers and time steps (kernels/rnn/stack_clusters.cuh) as a setting of stacks, where
// blocks hold the weights of both the input and the state.
#pragma once

#include <vector>

#include "kernels/rnn/stack_problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

bool is_stack_clusters(const Setting& setting);
// Of such settings, whether the stack can be made by it on some device.
bool allows_stack_clusters(const Stack& stack, const Setting& setting);
std::vector<Setting> stack_clusters_space(const Stack& stack, const DeviceLimits& limits);
Work stack_clusters_work(const Group& group, const Stack& stack, const Setting& setting);
// The launch, and the scratch memory of it behind the layers' states.
void add_stack_clusters_launch(StepBuilder& step, const Stack& stack, const Setting& setting,
                               int64_t own_scratch_bytes);

}  // namespace stitch::kernels
