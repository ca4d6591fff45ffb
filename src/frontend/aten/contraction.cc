// SPDX-License-Identifier: Apache-2.0
// Matrix products: vectors become matrices of one row or column, fused sums become sums of their own.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// The product of a by b, scaled by the argument `name`.
Result<ValueId> times_scalar(Call& call, ValueId x, size_t position, const char* name) {
  STITCH_ASSIGN(const double factor, call.number(position, name, 1.0));
  if (factor == 1.0) {
    return x;
  }
  return call.emit(Op::kMul, {x, Scalar(factor)});
}

// beta * input + alpha * product, for the operators whose first argument is the input and last two keywords these.
Converted added_to_input(Call& call, ValueId product) {
  STITCH_ASSIGN(const ValueId input, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId scaled_product, times_scalar(call, product, 4, "alpha"));
  STITCH_ASSIGN(const double beta, call.number(3, "beta", 1.0));
  if (beta == 0.0) {  // the input is not even read: its NaN do not count
    return std::vector<ValueId>{scaled_product};
  }
  STITCH_ASSIGN(const ValueId scaled_input, times_scalar(call, input, 3, "beta"));
  return call.finish(Op::kAdd, {scaled_product, scaled_input});
}

}  // namespace

Converted convert_matmul(Call& call) {
  STITCH_ASSIGN(ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(ValueId b, call.tensor(1, "other"));
  const bool a_is_vector = call.shape(a).size() == 1;
  const bool b_is_vector = call.shape(b).size() == 1;
  if (!a_is_vector && !b_is_vector) {
    return call.finish(Op::kMatmul, {a, b});
  }
  if (a_is_vector) {
    STITCH_ASSIGN(a, call.reshape(a, {1, call.shape(a)[0]}));
  }
  if (b_is_vector) {
    STITCH_ASSIGN(b, call.reshape(b, {call.shape(b)[0], 1}));
  }
  STITCH_ASSIGN(const ValueId product, call.emit(Op::kMatmul, {a, b}));
  std::vector<int64_t> shape = call.shape(product);
  if (b_is_vector) {
    shape.pop_back();
  }
  if (a_is_vector) {
    shape.erase(shape.end() - (b_is_vector ? 1 : 2));
  }
  return call.finish(Op::kReshape, {product}, {{"shape", shape}});
}

// beta * input + alpha * a b
Converted convert_addmm(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "mat1"));
  STITCH_ASSIGN(const ValueId b, call.tensor(2, "mat2"));
  STITCH_ASSIGN(const ValueId product, call.emit(Op::kMatmul, {a, b}));
  return added_to_input(call, product);
}

// The products of all matrices of the batch are summed: one product of matrices as long as the batch.
Converted convert_addbmm(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "batch1"));
  STITCH_ASSIGN(const ValueId b, call.tensor(2, "batch2"));
  const std::vector<int64_t> left = call.shape(a);
  const std::vector<int64_t> right = call.shape(b);
  STITCH_ASSIGN(const ValueId rows_first, call.emit(Op::kPermute, {a}, {{"dims", std::vector<int64_t>{1, 0, 2}}}));
  STITCH_ASSIGN(const ValueId wide, call.reshape(rows_first, {left[1], left[0] * left[2]}));
  STITCH_ASSIGN(const ValueId tall, call.reshape(b, {right[0] * right[1], right[2]}));
  STITCH_ASSIGN(const ValueId product, call.emit(Op::kMatmul, {wide, tall}));
  return added_to_input(call, product);
}

Converted convert_addmv(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "mat"));
  STITCH_ASSIGN(const ValueId vector, call.tensor(2, "vec"));
  STITCH_ASSIGN(const ValueId column, call.reshape(vector, {call.shape(vector)[0], 1}));
  STITCH_ASSIGN(const ValueId product, call.emit(Op::kMatmul, {a, column}));
  STITCH_ASSIGN(const ValueId line, call.reshape(product, {call.shape(product)[0]}));
  return added_to_input(call, line);
}

// beta * input + alpha * the outer product of two vectors
Converted convert_addr(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "vec1"));
  STITCH_ASSIGN(const ValueId b, call.tensor(2, "vec2"));
  STITCH_ASSIGN(const ValueId column, call.reshape(a, {call.shape(a)[0], 1}));
  STITCH_ASSIGN(const ValueId product, call.pointwise(Op::kMul, {column, b}));
  return added_to_input(call, product);
}

// x1 [..., i], x2 [..., j], weight [o, i, j]: sum over i and j of x1 weight x2. x1 by the weight seen as [o j, i]
// first, then a sum of products with x2.
Converted convert_bilinear(Call& call) {
  STITCH_ASSIGN(const ValueId first, call.tensor(0, "input1"));
  STITCH_ASSIGN(const ValueId second, call.tensor(1, "input2"));
  STITCH_ASSIGN(const ValueId weight, call.tensor(2, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(3, "bias"));
  const std::vector<int64_t> sizes = call.shape(weight);
  std::vector<int64_t> shape = call.shape(first);
  STITCH_ASSIGN(const ValueId turned, call.emit(Op::kPermute, {weight}, {{"dims", std::vector<int64_t>{0, 2, 1}}}));
  STITCH_ASSIGN(const ValueId rows, call.reshape(turned, {sizes[0] * sizes[2], sizes[1]}));
  STITCH_ASSIGN(const ValueId half, call.emit(Op::kLinear, {first, rows, Absent{}}));
  shape.back() = sizes[0];
  shape.push_back(sizes[2]);
  STITCH_ASSIGN(const ValueId parts, call.reshape(half, shape));
  shape = call.shape(second);
  shape.insert(shape.end() - 1, 1);
  STITCH_ASSIGN(const ValueId other, call.reshape(second, shape));
  STITCH_ASSIGN(const ValueId products, call.emit(Op::kMul, {parts, other}));
  const Attributes over_last = {{"dim", std::vector<int64_t>{static_cast<int64_t>(shape.size()) - 1}},
                                {"keepdim", false}};
  STITCH_ASSIGN(const ValueId sums, call.emit(Op::kSum, {products}, over_last));
  if (!ir::is_tensor(bias)) {
    return std::vector<ValueId>{sums};
  }
  return call.finish(Op::kAdd, {sums, bias});
}

Converted convert_linear(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const ValueId weight, call.tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  return call.finish(Op::kLinear, {x, weight, bias});
}

}  // namespace stitch::frontend
