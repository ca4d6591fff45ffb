// SPDX-License-Identifier: Apache-2.0
// What no implementation of a graph can do without: the physical floor is made of it, and an honest program must never
// be below. Hence nothing counts that some input's values, algebra, or another algorithm could save.
#pragma once

#include "evaluate/timing/floor.h"
#include "ir/graph/graph.h"

namespace stitch::tuning {

// Takes the graph after all rewrites: work that a rewrite removes is not compulsory. Bytes read: inputs and states
// every element of which some output depends on, whatever the others are; no parameters, which prepare() may fold
// together. Bytes written: outputs and new states. FLOPs: products of inputs and parameters as they are, whose every
// element an output shows; one behind another, or under a sum, might be one product less.
evaluate::CompulsoryWork compulsory_work(const ir::Graph& graph);

}  // namespace stitch::tuning
