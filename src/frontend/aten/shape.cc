// SPDX-License-Identifier: Apache-2.0
// Other shapes of the same elements: every way to say so becomes reshape, permute or expand.
#include <algorithm>
#include <numeric>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// One extent of -1 is what the others leave.
Result<std::vector<int64_t>> resolved_shape(Call& call, ValueId x, std::vector<int64_t> shape) {
  int64_t known = 1;
  int64_t* unknown = nullptr;
  for (int64_t& extent : shape) {
    if (extent == -1) {
      unknown = &extent;
    } else {
      known *= extent;
    }
  }
  if (unknown != nullptr) {
    if (known == 0) {
      return call.unsupported("an extent of -1 beside one of 0 is ambiguous");
    }
    *unknown = call.type(x).element_count() / known;
  }
  return shape;
}

Converted permuted(Call& call, ValueId x, std::vector<int64_t> order) {
  if (std::is_sorted(order.begin(), order.end())) {
    return std::vector<ValueId>{x};
  }
  return call.finish(Op::kPermute, {x}, {{"dims", std::move(order)}});
}

std::vector<int64_t> axes_in_order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

}  // namespace

Converted convert_view(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (call.node().overload == "dtype") {
    return call.unsupported("a view of the same bytes as another element type is not supported");
  }
  STITCH_ASSIGN(const auto given, call.integers(1, "size"));
  STITCH_ASSIGN(const auto shape, resolved_shape(call, x, given));
  STITCH_ASSIGN(const ValueId view, call.reshape(x, shape));
  return std::vector<ValueId>{view};
}

// Operators whose resulting shape follows from PyTorch's metadata; reshape's own rule checks the element count.
Converted convert_same_elements(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  STITCH_ASSIGN(const ValueId view, call.reshape(x, call.node().outputs[0].type->shape));
  return std::vector<ValueId>{view};
}

Converted convert_permute(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(std::vector<int64_t> order, call.integers(1, "dims"));
  for (int64_t& dim : order) {
    STITCH_ASSIGN(dim, call.axis(dim, call.shape(x).size()));
  }
  return permuted(call, x, std::move(order));
}

Converted convert_transpose(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const size_t rank = call.shape(x).size();
  STITCH_ASSIGN(const int64_t dim0, call.integer(1, "dim0"));
  STITCH_ASSIGN(const int64_t dim1, call.integer(2, "dim1"));
  STITCH_ASSIGN(const int64_t axis0, call.axis(dim0, rank));
  STITCH_ASSIGN(const int64_t axis1, call.axis(dim1, rank));
  std::vector<int64_t> order = axes_in_order(rank);
  std::swap(order[static_cast<size_t>(axis0)], order[static_cast<size_t>(axis1)]);
  return permuted(call, x, std::move(order));
}

// The last two axes exchanged; fewer than two stay.
Converted convert_matrix_transpose(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  std::vector<int64_t> order = axes_in_order(call.shape(x).size());
  if (order.size() >= 2) {
    std::swap(order[order.size() - 2], order[order.size() - 1]);
  }
  return permuted(call, x, std::move(order));
}

Converted convert_reversed_axes(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  std::vector<int64_t> order = axes_in_order(call.shape(x).size());
  std::reverse(order.begin(), order.end());
  return permuted(call, x, std::move(order));
}

Converted convert_movedim(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto sources, call.integers(1, "source"));
  STITCH_ASSIGN(const auto destinations, call.integers(2, "destination"));
  const size_t rank = call.shape(x).size();
  std::vector<int64_t> order(rank, -1);
  std::vector<int64_t> rest = axes_in_order(rank);
  for (size_t i = 0; i < sources.size() && i < destinations.size(); ++i) {
    STITCH_ASSIGN(const int64_t from, call.axis(sources[i], rank));
    STITCH_ASSIGN(const int64_t to, call.axis(destinations[i], rank));
    const auto found = std::find(rest.begin(), rest.end(), from);
    STITCH_TRY(call.require(found != rest.end() && order[static_cast<size_t>(to)] < 0, "an axis is moved twice"));
    order[static_cast<size_t>(to)] = from;
    rest.erase(found);
  }
  auto next = rest.begin();
  for (int64_t& axis : order) {
    axis = axis >= 0 ? axis : *next++;
  }
  return permuted(call, x, std::move(order));
}

