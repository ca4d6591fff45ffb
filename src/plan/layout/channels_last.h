// SPDX-License-Identifier: Apache-2.0
// Channels last from step to step. cuDNN's fast kernels take images so; a value that one step leaves and the next one
// takes in that order need not be turned in between. The plan says it with views: a kept value is stored permuted, and
// every node that has no form of its own for the order sees it through the permutation back.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ir/graph/graph.h"
#include "plan/plan.h"

namespace stitch::plan {

// Which values lie with channels last, by their names in the graph as it was before; and the convolutions that take
// their weight and, where it is kept, their input so.
struct ChannelsLast {
  std::set<std::string> values;
  std::set<std::string> convolutions;  // by their results' names
};

// What is worth keeping: convolutions that cuDNN computes fastest with channels last, and what lies between them, where
// that saves more memory traffic than turning the rest costs. Nothing without libraries. With `options.like`, what that
// plan keeps.
ChannelsLast choose_channels_last(const ir::Graph& graph, const PlanOptions& options);
// The same graph, with `kept` stored with channels last.
Result<ir::Graph> keep_channels_last(const ir::Graph& graph, const ChannelsLast& kept);
// What keep_channels_last() was told to make `graph`.
ChannelsLast kept_channels_last(const ir::Graph& graph);

// Names of what keep_channels_last() adds.
inline constexpr const char* kLastSuffix = "_channels_last";
inline constexpr const char* kFirstSuffix = "_channels_first";
inline constexpr const char* kSumsSuffix = "_sums";

}  // namespace stitch::plan
