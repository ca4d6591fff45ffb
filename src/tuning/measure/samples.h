// SPDX-License-Identifier: Apache-2.0
// Contents for tensors of programs that are timed, not judged: ordinary numbers for floats; zeros for integers, which
// are valid as indices and as truth values.
#pragma once

#include <vector>

#include "artifact/tensor/host_tensor.h"
#include "evaluate/timed_calls/timing.h"
#include "ir/graph/graph.h"

namespace stitch::tuning {

// The graph's inputs of these roles, one role after the other, each in the graph's order. Other numbers for each draw.
std::vector<HostTensor> samples(const ir::Graph& graph, const std::vector<TensorRole>& roles, uint32_t draw = 0);

// Sets of contents for calls of a program without a reference here: a timed call must agree with an untimed one. Large
// contents are fewer.
std::vector<evaluate::TimedDraw> sample_draws(const ir::Graph& graph, size_t most = 4);

}  // namespace stitch::tuning
