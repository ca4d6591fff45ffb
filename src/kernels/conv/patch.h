// SPDX-License-Identifier: Apache-2.0
// Convolution on the tensor cores from patches of the input, and transposed with all phases of a place side by side
// (runtime/kernels/conv/patch_mma.cuh): its settings, and what they cost.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/rounding.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// How operands are multiplied: as TF32, as three products of TF32 parts, or scaled into fp16's range.
enum class PatchMath { kTf32, kTf32x3, kFp16 };

// Output channels of a block and places of a warp, as tiles of the tensor cores: sixteen channels by eight places.
struct PatchSetting {
  int64_t tiles_m;
  int64_t tiles_n;
  PatchMath math;
  int64_t across = 1;  // of a block's four warps, those beside each other
  // Outputs of one place, along z and y: where a pool joins them, and nothing is multiplied by strides.
  int64_t stack_z = 1;
  int64_t stack_y = 1;
};

// What becomes of outputs that are joined where they are computed, and nothing else of them is stored: windows of a
// pool that lie side by side, or all channels of an output.
struct PatchJoin {
  bool over_channels = false;
  bool by_exponentials = false;
  std::array<int64_t, 3> window = {1, 1, 1};  // z, y, x
  // As PatchSetting has them, so that a place has whole windows.
  int64_t stack_z = 1;
  int64_t stack_y = 1;
};

// Whether the skeleton can compute it: phases that registers have room for, and a patch that shared memory has.
bool allows_patch(const ConvolutionProblem& problem, const PatchSetting& setting);
// Those worth trying ("patch_tf32_64x64", "patch_fp16_64x64_2", two warps beside each other): of one product where
// operands may be rounded, of three where they may not and no other skeleton takes windows from a patch. `join`: null
// where everything is stored.
std::vector<Setting> patch_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                    const DeviceLimits& limits, const PatchJoin* join = nullptr);
// nullopt for a setting of other skeletons.
std::optional<PatchSetting> patch_setting(const Setting& setting);
PatchSetting joined_by(const PatchJoin& join, PatchSetting setting);
// Blocks of output channels of a group.
int64_t blocks_of_channels(const ConvolutionProblem& problem, const PatchSetting& setting);
// Of the launch: "stitch::Tf32", "stitch::PatchTile<4, 8>" and "stitch::Folded<Window, 2>".
std::string patch_policy(const PatchSetting& setting);
std::string patch_tile(const ConvolutionProblem& problem, const PatchSetting& setting);
std::string patch_window(const ConvolutionProblem& problem, const PatchSetting& setting);
// All three.
std::string patch_arguments(const ConvolutionProblem& problem, const PatchSetting& setting);
// Of the weights as the kernel reads them, and of the input where it is packed as fp16.
int64_t patch_scratch_bytes(const ConvolutionProblem& problem, const PatchSetting& setting);
// Parts in which moments of a channel are taken, of all images together: no more.
int64_t patch_parts(const ConvolutionProblem& problem, const PatchSetting& setting);
// What a block does, for the reader of a step.
void describe_patch(StepBuilder& step, const ConvolutionProblem& problem, const PatchSetting& setting);
void add_patch_work(const ConvolutionProblem& problem, const PatchSetting& setting, Work& work);
// Whether four neighbouring outputs are stored together.
bool stores_by_four(const ConvolutionProblem& problem, const ConvolutionLayout& layout);
// What storing the outputs costs beyond that.
void add_patch_epilogue_work(const Group& group, const ConvolutionProblem& problem, const PatchSetting& setting,
                             const ConvolutionLayout& layout, Work& work);

}  // namespace stitch::kernels
