// SPDX-License-Identifier: Apache-2.0
// By which skeletons convolutions map their input (those through whose registers it passes before the tensor cores),
// and what that costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/method.h"
#include "kernels/conv/rounding.h"

namespace stitch::kernels {

// As convolutions are called that read their input as it is stored.
std::vector<Setting> mapped_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                     const DeviceLimits& limits, bool are_weights_kept);
// nullopt for a setting of other skeletons.
std::optional<ConvolutionSetting> mapped_setting(const Setting& setting);
bool allows_mapped(const ConvolutionProblem& problem, const ConvolutionSetting& setting, bool are_weights_kept);
// Of the launch.
std::string mapped_arguments(const ConvolutionSetting& setting);
// `operations`: lane operations of the map, of an element.
void add_mapped_work(const Group& group, const ConvolutionProblem& problem, const ConvolutionSetting& setting,
                     double operations, Work& work);
// What a block does, for the reader of a step, and its header.
void describe_mapped(StepBuilder& step, const ConvolutionSetting& setting);

}  // namespace stitch::kernels
