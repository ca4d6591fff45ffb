// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {

RowSharing sharing_of(SharingTable table, const Setting& setting) { return meaning_of(table, setting); }

std::vector<Setting> sharing_settings(SharingTable table, const RowAxes& axes, int64_t min_columns,
                                      std::initializer_list<int64_t> splits) {
  std::vector<Setting> settings;
  for (const NamedSetting<RowSharing>& row : table) {
    if (!row.meaning.is_split) {
      settings.push_back({row.name, 1});
      continue;
    }
    for (const int64_t blocks : splits) {
      if (axes.column_count / blocks >= min_columns) {
        settings.push_back({row.name, blocks});
      }
    }
  }
  return settings;
}

bool allows_sharing(SharingTable table, const Setting& setting, int64_t max_splits) {
  return is_named(table, setting.variant) && setting.splits >= 1 &&
         setting.splits <= (meaning_of(table, setting).is_split ? max_splits : 1);
}

RowAxes reduced_axes(const Group& group) {
  const ir::Node& node = group.root_node();
  return split_axes(group.graph->type(ir::tensor_operand(node, 0)).shape, ir::ints_attribute(node, "dim"));
}

bool reduces_innermost(const Group& group, const RowAxes& axes) {
  const auto rank = static_cast<int>(group.graph->type(ir::tensor_operand(group.root_node(), 0)).shape.size());
  return axes.rows.empty() || (!axes.columns.empty() && axes.columns.back() == rank - 1);
}

}  // namespace stitch::kernels
