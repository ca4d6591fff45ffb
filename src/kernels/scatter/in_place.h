// SPDX-License-Identifier: Apache-2.0
// Scatters whose result is what they start from, but for the places that something is sent to: they need not move the
// rest where both lie in the same memory.
#pragma once

#include <optional>

#include "kernels/group/in_place.h"

namespace stitch::kernels {

// For a group whose root is a scatter that is stored as it is; both sides may be reshaped and permuted alike.
std::optional<InPlace> scatter_in_place(const Group& group);
// Whether nothing else in the group looks at what the scatter starts from, so that writing over it is safe.
bool reads_only_to_update(const Group& group, const InPlace& in_place);

}  // namespace stitch::kernels
