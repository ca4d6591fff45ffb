// SPDX-License-Identifier: Apache-2.0
// Convolution of stride one, and transposed of any, by wgmma from patches of the input, scaled into fp16's range
// (runtime/kernels/conv/patch_wgmma.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/rounding.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Of a warpgroup's 256 outputs of a channel those of a row, and planes of eight input channels that are multiplied at a
// time. A row of 256 is a line of places, each of which has several outputs where a transposed convolution has strides.
struct PatchWgmmaSetting {
  int64_t width;
  int64_t planes;
  // Neighbouring outputs that are a place, where output channels are few.
  int64_t deep = 1;
  int64_t high = 1;
};

// Whether the skeleton can compute it: one group, strides of one or, transposed, lines; and room in shared memory.
bool allows_patch_wgmma(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting);
// Those worth trying ("patch_wgmma_16x16_32": rows and columns of outputs, input channels at a time), where operands
// may be rounded to TF32's eleven bits.
std::vector<Setting> patch_wgmma_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                          const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<PatchWgmmaSetting> patch_wgmma_setting(const Setting& setting);
// Of the launch: "stitch::GroupTile<16, 4>, Window".
std::string patch_wgmma_arguments(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting);
// Of the weights and the input as the kernel reads them.
int64_t patch_wgmma_scratch_bytes(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting);
// Parts in which moments of a channel are taken, of all images together.
int64_t patch_wgmma_parts(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting);
// What a block does, for the reader of a step.
void describe_patch_wgmma(StepBuilder& step, const ConvolutionProblem& problem, const PatchWgmmaSetting& setting);
void add_patch_wgmma_work(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting, Work& work);
// What storing the outputs costs beyond that.
void add_patch_wgmma_epilogue_work(const Group& group, const ConvolutionProblem& problem,
                                   const PatchWgmmaSetting& setting, const ConvolutionLayout& layout, Work& work);

}  // namespace stitch::kernels
