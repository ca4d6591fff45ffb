// SPDX-License-Identifier: Apache-2.0
// Settings "held_256x32": rows so long that blocks share them, each of which keeps its part in registers until the row
// is reduced (runtime/kernels/common/held_rows.cuh).
#pragma once

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

// Those for rows of these columns: none where a row fits a block, or where the blocks of one fill more than half of the
// device.
std::vector<Setting> held_row_settings(const RowAxes& axes, const DeviceLimits& limits);
bool is_held_row(const Setting& setting);
// Threads of a block, and elements that each keeps.
RowSettingSize held_row_size(const Setting& setting);
Work held_row_work(const Group& group, const RowAxes& axes, const Setting& setting);
// Of held_rows_scratch_bytes() in the skeleton.
int64_t held_row_scratch_bytes(const RowAxes& axes, const Setting& setting, int64_t accumulator_bytes);

}  // namespace stitch::kernels
