// SPDX-License-Identifier: Apache-2.0
// In-place scatter: when the result shares memory with the tensor it starts from, only the scattered elements are
// written.
#pragma once

#include <optional>

#include "kernels/group/in_place.h"

namespace stitch::kernels {

// For a group whose root is a scatter that is stored as it is; both sides may be reshaped and permuted alike.
std::optional<InPlace> scatter_in_place(const Group& group);
// Whether nothing else in the group reads the tensor that the scatter starts from, so that overwriting it is safe.
bool reads_only_to_update(const Group& group, const InPlace& in_place);

}  // namespace stitch::kernels
