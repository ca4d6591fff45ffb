// SPDX-License-Identifier: Apache-2.0
// What the skeletons over planes (channels of batch elements) share: coordinates, shape and functors.
#pragma once

#include <string>
#include <vector>

#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {

// All axes but the last `axes` are planes; the others are named z, y, x behind `prefix`.
std::vector<Coordinate> plane_coordinates(size_t rank, size_t axes, const std::string& prefix);

// `const stitch::PoolShape shape{...};` for these tensor shapes.
void add_pool_shape(StepBuilder& step, const std::vector<int64_t>& in, const std::vector<int64_t>& out, size_t axes);

// `load` reads one element of the root's operand, or lanes along the innermost axis where it may. `store` takes the
// root's value at one position, and the index of its second output where it has one.
Result<LoweredFunctor> make_plane_load(StepBuilder& step, size_t axes, bool may_take_lanes = false);
Result<LoweredFunctor> make_plane_store(StepBuilder& step, size_t axes);

}  // namespace stitch::kernels
