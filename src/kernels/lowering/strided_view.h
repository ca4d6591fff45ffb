// SPDX-License-Identifier: Apache-2.0
// A value that skeletons read with plain strides: something in memory, perhaps seen through views.
#pragma once

#include <optional>
#include <vector>

#include "kernels/group/group.h"

namespace stitch::kernels {

struct StridedView {
  ir::ValueId stored;            // what is in memory
  int64_t offset = 0;            // elements
  std::vector<int64_t> strides;  // elements, one per axis of the viewed value; 0 where it repeats
};

// nullopt when the value is computed in the group, or its views do not come down to one stride per axis.
std::optional<StridedView> strided_view(const Group& group, ir::ValueId value);

}  // namespace stitch::kernels
