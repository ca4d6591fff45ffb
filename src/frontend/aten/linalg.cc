// SPDX-License-Identifier: Apache-2.0
// Factors of matrices and systems of equations. PyTorch raises where a matrix is singular or not positive definite, a
// program of ours has NaN or infinities there.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

Result<ValueId> transposed(Call& call, ValueId x) {
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < call.shape(x).size(); ++axis) {
    dims.push_back(static_cast<int64_t>(axis));
  }
  STITCH_TRY(call.require(dims.size() >= 2, "needs matrices"));
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return call.emit(Op::kPermute, {x}, {{"dims", dims}});
}

// The factor of each matrix, from whose upper triangle the upper one is made.
Result<ValueId> cholesky(Call& call, bool is_upper) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  if (!is_upper) {
    return call.emit(Op::kCholesky, {x});
  }
  STITCH_ASSIGN(x, transposed(call, x));
  STITCH_ASSIGN(const ValueId lower, call.emit(Op::kCholesky, {x}));
  return transposed(call, lower);
}

// The numbers from 0 on, along an axis of a matrix of this many.
Result<ValueId> places_along(Call& call, int64_t count, bool is_upright) {
  STITCH_ASSIGN(
      const ValueId made,
      call.emit(Op::kArange, {},
                {{"start", 0.0}, {"end", static_cast<double>(count)}, {"step", 1.0}, {"dtype", DataType::kInt64}}));
  return call.reshape(made, is_upright ? std::vector<int64_t>{count, 1} : std::vector<int64_t>{1, count});
}

// Both axes of the matrices of `x` as they are, those before them expanded to `batch`.
Result<ValueId> with_batch(Call& call, ValueId x, const std::vector<int64_t>& batch) {
  std::vector<int64_t> shape = batch;
  shape.insert(shape.end(), call.shape(x).end() - 2, call.shape(x).end());
  return call.expand(x, shape);
}

struct System {
  ValueId a;
  ValueId b;
  bool is_upper = false;
};

// A X = B for X A = B: all transposed.
Result<System> turned(Call& call, System system) {
  STITCH_ASSIGN(system.a, transposed(call, system.a));
  STITCH_ASSIGN(system.b, transposed(call, system.b));
  system.is_upper = !system.is_upper;
  return system;
}

}  // namespace

// cholesky(x, upper)
Converted convert_cholesky(Call& call) {
  STITCH_ASSIGN(const bool is_upper, call.boolean(1, "upper", false));
  STITCH_ASSIGN(const ValueId result, cholesky(call, is_upper));
  return std::vector<ValueId>{result};
}

// linalg_cholesky(x, *, upper) and linalg_cholesky_ex(x, *, upper, check_errors), which also tells what failed.
Converted convert_linalg_cholesky(Call& call) {
  STITCH_ASSIGN(const bool is_upper, call.boolean(kNowhere, "upper", false));
  STITCH_ASSIGN(const ValueId result, cholesky(call, is_upper));
  std::vector<ValueId> results{result};
  results.resize(call.node().outputs.size(), kNotComputed);
  return results;
}

// linalg_lu(x, *, pivot): P, L and U, whose product the matrix is.
Converted convert_linalg_lu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const bool pivots, call.boolean(kNowhere, "pivot", true));
  STITCH_TRY(call.require(pivots, "factors without pivots are not supported"));
  STITCH_ASSIGN(const ValueId both, call.emit(Op::kLu, {x}));
  const int64_t count = call.shape(x).back();
  const int64_t last = static_cast<int64_t>(call.shape(x).size()) - 1;
  const auto columns = [&](int64_t from, int64_t to) {
    return call.emit(Op::kSlice, {both}, {{"dim", last}, {"start", from}, {"end", to}, {"step", int64_t{1}}});
  };
  STITCH_ASSIGN(const ValueId factors, columns(0, count));
  STITCH_ASSIGN(const ValueId row, places_along(call, count, true));
  STITCH_ASSIGN(const ValueId column, places_along(call, count, false));
  STITCH_ASSIGN(const ValueId is_diagonal, call.emit(Op::kEq, {row, column}));
  STITCH_ASSIGN(const ValueId below, call.emit(Op::kTril, {factors}, {{"diagonal", int64_t{-1}}}));
  STITCH_ASSIGN(const ValueId lower, call.emit(Op::kWhere, {is_diagonal, Scalar(1.0), below}));
  STITCH_ASSIGN(const ValueId upper, call.emit(Op::kTriu, {factors}, {{"diagonal", int64_t{0}}}));
  STITCH_ASSIGN(const ValueId upright, columns(count, count + 1));
  STITCH_ASSIGN(const ValueId exchanged, transposed(call, upright));
  STITCH_ASSIGN(const ValueId places, call.cast(exchanged, DataType::kInt64));
  STITCH_ASSIGN(const ValueId is_from, call.emit(Op::kEq, {row, places}));
  STITCH_ASSIGN(const ValueId permutation, call.cast(is_from, call.type(x).dtype));
  return std::vector<ValueId>{permutation, lower, upper};
}

// linalg_solve_triangular(a, b, *, upper, left, unitriangular)
Converted convert_linalg_solve_triangular(Call& call) {
  System system;
  STITCH_ASSIGN(system.a, call.tensor(0, "self"));
  STITCH_ASSIGN(system.b, call.tensor(1, "B"));
  STITCH_ASSIGN(system.is_upper, call.boolean(kNowhere, "upper"));
  STITCH_ASSIGN(const bool is_left, call.boolean(kNowhere, "left", true));
  STITCH_ASSIGN(const bool is_unitriangular, call.boolean(kNowhere, "unitriangular", false));
  STITCH_TRY(call.require(call.node().outputs[0].type.has_value(), "needs the result's type"));
  std::vector<int64_t> batch = call.node().outputs[0].type->shape;
  STITCH_TRY(call.require(batch.size() >= 2, "needs matrices"));
  batch.resize(batch.size() - 2);
  STITCH_ASSIGN(system.a, with_batch(call, system.a, batch));
  STITCH_ASSIGN(system.b, with_batch(call, system.b, batch));
  if (!is_left) {
    STITCH_ASSIGN(system, turned(call, system));
  }
  STITCH_ASSIGN(ValueId result, call.emit(Op::kSolveTriangular, {system.a, system.b},
                                          {{"upper", system.is_upper}, {"unitriangular", is_unitriangular}}));
  if (!is_left) {
    STITCH_ASSIGN(result, transposed(call, result));
  }
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
