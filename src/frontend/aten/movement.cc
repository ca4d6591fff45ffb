// SPDX-License-Identifier: Apache-2.0
// Elements shown at other places than their own: padding in all modes, and what comes down to it (roll, flip).
#include <algorithm>
#include <numeric>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

struct Amounts {
  std::vector<int64_t> before, after;  // per axis
};

bool is_nothing(const Amounts& amounts) {
  const auto is_zero = [](int64_t amount) { return amount == 0; };
  return std::all_of(amounts.before.begin(), amounts.before.end(), is_zero) &&
         std::all_of(amounts.after.begin(), amounts.after.end(), is_zero);
}

Result<ValueId> padded(Call& call, ValueId x, const Amounts& amounts, const std::string& mode, double value = 0.0) {
  if (is_nothing(amounts)) {
    return x;
  }
  return call.emit(Op::kPad, {x},
                   {{"before", amounts.before}, {"after", amounts.after}, {"mode", mode}, {"value", value}});
}

// PyTorch's list: pairs, last axis first.
Result<Amounts> amounts_of(Call& call, size_t rank, const std::vector<int64_t>& pairs) {
  STITCH_TRY(call.require(pairs.size() <= 2 * rank && pairs.size() % 2 == 0, "there is more padding than axes"));
  Amounts amounts{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < pairs.size(); i += 2) {
    amounts.before[rank - 1 - i / 2] = pairs[i];
    amounts.after[rank - 1 - i / 2] = pairs[i + 1];
  }
  return amounts;
}

Converted padded_by_arguments(Call& call, const std::string& mode, double value) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto pairs, call.integers(1, "pad"));
  STITCH_ASSIGN(const Amounts amounts, amounts_of(call, call.shape(x).size(), pairs));
  STITCH_ASSIGN(const ValueId result, padded(call, x, amounts, mode, value));
  return std::vector<ValueId>{result};
}

// An axis rolled by `shift`: what falls off one end comes back at the other.
void roll_axis(Amounts& amounts, size_t axis, int64_t shift, int64_t extent) {
  shift = extent == 0 ? 0 : (shift % extent + extent) % extent;
  amounts.before[axis] = shift;
  amounts.after[axis] = -shift;
}

Result<ValueId> rolled(Call& call, ValueId x, const std::vector<int64_t>& shifts, const std::vector<int64_t>& dims) {
  const size_t rank = call.shape(x).size();
  std::vector<int64_t> total(rank, 0);  // an axis may be named more than once
  for (size_t i = 0; i < dims.size() && i < shifts.size(); ++i) {
    STITCH_ASSIGN(const int64_t axis, call.axis(dims[i], rank));
    total[static_cast<size_t>(axis)] += shifts[i];
  }
  Amounts amounts{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t axis = 0; axis < rank; ++axis) {
    roll_axis(amounts, axis, total[axis], call.shape(x)[axis]);
  }
  return padded(call, x, amounts, "circular");
}

// Axes in reverse: the mirror at the front edge, moved so far that only the image is left.
Result<ValueId> flipped(Call& call, ValueId x, const std::vector<int64_t>& dims) {
  const size_t rank = call.shape(x).size();
  Amounts amounts{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (const int64_t dim : dims) {
    STITCH_ASSIGN(const int64_t axis, call.axis(dim, rank));
    const int64_t distance = std::max<int64_t>(0, call.shape(x)[static_cast<size_t>(axis)] - 1);
    amounts.before[static_cast<size_t>(axis)] = distance;
    amounts.after[static_cast<size_t>(axis)] = -distance;
  }
  return padded(call, x, amounts, "reflect");
}

}  // namespace

Converted convert_constant_pad(Call& call) {
  STITCH_ASSIGN(const double value, call.number(2, "value", 0.0));
  return padded_by_arguments(call, "constant", value);
}

Converted convert_pad(Call& call) {
  STITCH_ASSIGN(const std::string mode, call.text(2, "mode", "constant"));
  STITCH_ASSIGN(const double value, call.number(3, "value", 0.0));
  return padded_by_arguments(call, mode, value);
}

