// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling kernels compute in float. Of float64 the windows are views: a product of matrices, or a
// reduction, over their elements.
#include <functional>
#include <limits>
#include <numeric>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Numbers = std::vector<int64_t>;

int64_t product(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

Numbers joined(std::initializer_list<Numbers> parts) {
  Numbers all;
  for (const Numbers& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

class Windows {
 public:
  explicit Windows(NodeChain& chain) : chain_(chain) {}

  Numbers shape(ValueId x) const { return chain_.result().has_value() ? chain_.graph().type(x).shape : Numbers(9, 1); }
  ValueId reshape(ValueId x, const Numbers& shape) {
    return chain_.add(ir::Op::kReshape, {x}, "_shaped", {{"shape", shape}});
  }
  ValueId permute(ValueId x, const Numbers& dims) {
    return chain_.add(ir::Op::kPermute, {x}, "_turned", {{"dims", dims}});
  }

  // `before` and `after` along the last axes of x.
  ValueId pad(ValueId x, const Numbers& before, const Numbers& after, double value,
              const std::string& mode = "constant") {
    const Numbers none(shape(x).size() - before.size(), 0);
    return chain_.add(
        ir::Op::kPad, {x}, "_padded",
        {{"before", joined({none, before})}, {"after", joined({none, after})}, {"mode", mode}, {"value", value}});
  }

  // Windows along the middle one of x's three axes: `out` of them there, their elements along a fourth.
  ValueId windows(ValueId x, int64_t out, int64_t kernel, int64_t stride, int64_t dilation) {
    const int64_t span = dilation * (kernel - 1) + 1;
    const int64_t one = 1;
    x = chain_.add(ir::Op::kUnfold, {x}, "_windows", {{"dim", one}, {"size", span}, {"step", stride}});
    x = chain_.add(ir::Op::kSlice, {x}, "_windows", {{"dim", one}, {"start", int64_t{0}}, {"end", out}, {"step", one}});
    return chain_.add(ir::Op::kSlice, {x}, "_taps",
                      {{"dim", int64_t{3}}, {"start", int64_t{0}}, {"end", span}, {"step", dilation}});
  }

 private:
  NodeChain& chain_;
};

// The axes first, first + 1, ... before last.
Numbers axes_between(size_t first, size_t last) {
  Numbers axes(last - first);
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(first));
  return axes;
}

// A transposed convolution is an ordinary one over its input with stride - 1 zeros between neighbours, weights turned
// round and channels exchanged.
struct Plain {
  ValueId input, weight;  // padded; [out_channels, in_channels / groups, kernel...]
  Numbers stride;
};

Plain plain_convolution(Windows& windows, const ir::Node& node) {
  const ValueId x = ir::tensor_operand(node, 0);
  const Numbers& padding = ir::ints_attribute(node, "padding");
  return {windows.pad(x, padding, padding, 0.0), ir::tensor_operand(node, 1), ir::ints_attribute(node, "stride")};
}

Plain plain_transposed(Windows& windows, const ir::Node& node) {
  ValueId x = ir::tensor_operand(node, 0);
  ValueId weight = ir::tensor_operand(node, 1);
  const Numbers shape = windows.shape(x);
  const Numbers filter = windows.shape(weight);
  const size_t axes = shape.size() - 2;
  const int64_t groups = ir::int_attribute(node, "groups");
  Numbers before, after, last, minus;
  Numbers spread = shape;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t stride = ir::ints_attribute(node, "stride")[i];
    const int64_t reach = ir::ints_attribute(node, "dilation")[i] * (filter[i + 2] - 1);
    const int64_t inner = product(Numbers(shape.begin() + static_cast<std::ptrdiff_t>(i) + 3, shape.end()));
    x = windows.reshape(x, {product(spread) / shape[i + 2] / inner, shape[i + 2], 1, inner});
    x = windows.pad(x, {0, 0, 0}, {0, stride - 1, 0}, 0.0);
    spread[i + 2] *= stride;
    before.push_back(reach - ir::ints_attribute(node, "padding")[i]);
    after.push_back(before.back() + ir::ints_attribute(node, "output_padding")[i] - (stride - 1));
    last.push_back(filter[i + 2] - 1);
    minus.push_back(1 - filter[i + 2]);
  }
  x = windows.reshape(x, spread);
  const Numbers kernel(filter.begin() + 2, filter.end());
  weight = windows.reshape(weight, joined({{groups, filter[0] / groups, filter[1]}, kernel}));
  weight = windows.permute(weight, joined({{0, 2, 1}, axes_between(3, 3 + axes)}));
  weight = windows.reshape(weight, joined({{groups * filter[1], filter[0] / groups}, kernel}));
  return {windows.pad(x, before, after, 0.0), windows.pad(weight, last, minus, 0.0, "reflect"), Numbers(axes, 1)};
}

ValueId convolution(NodeChain& chain, const ir::Node& node, const Numbers& out) {
  const size_t axes = out.size() - 2;
  Windows windows(chain);
  const bool transposed = node.op == ir::Op::kConvTranspose2d || node.op == ir::Op::kConvTranspose3d;
  const Plain plain = transposed ? plain_transposed(windows, node) : plain_convolution(windows, node);
  const Numbers filter = windows.shape(plain.weight);
  const Numbers kernel(filter.begin() + 2, filter.end());
  const Numbers places(out.begin() + 2, out.end());
  const int64_t groups = ir::int_attribute(node, "groups");
  const int64_t depth = filter[1] * product(kernel);
  // One axis after the other: kernels walk few axes. Then [n, groups, channels, places, kernel] -> [groups, channels *
  // kernel, n * places].
  ValueId x = plain.input;
  const Numbers shape = windows.shape(x);
  int64_t outer = out[0] * shape[1];
  for (size_t i = 0; i < axes; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const int64_t inner =
        product(Numbers(shape.begin() + at + 3, shape.end())) * product(Numbers(kernel.begin(), kernel.begin() + at));
    x = windows.reshape(x, {outer, shape[i + 2], inner});
    x = windows.windows(x, places[i], kernel[i], plain.stride[i], ir::ints_attribute(node, "dilation")[i]);
    outer *= places[i];
  }
  x = windows.reshape(x, {out[0], groups, filter[1], product(places), product(kernel)});
  x = windows.permute(x, {1, 2, 4, 0, 3});
  x = windows.reshape(x, {groups, depth, out[0] * product(places)});
  const ValueId weight = windows.reshape(plain.weight, {groups, filter[0] / groups, depth});
  ValueId made = chain.add(ir::Op::kMatmul, {weight, x}, "_product");
  made = windows.reshape(made, joined({{out[1], out[0]}, places}));
  made = windows.permute(made, joined({{1, 0}, axes_between(2, 2 + axes)}));
  if (node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
    const ValueId bias = windows.reshape(ir::tensor_operand(node, 2), joined({{out[1]}, Numbers(axes, 1)}));
    made = chain.add(ir::Op::kAdd, {made, bias}, "_biased");
  }
  return made;
}

ValueId pool(NodeChain& chain, const ir::Node& node, const Numbers& out) {
  const bool takes_largest = node.op == ir::Op::kMaxPool2d || node.op == ir::Op::kMaxPool3d;
  const Numbers& kernel = ir::ints_attribute(node, "kernel_size");
  const Numbers& stride = ir::ints_attribute(node, "stride");
  const Numbers& padding = ir::ints_attribute(node, "padding");
  const size_t axes = kernel.size();
  const Numbers dilation = takes_largest ? ir::ints_attribute(node, "dilation") : Numbers(axes, 1);
  Windows windows(chain);
  const ValueId x = ir::tensor_operand(node, 0);
  const Numbers places(out.end() - static_cast<std::ptrdiff_t>(axes), out.end());
  const Numbers shape = windows.shape(x);
  const Numbers extents(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end());
  Numbers after, beyond;  // up to the end of the last window: from the input, and from its padding
  for (size_t i = 0; i < axes; ++i) {
    const int64_t needed = (places[i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1;
    after.push_back(needed - padding[i] - extents[i]);
    beyond.push_back(after.back() - padding[i]);
  }
  // One axis after the other: so both reductions come apart.
  const auto reduced = [&](ir::Op op, ValueId padded) {
    Numbers left = windows.shape(padded);
    const size_t first = left.size() - axes;
    for (size_t i = 0; i < axes; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(first + i);
      const int64_t outer = product(Numbers(left.begin(), left.begin() + at));
      const int64_t inner = product(Numbers(left.begin() + at + 1, left.end()));
      padded = windows.reshape(padded, {outer, left[first + i], inner});
      padded = windows.windows(padded, places[i], kernel[i], stride[i], dilation[i]);
      padded = chain.add(op, {padded}, "_part", {{"dim", Numbers{3}}, {"keepdim", false}});
      left[first + i] = places[i];
    }
    return windows.reshape(padded, left);
  };
  if (takes_largest) {
    return reduced(ir::Op::kAmax, windows.pad(x, padding, after, -std::numeric_limits<double>::infinity()));
  }
  const ValueId total = reduced(ir::Op::kSum, windows.pad(x, padding, after, 0.0));
  const int64_t divisor = ir::int_attribute(node, "divisor_override");
  if (divisor != 0) {
    return chain.add(ir::Op::kDiv, {total, Scalar{static_cast<double>(divisor)}}, "");
  }
  const Numbers ones(out.size() - axes, 1);
  ValueId counted = chain.add(ir::Op::kFull, {}, "_ones",
                              {{"shape", joined({ones, extents})}, {"value", 1.0}, {"dtype", DataType::kFloat64}});
  if (ir::bool_attribute(node, "count_include_pad")) {
    counted = windows.pad(windows.pad(counted, padding, padding, 1.0), Numbers(axes, 0), beyond, 0.0);
  } else {
    counted = windows.pad(counted, padding, after, 0.0);
  }
  return chain.add(ir::Op::kDiv, {total, reduced(ir::Op::kSum, counted)}, "");
}

bool is_pool(ir::Op op) {
  return op == ir::Op::kMaxPool2d || op == ir::Op::kMaxPool3d || op == ir::Op::kAvgPool2d || op == ir::Op::kAvgPool3d;
}

}  // namespace

Result<ir::Graph> decompose_double_windows(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& old : graph.nodes) {
    const ir::OpDef* def = ir::find_op(old.op);
    const bool is_convolution = def != nullptr && def->family == ir::OpFamily::kConvolution;
    if (!(is_convolution || is_pool(old.op)) || graph.type(old.outputs[0]).dtype != DataType::kFloat64) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    const ir::Node node = copy.mapped(old);
    NodeChain chain(copy, graph.value(old.outputs[0]).name, old.location);
    const Numbers& out = graph.type(old.outputs[0]).shape;
    const ValueId made = is_convolution ? convolution(chain, node, out) : pool(chain, node, out);
    STITCH_TRY(chain.result());
    copy.replace(old.outputs[0], made);
  }
  return copy.finish();
}

}  // namespace stitch::plan
