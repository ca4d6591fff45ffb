// SPDX-License-Identifier: Apache-2.0
// Resamples the last one, two or three axes of [n, c, spatial...] to output_size. mode: nearest, nearest_exact, linear
// (bilinear, trilinear) or cubic. `scales` are the factors that were asked for, 0 where the extents' ratio counts.
// Source positions as ATen/native/UpSample.h has them; those of the nearest modes are found in float, which decides
// between neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"
#include "ir/ops/support/window.h"

namespace stitch::ir {
namespace {

struct Tap {
  int64_t index;
  double weight;
};

struct ResampledAxis {
  int64_t in;
  int64_t out;
  double scale;  // the factor asked for, or 0
};

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  const size_t axes = ints_attribute(node, "output_size").size();
  STITCH_TRY(require(axes >= 1 && axes <= 3, "resamples one, two or three axes"));
  STITCH_TRY(require(x->shape.size() == axes + 2, fmt::format("needs {} axes, not {}", axes + 2, x->shape.size())));
  STITCH_ASSIGN(const auto output_size, axes_attribute(node, "output_size", axes, 1));
  const std::vector<double>& scales = doubles_attribute(node, "scales");
  STITCH_TRY(require(scales.size() == axes && std::all_of(scales.begin(), scales.end(),
                                                          [](double scale) { return scale >= 0 && scale < 1e9; }),
                     "scales are not one factor for each axis"));
  const std::string& mode = string_attribute(node, "mode");
  const bool is_nearest = mode == "nearest" || mode == "nearest_exact";
  STITCH_TRY(
      require(is_nearest || mode == "linear" || (mode == "cubic" && axes == 2),
              fmt::format("mode {} over {} axes is none of nearest, nearest_exact, linear or cubic", mode, axes)));
  STITCH_TRY(require(!is_nearest || !bool_attribute(node, "align_corners"), "the nearest modes align no corners"));
  TensorType result = *x;
  std::copy(output_size.begin(), output_size.end(), result.shape.begin() + 2);
  return std::vector<TensorType>{result};
}

std::vector<Tap> nearest_taps(const ResampledAxis& axis, int64_t out, bool exact) {
  if (!exact && axis.out == axis.in) {
    return {{out, 1.0}};
  }
  if (!exact && axis.out == 2 * axis.in) {
    return {{out / 2, 1.0}};
  }
  const float scale = axis.scale > 0 ? static_cast<float>(1.0 / axis.scale)
                                     : static_cast<float>(axis.in) / static_cast<float>(axis.out);
  const float place = (static_cast<float>(out) + (exact ? 0.5F : 0.0F)) * scale;
  return {{std::min(static_cast<int64_t>(std::floor(place)), axis.in - 1), 1.0}};
}

// Where output `out` lies between the inputs.
double source_position(const ResampledAxis& axis, int64_t out, bool align_corners) {
  if (align_corners) {
    return axis.out > 1 ? static_cast<double>(out * (axis.in - 1)) / static_cast<double>(axis.out - 1) : 0.0;
  }
  const double scale = axis.scale > 0 ? 1.0 / axis.scale : static_cast<double>(axis.in) / static_cast<double>(axis.out);
  return scale * (static_cast<double>(out) + 0.5) - 0.5;
}

std::vector<Tap> linear_taps(const ResampledAxis& axis, int64_t out, bool align_corners) {
  if (axis.in == axis.out) {
    return {{out, 1.0}, {out, 0.0}};
  }
  const double position = std::max(source_position(axis, out, align_corners), 0.0);
  const int64_t first = std::min(static_cast<int64_t>(std::floor(position)), axis.in - 1);
  const double part = std::clamp(position - static_cast<double>(first), 0.0, 1.0);
  return {{first, 1.0 - part}, {std::min(first + 1, axis.in - 1), part}};
}

// Keys' cubic convolution with a = -0.75.
std::vector<Tap> cubic_taps(const ResampledAxis& axis, int64_t out, bool align_corners) {
  constexpr double kA = -0.75;
  const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  const double position = source_position(axis, out, align_corners);
  const int64_t first = std::min(static_cast<int64_t>(std::floor(position)), axis.in - 1);
  const double part = std::clamp(position - static_cast<double>(first), 0.0, 1.0);
  const double weights[] = {far(part + 1), near(part), near(1 - part), far(2 - part)};
  std::vector<Tap> taps;
  for (int64_t i = 0; i < 4; ++i) {
    taps.push_back({std::clamp<int64_t>(first + i - 1, 0, axis.in - 1), weights[i]});
  }
  return taps;
}

std::vector<Tap> taps_of(const Node& node, const ResampledAxis& axis, int64_t out) {
  const std::string& mode = string_attribute(node, "mode");
  const bool align_corners = bool_attribute(node, "align_corners");
  if (mode == "linear") {
    return linear_taps(axis, out, align_corners);
  }
  return mode == "cubic" ? cubic_taps(axis, out, align_corners) : nearest_taps(axis, out, mode == "nearest_exact");
}

// The weighted sum over the taps of this axis and those behind it.
double blended(const ReferenceTensor& x, const std::vector<std::vector<Tap>>& taps, Position& at, size_t axis) {
  if (axis == taps.size()) {
    return x.data[static_cast<size_t>(index_of(at, x.type.shape))];
  }
  double sum = 0.0;
  for (const Tap& tap : taps[axis]) {
    at[axis + 2] = tap.index;
    const double value = blended(x, taps, at, axis + 1);
    sum = &tap == taps[axis].data() ? tap.weight * value : sum + tap.weight * value;
  }
  return sum;
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const std::vector<double>& scales = doubles_attribute(node, "scales");
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    Position at = position_of(static_cast<int64_t>(i), result.type.shape);
    std::vector<std::vector<Tap>> taps;
    for (size_t axis = 0; axis < scales.size(); ++axis) {
      const ResampledAxis along{x.type.shape[axis + 2], result.type.shape[axis + 2], scales[axis]};
      taps.push_back(taps_of(node, along, at[axis + 2]));
    }
    result.data[i] = blended(x, taps, at, 0);
  }
  return {result};
}

}  // namespace

OpDef interpolate_def() {
  return {.attributes = {{"output_size", AttributeKind::kInts},
                         {"mode", AttributeKind::kString},
                         {"align_corners", AttributeKind::kBool},
                         {"scales", AttributeKind::kDoubles}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
