// SPDX-License-Identifier: Apache-2.0
// Upsampling: the output's extents are those PyTorch found; factors count only where they were asked for. And the
// rearrangements between channels and space.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// Factors as arguments of their own (scales_d, scales_h, scales_w, or "scales" of one axis), or in one list (.vec).
Result<std::vector<double>> read_scales(Call& call, size_t position, size_t axes) {
  std::vector<double> scales(axes, 0.0);
  if (call.node().overload == "vec") {
    const Argument* list = call.argument(position, "scale_factors");
    const ArgumentList* items = list == nullptr ? nullptr : std::get_if<ArgumentList>(&list->value);
    for (size_t i = 0; items != nullptr && i < axes && i < items->size(); ++i) {
      const double* real = std::get_if<double>(&(*items)[i].value);
      const int64_t* whole = std::get_if<int64_t>(&(*items)[i].value);
      STITCH_TRY(call.require(real != nullptr || whole != nullptr, "scale_factors are not numbers"));
      scales[i] = real != nullptr ? *real : static_cast<double>(*whole);
    }
    return scales;
  }
  static constexpr const char* kNames[] = {"scales_d", "scales_h", "scales_w"};
  for (size_t i = 0; i < axes; ++i) {
    STITCH_ASSIGN(scales[i], call.number(position + i, axes == 1 ? "scales" : kNames[3 - axes + i], 0.0));
  }
  return scales;
}

// upsample(input, output_size, [align_corners], scales)
Converted upsample(Call& call, const std::string& mode) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  const bool is_nearest = mode == "nearest" || mode == "nearest_exact";
  bool align_corners = false;
  if (!is_nearest) {
    STITCH_ASSIGN(align_corners, call.boolean(2, "align_corners"));
  }
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value() || call.shape(x).size() < 3) {
    return call.unsupported("its result has no shape");
  }
  const std::vector<int64_t>& shape = call.node().outputs[0].type->shape;
  const std::vector<int64_t> size(shape.begin() + 2, shape.end());
  STITCH_ASSIGN(const std::vector<double> scales, read_scales(call, is_nearest ? 2 : 3, size.size()));
  return call.finish(Op::kInterpolate, {x},
                     {{"output_size", size}, {"mode", mode}, {"align_corners", align_corners}, {"scales", scales}});
}

// x as `split`, its axes in the order `dims`, as the node's result.
Converted rearranged(Call& call, ValueId x, const std::vector<int64_t>& split, const std::vector<int64_t>& dims) {
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  STITCH_ASSIGN(const ValueId parts, call.reshape(x, split));
  STITCH_ASSIGN(const ValueId moved, call.emit(Op::kPermute, {parts}, {{"dims", dims}}));
  STITCH_ASSIGN(const ValueId y, call.reshape(moved, call.node().outputs[0].type->shape));
  return std::vector<ValueId>{y};
}

// All axes before the last three, as one.
int64_t images_before(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (size_t axis = 0; axis + 3 < shape.size(); ++axis) {
    count *= shape[axis];
  }
  return count;
}

}  // namespace

Converted convert_upsample_nearest(Call& call) { return upsample(call, "nearest"); }
Converted convert_upsample_nearest_exact(Call& call) { return upsample(call, "nearest_exact"); }
Converted convert_upsample_linear(Call& call) { return upsample(call, "linear"); }
Converted convert_upsample_cubic(Call& call) { return upsample(call, "cubic"); }

// [..., c r r, h, w] -> [..., c, h r, w r]
Converted convert_pixel_shuffle(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t factor, call.integer(1, "upscale_factor"));
  const std::vector<int64_t> shape = call.shape(x);
  STITCH_TRY(call.require(shape.size() >= 3 && factor >= 1, "there is nothing to rearrange"));
  const int64_t channels = shape[shape.size() - 3] / (factor * factor);
  return rearranged(call, x, {images_before(shape), channels, factor, factor, shape[shape.size() - 2], shape.back()},
                    {0, 1, 4, 2, 5, 3});
}

// [..., c, h r, w r] -> [..., c r r, h, w]
Converted convert_pixel_unshuffle(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t factor, call.integer(1, "downscale_factor"));
  const std::vector<int64_t> shape = call.shape(x);
  STITCH_TRY(call.require(shape.size() >= 3 && factor >= 1, "there is nothing to rearrange"));
  return rearranged(call, x,
                    {images_before(shape), shape[shape.size() - 3], shape[shape.size() - 2] / factor, factor,
                     shape.back() / factor, factor},
                    {0, 1, 3, 5, 2, 4});
}

// [n, g c, ...] -> the same with channels taken from each group in turn
Converted convert_channel_shuffle(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t groups, call.integer(1, "groups"));
  const std::vector<int64_t> shape = call.shape(x);
  STITCH_TRY(call.require(shape.size() >= 3 && groups >= 1 && shape[1] % groups == 0, "there are no whole groups"));
  const int64_t inner = call.type(x).element_count() / (shape[0] * shape[1]);
  return rearranged(call, x, {shape[0], groups, shape[1] / groups, inner}, {0, 2, 1, 3});
}

}  // namespace stitch::frontend