// An extent of -1 keeps the operand's.
Converted convert_expand(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(std::vector<int64_t> shape, call.integers(1, "size"));
  const std::vector<int64_t> own = call.shape(x);
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t missing = shape.size() - own.size();
    if (shape[i] == -1 && i >= missing) {
      shape[i] = own[i - missing];
    }
  }
  STITCH_ASSIGN(const ValueId expanded, call.expand(x, shape));
  return std::vector<ValueId>{expanded};
}

// Each tensor of the list in the shape that PyTorch found for all.
Converted convert_broadcast_tensors(Call& call) {
  STITCH_ASSIGN(std::vector<ValueId> tensors, call.tensors(0, "tensors"));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i >= call.node().outputs.size() || !call.node().outputs[i].type.has_value()) {
      return call.unsupported("its result has no shape");
    }
    STITCH_ASSIGN(tensors[i], call.expand(tensors[i], call.node().outputs[i].type->shape));
  }
  return tensors;
}

Converted convert_expand_as(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId other, call.tensor(1, "other"));
  STITCH_ASSIGN(const ValueId expanded, call.expand(x, call.shape(other)));
  return std::vector<ValueId>{expanded};
}

// Each axis [n] becomes [1, n], then [times, n], then [times * n].
Converted convert_repeat(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(std::vector<int64_t> times, call.integers(1, "repeats"));
  while (times.size() < call.shape(x).size()) {  // tile leaves leading axes out
    times.insert(times.begin(), 1);
  }
  const size_t missing = times.size() - call.shape(x).size();
  std::vector<int64_t> split, expanded, merged;
  for (size_t i = 0; i < times.size(); ++i) {
    const int64_t extent = i < missing ? 1 : call.shape(x)[i - missing];
    split.insert(split.end(), {1, extent});
    expanded.insert(expanded.end(), {times[i], extent});
    merged.push_back(times[i] * extent);
  }
  STITCH_ASSIGN(const ValueId split_x, call.reshape(x, split));
  STITCH_ASSIGN(const ValueId copies, call.expand(split_x, expanded));
  STITCH_ASSIGN(const ValueId result, call.reshape(copies, merged));
  return std::vector<ValueId>{result};
}

// repeat_interleave.self_int(x, repeats, dim): each element several times, side by side; without dim, of the line of
// all
Converted convert_repeat_interleave(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  const Argument* times = call.argument(1, "repeats");
  if (call.node().overload != "self_int" || times == nullptr || !std::holds_alternative<int64_t>(times->value)) {
    return call.unsupported("repeat_interleave is supported with one number for all elements");
  }
  const int64_t repeats = std::get<int64_t>(times->value);
  int64_t axis = 0;
  if (call.has(2, "dim")) {
    STITCH_ASSIGN(const int64_t dim, call.integer(2, "dim"));
    STITCH_ASSIGN(axis, call.axis(dim, call.shape(x).size()));
  } else {
    STITCH_ASSIGN(x, call.reshape(x, {call.type(x).element_count()}));
  }
  if (call.shape(x).empty()) {  // a single number becomes a line
    STITCH_ASSIGN(x, call.reshape(x, {1}));
  }
  std::vector<int64_t> merged = call.shape(x);
  std::vector<int64_t> split = merged;
  split.insert(split.begin() + axis + 1, 1);
  merged[static_cast<size_t>(axis)] *= repeats;
  STITCH_ASSIGN(const ValueId apart, call.reshape(x, split));
  split[static_cast<size_t>(axis) + 1] = repeats;
  STITCH_ASSIGN(const ValueId copies, call.expand(apart, split));
  STITCH_ASSIGN(const ValueId result, call.reshape(copies, merged));
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
