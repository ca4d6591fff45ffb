// SPDX-License-Identifier: Apache-2.0
// One launch of clusters for all time steps (kernels/rnn/persistent_layer.cuh) as settings of recurrent layers, where
// registers hold the weights.
#pragma once

#include <vector>

#include "kernels/rnn/recurrence.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

bool is_persistent(const Setting& setting);
std::vector<Setting> persistent_settings(const RecurrentProblem& layer, const DeviceLimits& limits);
Work persistent_work(const Group& group, const RecurrentProblem& layer, const Setting& setting);
// The lines of the launch up to its arguments, and the constants of its tile.
void add_persistent_launch(StepBuilder& step, const RecurrentProblem& layer, const Setting& setting);

}  // namespace stitch::kernels
