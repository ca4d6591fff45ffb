// SPDX-License-Identifier: Apache-2.0
// Layers one above the other, with the products of their inputs, as one step over kernels/rnn/stack.cuh: at any moment
// each layer is a time step behind the one below it, so that all of them share a launch.
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

constexpr const char* kRecurrentStack = "recurrent_stack";

std::unique_ptr<KernelTemplate> make_recurrent_stack();

// Whether a time step of this layer leaves most of a device idle: with more samples the product of its input, which a
// stack makes step by step, is faster as a product of its own.
bool stack_pays(const ir::Graph& graph, const ir::Node& layer);

}  // namespace stitch::kernels