Converted convert_reflection_pad(Call& call) { return padded_by_arguments(call, "reflect", 0.0); }
Converted convert_replication_pad(Call& call) { return padded_by_arguments(call, "replicate", 0.0); }
Converted convert_circular_pad(Call& call) { return padded_by_arguments(call, "circular", 0.0); }

// Without axes the elements are rolled as one line.
Converted convert_roll(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto shifts, call.integers(1, "shifts"));
  STITCH_ASSIGN(const auto dims, call.integers(2, "dims", std::vector<int64_t>{}));
  if (!dims.empty()) {
    STITCH_ASSIGN(const ValueId result, rolled(call, x, shifts, dims));
    return std::vector<ValueId>{result};
  }
  STITCH_ASSIGN(const ValueId line, call.reshape(x, {call.type(x).element_count()}));
  STITCH_ASSIGN(const ValueId moved, rolled(call, line, shifts, {0}));
  STITCH_ASSIGN(const ValueId result, call.reshape(moved, call.shape(x)));
  return std::vector<ValueId>{result};
}

Converted convert_flip(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto dims, call.integers(1, "dims"));
  STITCH_ASSIGN(const ValueId result, flipped(call, x, dims));
  return std::vector<ValueId>{result};
}

// k quarter turns from the first axis towards the second
Converted convert_rot90(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t turns, call.integer(1, "k", 1));
  STITCH_ASSIGN(const auto dims, call.integers(2, "dims", std::vector<int64_t>{0, 1}));
  STITCH_TRY(call.require(dims.size() == 2, "a turn has two axes"));
  const size_t rank = call.shape(x).size();
  STITCH_ASSIGN(const int64_t from, call.axis(dims[0], rank));
  STITCH_ASSIGN(const int64_t towards, call.axis(dims[1], rank));
  const int64_t quarters = (turns % 4 + 4) % 4;
  if (quarters == 2) {
    STITCH_ASSIGN(x, flipped(call, x, {from, towards}));
  } else if (quarters != 0) {
    STITCH_ASSIGN(x, flipped(call, x, {quarters == 1 ? towards : from}));
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[static_cast<size_t>(from)], order[static_cast<size_t>(towards)]);
    return call.finish(Op::kPermute, {x}, {{"dims", order}});
  }
  return std::vector<ValueId>{x};
}

// Where torch.cross takes the components to lie when it is not told.
Result<int64_t> first_axis_of_three(Call& call, ValueId x) {
  const std::vector<int64_t>& shape = call.shape(x);
  const auto found = std::find(shape.begin(), shape.end(), int64_t{3});
  STITCH_TRY(call.require(found != shape.end(), "no axis has three elements"));
  return static_cast<int64_t>(found - shape.begin());
}

// a x b along an axis of three: each component is made of the two that follow it, in turn.
Converted convert_cross(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId b, call.tensor(1, "other"));
  int64_t dim = -1;
  if (call.node().base == "cross" && !call.has(2, "dim")) {
    STITCH_ASSIGN(dim, first_axis_of_three(call, a));
  } else {
    STITCH_ASSIGN(dim, call.integer(2, "dim", -1));
  }
  STITCH_TRY(call.require(call.shape(a).size() == call.shape(b).size(), "the vectors have different numbers of axes"));
  const auto products = [&](int64_t first, int64_t second) -> Result<ValueId> {
    STITCH_ASSIGN(const ValueId left, rolled(call, a, {first}, {dim}));
    STITCH_ASSIGN(const ValueId right, rolled(call, b, {second}, {dim}));
    return call.pointwise(Op::kMul, {left, right});
  };
  STITCH_ASSIGN(const ValueId forward, products(-1, -2));
  STITCH_ASSIGN(const ValueId backward, products(-2, -1));
  return call.finish(Op::kSub, {forward, backward});
}

}  // namespace stitch::frontend
