// SPDX-License-Identifier: Apache-2.0
// What a written step is called with, settled for the group that a plan gives it.
#pragma once

#include "kernels/group/group.h"
#include "plan/boundaries/boundary.h"

namespace stitch::plan {

// The bytes of scratch memory that `written` declares. kFileInvalid where it names an axis that no tensor of the group
// has, or where that is more than 2^40.
Result<int64_t> scratch_bytes(const kernels::Group& group, const WrittenCode& written);

// The same; notes in `boundary` what its code is for, or refuses a group that has other operands or results than noted.
Result<int64_t> settle_contract(const kernels::Group& group, Boundary& boundary);

}  // namespace stitch::plan
