// SPDX-License-Identifier: Apache-2.0
// Operators of torch with rules for their arguments: each takes a value of some layouts and leaves another.
#pragma once

#include <span>
#include <vector>

#include "synth/draft/writer.h"

namespace stitch::synth {

// Bits of the layouts that an operator takes.
constexpr unsigned bit(Layout layout) { return 1u << static_cast<unsigned>(layout); }
inline constexpr unsigned kRows = bit(Layout::kFeatures) | bit(Layout::kTokens);
inline constexpr unsigned kChannels = bit(Layout::kSignal) | bit(Layout::kImage) | bit(Layout::kVolume);
inline constexpr unsigned kAny = kRows | kChannels;

// Of what stands in no table.
inline constexpr const char* kExpressionKind = "expression";
inline constexpr const char* kMinedKind = "model_layer";

struct Operator {
  const char* name;
  const char* group;  // "norm", "contraction" ...
  unsigned layouts;
  // Writes it; false, and nothing written, where it does not fit the value.
  bool (*apply)(Writer&, Tensor&);
};

// Each of these is one part of the table; the catalogue is all of them.
std::span<const Operator> contractions();
std::span<const Operator> norms();
std::span<const Operator> windows();     // pools, and resampling
std::span<const Operator> reductions();  // along an axis; softmax, scans and orders among them
std::span<const Operator> movements();   // of data, and what joins two values
// A pointwise one is told by its row alone.
struct PointwiseOperator {
  const char* name;
  const char* group;
  const char* text;
};
std::span<const PointwiseOperator> pointwise_operators();
void apply_pointwise(const PointwiseOperator& op, Writer& writer, Tensor& value);

// How a layer of torch is called for that many spatial axes: "Conv2d".
std::string for_axes(const char* name, int axes);

}  // namespace stitch::synth
