// SPDX-License-Identifier: Apache-2.0
// Which attention the fused skeleton takes; the rest is made of matrix products.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::kernels {

constexpr int64_t kMaxHeadDimension = 128;

// float32, at most 4 axes, heads of at most kMaxHeadDimension features.
bool flash_attention_takes(const ir::Graph& graph, const ir::Node& node);

// Whether devices of that architecture have attention of floats by warpgroups.
bool has_group_attention(const std::string& architecture);

}  // namespace stitch::kernels
