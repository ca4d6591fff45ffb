// SPDX-License-Identifier: Apache-2.0
// A quantile: a place between two elements of a sorted line.
#include <cmath>

#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"

namespace stitch::frontend {
namespace {

// The elements a quantile lies between, and how far it is from the first to the second.
struct Rank {
  int64_t below = 0;
  int64_t above = 0;
  double share = 0.0;
};

// PyTorch counts in the tensor's own type: in float32 a rank may come to lie exactly on an element.
Result<Rank> rank_of(Call& call, double q, int64_t extent, DataType dtype, const std::string& interpolation) {
  const auto last = static_cast<double>(extent - 1);
  double rank =
      dtype == DataType::kFloat64 ? q * last : static_cast<double>(static_cast<float>(q) * static_cast<float>(last));
  if (interpolation == "lower") {
    rank = std::floor(rank);
  } else if (interpolation == "higher") {
    rank = std::ceil(rank);
  } else if (interpolation == "nearest") {
    rank = std::nearbyint(rank);
  } else if (interpolation != "linear" && interpolation != "midpoint") {
    return call.unsupported("its interpolation " + interpolation + " is not known");
  }
  Rank result;
  result.below = static_cast<int64_t>(std::floor(rank));
  result.above = static_cast<int64_t>(std::ceil(rank));
  result.share = interpolation == "midpoint" && result.above > result.below ? 0.5 : rank - std::floor(rank);
  return result;
}

}  // namespace

// quantile.scalar(x, q, dim, keepdim, *, interpolation); a line with a NaN has no quantile.
Converted convert_quantile(Call& call) {
  STITCH_TRY(call.require(call.node().overload == "scalar", "a quantile is given by a number, not by a tensor"));
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double q, call.number(1, "q"));
  STITCH_ASSIGN(const std::string interpolation, call.text(kNowhere, "interpolation", "linear"));
  STITCH_TRY(call.require(q >= 0.0 && q <= 1.0, "q is not between 0 and 1"));
  int64_t axis = 0;
  if (call.has(2, "dim")) {
    STITCH_ASSIGN(x, with_an_axis(call, x));
    STITCH_ASSIGN(const int64_t dim, call.integer(2, "dim"));
    STITCH_ASSIGN(axis, call.axis(dim, call.shape(x).size()));
  } else {
    STITCH_ASSIGN(x, call.reshape(x, {call.type(x).element_count()}));
  }
  const int64_t extent = call.shape(x)[static_cast<size_t>(axis)];
  STITCH_ASSIGN(const Rank rank, rank_of(call, q, extent, call.type(x).dtype, interpolation));
  STITCH_ASSIGN(const auto sorted, call.emit_all(Op::kSort, {x}, {{"dim", axis}, {"descending", false}}));
  const auto element = [&](int64_t index) {
    return call.emit(Op::kSelect, {sorted[0]}, {{"dim", axis}, {"index", index}});
  };
  STITCH_ASSIGN(const ValueId below, element(rank.below));
  STITCH_ASSIGN(const ValueId above, element(rank.above));
  STITCH_ASSIGN(const ValueId last, element(extent - 1));
  STITCH_ASSIGN(const ValueId between, call.emit(Op::kLerp, {below, above, Scalar(rank.share)}));
  STITCH_ASSIGN(const ValueId has_nan, call.emit(Op::kNe, {last, last}));
  STITCH_ASSIGN(const ValueId result, call.emit(Op::kWhere, {has_nan, last, between}));
  return finish_as_exported(call, result);
}

}  // namespace stitch::frontend
