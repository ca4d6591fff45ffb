// SPDX-License-Identifier: Apache-2.0
// Pooling: single numbers and omitted strides spelled out, 1-D as 2-D of height one.
#include "frontend/aten/converters.h"
#include "frontend/aten/spatial.h"

namespace stitch::frontend {
namespace {

// The digit in "max_pool2d_with_indices"; 2 where the name has none.
size_t axes_in_name(const Call& call) {
  const size_t digit = call.node().base.find_first_of("123");
  return digit == std::string::npos ? 2 : static_cast<size_t>(call.node().base[digit] - '0');
}

struct PoolOps {
  Op values{};
  Op with_indices{};  // of the largest alone
};

// One axis is pooled as two.
PoolOps ops_over(size_t axes, const PoolOps& two_axes, const PoolOps& three_axes) {
  return axes == 3 ? three_axes : two_axes;
}

using NumbersByName = std::vector<std::pair<const char*, std::vector<int64_t>>>;

// What the window has along a further axis of extent one.
int64_t one_of(const std::string& name) { return name == "padding" ? 0 : 1; }

// Emits the pool over two or three axes; a second output, which the node may have, are indices.
Converted pool(Call& call, const PoolOps& ops, size_t axes, const NumbersByName& window, const Attributes& further) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  Attributes attributes;
  for (const auto& [name, numbers] : window) {
    attributes.emplace_back(name, axes == 1 ? with_row(numbers, one_of(name)) : numbers);
  }
  attributes.insert(attributes.end(), further.begin(), further.end());
  if (axes == 1) {
    STITCH_ASSIGN(x, with_row_axis(call, x));
  }
  const bool with_indices = call.node().outputs.size() > 1 && call.uses_output(1);
  std::vector<ValueId> results;
  if (with_indices) {
    STITCH_ASSIGN(results, call.emit_all(ops.with_indices, {x}, attributes));
  } else {
    STITCH_ASSIGN(const ValueId y, call.emit(ops.values, {x}, attributes));
    results.push_back(y);
  }
  for (size_t i = 0; i < results.size() && axes == 1; ++i) {
    STITCH_ASSIGN(results[i], without_row_axis(call, results[i]));
  }
  results.resize(call.node().outputs.size(), kNotComputed);
  return results;
}

}  // namespace

Converted convert_max_pool(Call& call) {
  const size_t axes = axes_in_name(call);
  STITCH_ASSIGN(const auto kernel, per_axis(call, 1, "kernel_size", axes));
  STITCH_ASSIGN(const auto stride, per_axis(call, 2, "stride", kernel));
  STITCH_ASSIGN(const auto padding, per_axis(call, 3, "padding", std::vector<int64_t>(axes, 0)));
  STITCH_ASSIGN(const auto dilation, per_axis(call, 4, "dilation", std::vector<int64_t>(axes, 1)));
  STITCH_ASSIGN(const bool ceil_mode, call.boolean(5, "ceil_mode", false));
  const PoolOps ops =
      ops_over(axes, {Op::kMaxPool2d, Op::kMaxPool2dWithIndices}, {Op::kMaxPool3d, Op::kMaxPool3dWithIndices});
  return pool(call, ops, axes,
              {{"kernel_size", kernel}, {"stride", stride}, {"padding", padding}, {"dilation", dilation}},
              {{"ceil_mode", ceil_mode}});
}

Converted convert_avg_pool(Call& call) {
  const size_t axes = axes_in_name(call);
  STITCH_ASSIGN(const auto kernel, per_axis(call, 1, "kernel_size", axes));
  STITCH_ASSIGN(const auto stride, per_axis(call, 2, "stride", kernel));
  STITCH_ASSIGN(const auto padding, per_axis(call, 3, "padding", std::vector<int64_t>(axes, 0)));
  STITCH_ASSIGN(const bool ceil_mode, call.boolean(4, "ceil_mode", false));
  STITCH_ASSIGN(const bool count_include_pad, call.boolean(5, "count_include_pad", true));
  STITCH_ASSIGN(const int64_t divisor_override, call.integer(6, "divisor_override", 0));
  return pool(
      call, ops_over(axes, {Op::kAvgPool2d}, {Op::kAvgPool3d}), axes,
      {{"kernel_size", kernel}, {"stride", stride}, {"padding", padding}},
      {{"ceil_mode", ceil_mode}, {"count_include_pad", count_include_pad}, {"divisor_override", divisor_override}});
}

Converted convert_adaptive_avg_pool(Call& call) {
  const size_t axes = axes_in_name(call);
  STITCH_ASSIGN(const auto output_size, per_axis(call, 1, "output_size", axes));
  const PoolOps ops = ops_over(axes, {Op::kAdaptiveAvgPool2d}, {Op::kAdaptiveAvgPool3d});
  return pool(call, ops, axes, {{"output_size", output_size}}, {});
}

Converted convert_adaptive_max_pool(Call& call) {
  const size_t axes = axes_in_name(call);
  STITCH_ASSIGN(const auto output_size, per_axis(call, 1, "output_size", axes));
  const PoolOps ops = ops_over(axes, {Op::kAdaptiveMaxPool2d, Op::kAdaptiveMaxPool2dWithIndices},
                               {Op::kAdaptiveMaxPool3d, Op::kAdaptiveMaxPool3dWithIndices});
  return pool(call, ops, axes, {{"output_size", output_size}}, {});
}

}  // namespace stitch::frontend
