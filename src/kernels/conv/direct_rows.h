// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels by wgmma from patches of whole rows, fp32 class by three fp16
// products (runtime/kernels/conv/direct_rows.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Input channels that a block, which has 64 output channels, has room for.
struct DirectRowsSetting {
  int64_t input_channels;
};

// Pooled before anything is stored: by windows that lie side by side, of so many rows and columns each, none of which
// are zero; or by whole planes.
struct PooledWindow {
  int64_t rows = 0;
  int64_t columns = 0;
  bool is_plane = false;

  bool is_pooled() const { return rows > 0; }  // by windows
  bool is_stored() const { return rows == 0 && !is_plane; }
};

// Whether the skeleton can compute it: no groups, not transposed, strides of one along rows and planes of rows, and
// patches of whole rows that shared memory has room for.
bool allows_direct_rows(const ConvolutionProblem& problem, const DirectRowsSetting& setting,
                        const PooledWindow& pooled = {});
// Those worth trying ("direct_rows_fp16x3_64x8").
std::vector<Setting> direct_rows_settings(const ConvolutionProblem& problem, const DeviceLimits& limits,
                                          const PooledWindow& pooled = {});
// nullopt for a setting of other skeletons.
std::optional<DirectRowsSetting> direct_rows_setting(const Setting& setting);
// Of the launch: "stitch::DirectRowsTile<4, 8, 2, 4>, Window", whose patches suit the problem's extents.
std::string direct_rows_arguments(const ConvolutionProblem& problem, const DirectRowsSetting& setting,
                                  const PooledWindow& pooled = {});
// Of a plane, each of which is one number of a channel until a second launch adds them.
int64_t direct_rows_parts_of_plane(const ConvolutionProblem& problem, const DirectRowsSetting& setting);
// Parts in which moments of a channel are taken, of all images together or of each: no more.
int64_t direct_rows_parts(const ConvolutionProblem& problem, const DirectRowsSetting& setting, bool by_image);
// What a block does, for the reader of a step.
void describe_direct_rows(StepBuilder& step, const PooledWindow& pooled = {});
void add_direct_rows_work(const ConvolutionProblem& problem, const DirectRowsSetting& setting, Work& work,
                          const PooledWindow& pooled = {});

}  // namespace stitch::kernels
