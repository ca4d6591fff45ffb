// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace stitch {

using InputShapes = std::vector<std::vector<int64_t>>;  // one per tensor input of a program

}  // namespace stitch
