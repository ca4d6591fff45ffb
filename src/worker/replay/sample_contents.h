// SPDX-License-Identifier: Apache-2.0
// Contents to call a program with where nobody asks for its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "artifact/tensor/tensor_spec.h"

namespace stitch::worker {

// Of every floating-point type values of size 1/4 to 1, of either sign unless the tensor is a parameter (a variance is
// none below 0); of all others 0, which is an index wherever one is asked for. The same seed, the same bytes.
std::vector<std::byte> sample_contents(const TensorSpec& spec, uint64_t seed);

}  // namespace stitch::worker
