// SPDX-License-Identifier: Apache-2.0
// How threads share rows in reductions and scans, and the settings that say so.
#pragma once

#include <initializer_list>
#include <span>

#include "kernels/rows/row_functors.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {

struct RowSharing {
  int threads;            // of one block that work on a row together
  bool is_split = false;  // several blocks share a row; the setting has their number
  // Neighbouring threads take neighbouring rows, also where several share one. Said where a table has both kinds.
  bool takes_neighbours = false;
};
using SharingTable = std::span<const NamedSetting<RowSharing>>;

// What `setting` means; aborts if the table lacks it.
RowSharing sharing_of(SharingTable table, const Setting& setting);
// The table's settings; those that split rows with each number of `splits` that leaves a block at least `min_columns`.
std::vector<Setting> sharing_settings(SharingTable table, const RowAxes& axes, int64_t min_columns,
                                      std::initializer_list<int64_t> splits);
// Whether the table has the setting, with up to `max_splits` blocks a row: numbers that were not tried are as good.
bool allows_sharing(SharingTable table, const Setting& setting, int64_t max_splits);

// The rows and columns of a reduction's operand: its attribute `dim` names the columns.
RowAxes reduced_axes(const Group& group);
// Whether neighbouring elements in memory belong to one result.
bool reduces_innermost(const Group& group, const RowAxes& axes);

}  // namespace stitch::kernels
