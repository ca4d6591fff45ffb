// SPDX-License-Identifier: Apache-2.0
// A pool of what the root of its group computes, which is joined in the step that computes it.
#pragma once

#include <cstdint>

#include "kernels/group/group.h"

namespace stitch::kernels {

// The only node of the group, beside its root, that is neither pointwise nor a view; null where there is none, or more.
const ir::Node* only_node_beside_root(const Group& group);

// Of two or three axes.
bool is_max_pool(const ir::Node& node);

// Of a max or average pool: whether its windows lie side by side, and whole inside of what it reads.
bool has_whole_windows(const ir::Graph& graph, const ir::Node& pool);

// What the sum over a window of a max or average pool is divided by; 1 for the largest, of which nothing is.
int64_t window_divisor(const ir::Node& pool);

}  // namespace stitch::kernels
