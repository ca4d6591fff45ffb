// SPDX-License-Identifier: Apache-2.0
// Pooling: single numbers and omitted strides spelled out.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// One number stands for both axes; an empty list for `missing`.
Result<std::vector<int64_t>> pair(Call& call, size_t position, const char* name, const std::vector<int64_t>& missing) {
  STITCH_ASSIGN(std::vector<int64_t> values, call.integers(position, name, missing));
  if (values.empty()) {
    return missing;
  }
  if (values.size() == 1) {
    values.push_back(values[0]);
  }
  return values;
}

}  // namespace

Converted convert_max_pool2d(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto kernel, pair(call, 1, "kernel_size", {}));
  STITCH_ASSIGN(const auto stride, pair(call, 2, "stride", kernel));
  STITCH_ASSIGN(const auto padding, pair(call, 3, "padding", {0, 0}));
  STITCH_ASSIGN(const auto dilation, pair(call, 4, "dilation", {1, 1}));
  STITCH_ASSIGN(const bool ceil_mode, call.boolean(5, "ceil_mode", false));
  STITCH_ASSIGN(std::vector<ValueId> results, call.finish("max_pool2d", {x},
                                                          {{"kernel_size", kernel},
                                                           {"stride", stride},
                                                           {"padding", padding},
                                                           {"dilation", dilation},
                                                           {"ceil_mode", ceil_mode}}));
  results.resize(call.node().outputs.size(), kNotComputed);  // the indices
  return results;
}

Converted convert_avg_pool2d(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto kernel, pair(call, 1, "kernel_size", {}));
  STITCH_ASSIGN(const auto stride, pair(call, 2, "stride", kernel));
  STITCH_ASSIGN(const auto padding, pair(call, 3, "padding", {0, 0}));
  STITCH_ASSIGN(const bool ceil_mode, call.boolean(4, "ceil_mode", false));
  STITCH_ASSIGN(const bool count_include_pad, call.boolean(5, "count_include_pad", true));
  STITCH_ASSIGN(const int64_t divisor_override, call.integer(6, "divisor_override", 0));
  return call.finish("avg_pool2d", {x},
                     {{"kernel_size", kernel},
                      {"stride", stride},
                      {"padding", padding},
                      {"ceil_mode", ceil_mode},
                      {"count_include_pad", count_include_pad},
                      {"divisor_override", divisor_override}});
}

Converted convert_adaptive_avg_pool2d(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto output_size, pair(call, 1, "output_size", {}));
  return call.finish("adaptive_avg_pool2d", {x}, {{"output_size", output_size}});
}

}  // namespace stitch::frontend
