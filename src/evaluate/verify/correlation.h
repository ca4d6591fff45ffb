// SPDX-License-Identifier: Apache-2.0
// How streams of numbers go with each other at every distance at once.
#pragma once

#include <cstddef>
#include <vector>

namespace stitch::evaluate {

// The sums over i of one[i] * other[i + d], for d = -(n - 1) to n - 1, added up over the pairs; all streams have n
// elements. By Fourier transforms, padded so that nothing wraps around.
std::vector<double> products_at_all_distances(const std::vector<std::vector<double>>& ones,
                                              const std::vector<std::vector<double>>& others);

}  // namespace stitch::evaluate
