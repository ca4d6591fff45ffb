// SPDX-License-Identifier: Apache-2.0
// What the row skeletons (reduce, softmax, layer norm) share: a tensor seen as rows of columns, loaders and storers.
#pragma once

#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

struct RowAxes {
  std::vector<int> rows;
  std::vector<int> columns;
  int64_t row_count = 1;
  int64_t column_count = 1;
};

// `columns` of a tensor of this shape in their order; the rest are rows.
RowAxes split_axes(const std::vector<int64_t>& shape, const std::vector<int64_t>& columns);

// float operator()(row, column), and lanes along the columns where `may_take_lanes`.
Result<LoweredFunctor> make_row_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes, bool may_take_lanes);

// float operator()(column, row), and lanes along the rows: of tensors whose rows are neighbours in memory.
Result<LoweredFunctor> make_column_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes);

struct RowSettingSize {
  int threads;
  int per_thread;
};
// Settings "row_256x8": threads that share a row, elements each keeps in registers.
std::vector<Setting> row_settings();
RowSettingSize row_setting_size(const Setting& setting);
// Work of a skeleton that keeps rows in registers, and reads those that do not fit `reads_of_long_rows` times.
Work row_work(const Group& group, const RowAxes& axes, const Setting& setting, int reads_of_long_rows);

// Settings "shared": rows so long that blocks share them, as many as the setting's splits
// (kernels/common/shared_rows.cuh).
std::vector<Setting> shared_row_settings(const RowAxes& axes);
bool is_shared_row(const Setting& setting);
bool allows_shared_row(const Setting& setting);
Work shared_row_work(const Group& group, const RowAxes& axes, const Setting& setting);
// Of shared_rows_scratch_bytes() in the skeleton.
int64_t shared_row_scratch_bytes(const RowAxes& axes, const Setting& setting, int64_t accumulator_bytes);

// "RowShape shape{rows, columns, vectorised};" in the step's launch, after the proof of `vectorised`.
void add_row_shape(StepBuilder& step, const RowAxes& axes, const std::vector<LaneUser>& users);

}  // namespace stitch::kernels
