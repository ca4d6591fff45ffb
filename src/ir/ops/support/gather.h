// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements: a result element is one operand element, or zero.
#pragma once

#include <functional>

#include "ir/ops.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {

// The operand's element index for a result position; kNoElement for a zero.
constexpr int64_t kNoElement = -1;
using SourceIndex = std::function<int64_t(const Node&, const Position&, const std::vector<int64_t>& operand_shape)>;

std::vector<ReferenceTensor> moved_elements(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                            const SourceIndex& source);

}  // namespace stitch::ir
