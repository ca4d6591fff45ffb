// SPDX-License-Identifier: Apache-2.0
// By which skeletons convolutions take the moments of their outputs (runtime/kernels/conv/moments.cuh), and what that
// costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/conv/direct_fp16.h"
#include "kernels/conv/direct_rows.h"
#include "kernels/conv/patch.h"
#include "kernels/conv/patch_wgmma.h"
#include "kernels/lowering/lower_functor.h"

namespace stitch::kernels {

// One of them, as convolutions are called that store their outputs alone.
struct MomentSetting {
  std::optional<DirectRowsSetting> rows{};
  std::optional<PatchSetting> patch{};
  std::optional<PatchWgmmaSetting> groups{};
  std::optional<DirectFp16Setting> halves{};
};

std::vector<Setting> moment_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                     const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<MomentSetting> moment_setting(const Setting& setting);
bool allows_moments(const ConvolutionProblem& problem, const MomentSetting& setting);

// `by_image`: of each image by itself. What the convolution needs, and the parts of all rows behind it.
int64_t moments_scratch_bytes(const ConvolutionProblem& problem, const MomentSetting& setting, bool by_image);
// Of the convolution, turned operands included, and of taking and joining moments.
void add_moments_work(const Group& group, const ConvolutionProblem& problem, const MomentSetting& setting,
                      bool by_image, Work& work);

// `float operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const`: the element of `reduced`
// that follows from a sum of the group's root.
Result<LoweredFunctor> make_moment_element(StepBuilder& step, ir::ValueId reduced);
// What a block does, for the reader of a step, and its header.
void describe_moments(StepBuilder& step, const ConvolutionProblem& problem, const MomentSetting& setting);
// "launch_conv_patch_moments<stitch::Tf32, stitch::PatchTile<1, 4>, Window>".
std::string moments_launch(const ConvolutionProblem& problem, const MomentSetting& setting);

}  // namespace stitch::kernels
