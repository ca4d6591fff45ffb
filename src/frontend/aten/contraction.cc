// SPDX-License-Identifier: Apache-2.0
// Matrix products: vectors become matrices of one row or column, fused sums become sums of their own.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// The product of a by b scaled by the argument `name`.
Result<ValueId> scaled(Call& call, ValueId x, size_t position, const char* name) {
  STITCH_ASSIGN(const double factor, call.number(position, name, 1.0));
  if (factor == 1.0) {
    return x;
  }
  return call.emit("mul", {x, Scalar(factor)});
}

}  // namespace

Converted convert_matmul(Call& call) {
  STITCH_ASSIGN(ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(ValueId b, call.tensor(1, "other"));
  const bool a_is_vector = call.shape(a).size() == 1;
  const bool b_is_vector = call.shape(b).size() == 1;
  if (!a_is_vector && !b_is_vector) {
    return call.finish("matmul", {a, b});
  }
  if (a_is_vector) {
    STITCH_ASSIGN(a, call.reshape(a, {1, call.shape(a)[0]}));
  }
  if (b_is_vector) {
    STITCH_ASSIGN(b, call.reshape(b, {call.shape(b)[0], 1}));
  }
  STITCH_ASSIGN(const ValueId product, call.emit("matmul", {a, b}));
  std::vector<int64_t> shape = call.shape(product);
  if (b_is_vector) {
    shape.pop_back();
  }
  if (a_is_vector) {
    shape.erase(shape.end() - (b_is_vector ? 1 : 2));
  }
  return call.finish("reshape", {product}, {{"shape", shape}});
}

// beta * input + alpha * a b
Converted convert_addmm(Call& call) {
  STITCH_ASSIGN(const ValueId input, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "mat1"));
  STITCH_ASSIGN(const ValueId b, call.tensor(2, "mat2"));
  STITCH_ASSIGN(const ValueId product, call.emit("matmul", {a, b}));
  STITCH_ASSIGN(const ValueId scaled_product, scaled(call, product, 4, "alpha"));
  STITCH_ASSIGN(const double beta, call.number(3, "beta", 1.0));
  if (beta == 0.0) {  // the input is not even read: its NaN do not count
    return std::vector<ValueId>{scaled_product};
  }
  STITCH_ASSIGN(const ValueId scaled_input, scaled(call, input, 3, "beta"));
  return call.finish("add", {scaled_product, scaled_input});
}

Converted convert_linear(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const ValueId weight, call.tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  return call.finish("linear", {x, weight, bias});
}

}  // namespace stitch::frontend
