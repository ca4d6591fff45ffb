// SPDX-License-Identifier: Apache-2.0
// The number that everything drawn in a verdict follows from. Whoever knows it before a candidate has run knows the
// inputs too: nothing that a candidate sees may give it away.
#pragma once

#include <cstdint>
#include <string_view>

namespace stitch {

// JSON readers keep whole numbers up to it, JavaScript's too.
inline constexpr uint64_t kLargestSeed = (uint64_t{1} << 53) - 1;

// By chance, from the kernel's random numbers.
uint64_t drawn_seed();

// The number-th of a stream that depends on its seed and name alone: 63 bits, from which nobody computes the seed, or
// another number, back. As derive() of the oracle.
uint64_t derived_seed(uint64_t seed, std::string_view name, uint64_t number);

}  // namespace stitch
