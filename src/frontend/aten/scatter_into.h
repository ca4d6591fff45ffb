// SPDX-License-Identifier: Apache-2.0
// How every operator that writes at indices becomes `scatter`.
#pragma once

#include <string>

#include "frontend/exported/call.h"

namespace stitch::frontend {

struct Scattered {
  ValueId x;
  int64_t axis = 0;
  ValueId index;   // of the shape of src, or of extent one where it is the same all along an axis
  ValueId source;  // of the shape of x but for `axis`
  std::string reduce = "none";
  bool include_self = true;
};
Result<ValueId> scatter_into(Call& call, const Scattered& what);

// A vector of indices along `axis` in the shape that scatter_into() takes beside a tensor of `rank` axes.
Result<ValueId> index_along(Call& call, ValueId index, int64_t axis, size_t rank);

}  // namespace stitch::frontend
