// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

#include <fmt/format.h>

#include "ir/ops/support/checks.h"

namespace stitch::ir {
namespace {

Result<const TensorType*> pooled_operand(const Graph& graph, const Node& node, size_t axes) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  const size_t rank = x->shape.size();
  STITCH_TRY(require(rank == axes + 1 || rank == axes + 2,
                     fmt::format("needs {} or {} axes, not {}", axes + 1, axes + 2, rank)));
  return x;
}

}  // namespace

Result<TensorType> pooled_type(const Graph& graph, const Node& node, const Window& window) {
  STITCH_ASSIGN(const TensorType* x, pooled_operand(graph, node, window.size()));
  TensorType result = *x;
  const size_t first = x->shape.size() - window.size();
  for (size_t axis = 0; axis < window.size(); ++axis) {
    STITCH_TRY(require(
        2 * window[axis].padding <= window[axis].kernel,
        fmt::format("padding {} is more than half of kernel extent {}", window[axis].padding, window[axis].kernel)));
    int64_t& extent = result.shape[first + axis];
    extent = window[axis].output_extent(extent);
    STITCH_TRY(require(extent >= 1, "the window is larger than the padded input"));
  }
  return result;
}

Result<TensorType> adaptive_type(const Graph& graph, const Node& node, size_t axes) {
  STITCH_ASSIGN(const TensorType* x, pooled_operand(graph, node, axes));
  STITCH_ASSIGN(const auto output_size, axes_attribute(node, "output_size", axes, 1));
  TensorType result = *x;
  std::copy(output_size.begin(), output_size.end(), result.shape.end() - static_cast<int64_t>(axes));
  return result;
}

std::vector<TensorType> with_indices(const TensorType& type, bool indices) {
  std::vector<TensorType> types = {type};
  if (indices) {
    types.push_back({DataType::kInt64, type.shape});
  }
  return types;
}

std::vector<ReferenceTensor> reference_pool(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                            size_t axes, const PoolWindow& pool) {
  const auto last_axes = [axes](const std::vector<int64_t>& shape) {
    return std::vector<int64_t>(shape.end() - static_cast<int64_t>(axes), shape.end());
  };
  std::vector<ReferenceTensor> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    results.push_back(make_reference(output_type(graph, node, i)));
  }
  const std::vector<int64_t> extents = last_axes(operand.type.shape);
  const std::vector<int64_t> out_extents = last_axes(results[0].type.shape);
  size_t element = 0;
  for (size_t plane = 0; element < results[0].data.size(); ++plane) {
    const int64_t plane_elements = TensorType{DataType::kFloat64, extents}.element_count();
    const double* elements = operand.data.data() + static_cast<int64_t>(plane) * plane_elements;
    for_each_position(out_extents, [&](const Position& out) {
      const Pooled pooled = pool(elements, extents, out);
      results[0].data[element] = pooled.value;
      if (results.size() > 1) {
        results[1].data[element] = static_cast<double>(pooled.index);
      }
      ++element;
    });
  }
  return results;
}

}  // namespace stitch::ir
