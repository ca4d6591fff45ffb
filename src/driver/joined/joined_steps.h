// SPDX-License-Identifier: Apache-2.0
// Several steps of a program as one that is written: their files one after another, with what they hand on in scratch
// memory. As fast as they are apart, and right where they are; what a writer by rule has to say of a group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/improve/text_place.h"

namespace stitch::driver {

// The file of one step, by number.
struct PartText {
  size_t step = 0;
  std::string text{};
};

// Behind `place.contract`; scratch memory is declared in comments, "// scratch: 4 * x[0]". Nothing where the nodes are
// no whole steps of run() that need no memory of their own, or where their extents follow from those of the contract
// in no way that we see.
std::optional<std::string> joined_steps(const TextProgram& program, const TextPlace& place,
                                        const std::vector<PartText>& parts);

}  // namespace stitch::driver
