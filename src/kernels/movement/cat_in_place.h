// SPDX-License-Identifier: Apache-2.0
// What assignments to slices become: a cat of new parts and of parts of an old value, each in its old place.
#pragma once

#include <optional>
#include <vector>

#include "kernels/group/in_place.h"

namespace stitch::kernels {

struct CatInPlace : InPlace {
  std::vector<bool> is_kept;  // by operand of the cat: a part of `from`, where it was
  int64_t kept_bytes = 0;
};

// For a group whose root is a cat that is stored as it is and looks at `from` for the parts it keeps alone: to write
// over it is safe.
std::optional<CatInPlace> cat_in_place(const Group& group);

}  // namespace stitch::kernels
