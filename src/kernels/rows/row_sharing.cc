// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {

int threads_of(const Setting& setting) {
  const size_t underscore = setting.variant.rfind('_');
  return underscore == std::string::npos ? 1 : std::stoi(setting.variant.substr(underscore + 1));
}

bool is_split(const Setting& setting) { return setting.variant.find("split") != std::string::npos; }

void add_splits(std::vector<Setting>& settings, const RowAxes& axes, const char* variant, int64_t least_part,
                std::initializer_list<int64_t> splits) {
  for (const int64_t blocks : splits) {
    if (axes.column_count / blocks >= least_part) {
      settings.push_back({variant, blocks});
    }
  }
}

bool splits_as(const Setting& setting, const char* variant, int64_t most) {
  return setting.variant == variant && setting.splits >= 1 && setting.splits <= most;
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
