// SPDX-License-Identifier: Apache-2.0
// Contents for tensors of programs that are timed, not judged: ordinary numbers for floats; zeros for integers, which
// are valid as indices and as truth values.
#pragma once

#include <vector>

#include "artifact/tensor/host_tensor.h"
#include "ir/graph/graph.h"

namespace stitch::tuning {

// The graph's inputs of these roles, one role after the other, each in the graph's order.
std::vector<HostTensor> samples(const ir::Graph& graph, const std::vector<TensorRole>& roles);

}  // namespace stitch::tuning
