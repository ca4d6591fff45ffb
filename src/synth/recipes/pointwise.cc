// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

constexpr PointwiseOperator kPointwise[] = {
#define STITCH_POINTWISE(name, group, text) {#name, group, text},
#include "synth/recipes/pointwise.def"
#undef STITCH_POINTWISE
};

}  // namespace

std::span<const PointwiseOperator> pointwise_operators() { return kPointwise; }

void apply_pointwise(const PointwiseOperator& op, Writer& writer, Tensor& value) {
  const double number = 0.1 + 0.1 * static_cast<double>(writer.random().below(20));
  const std::string drawn = fmt::format("{:.1f}", number);
  writer.step(value, fmt::format(fmt::runtime(op.text), value.name, drawn));
}

std::string for_axes(const char* name, int axes) { return fmt::format("{}{}d", name, axes); }

}  // namespace stitch::synth
