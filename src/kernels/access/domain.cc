// SPDX-License-Identifier: Apache-2.0
#include "kernels/access/domain.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::kernels {
namespace {

void add_term(AffineIndex& index, int loop, int64_t coefficient) {
  for (Term& term : index.terms) {
    if (term.loop == loop) {
      term.coefficient += coefficient;
      return;
    }
  }
  index.terms.push_back({loop, coefficient});
}

void sort_outermost_first(AffineIndex& index) {
  std::stable_sort(index.terms.begin(), index.terms.end(),
                   [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
}

}  // namespace

Domain::Domain(const std::vector<int64_t>& shape) : shape_(shape) {
  for (const int64_t extent : shape) {
    loops_.push_back({extent});
  }
}

void Domain::append_leaves(int loop, std::vector<int>& leaves) const {
  const Loop& it = loops_[static_cast<size_t>(loop)];
  if (it.outer < 0) {
    leaves.push_back(loop);
    return;
  }
  append_leaves(it.outer, leaves);
  append_leaves(it.inner, leaves);
}

std::vector<int> Domain::axis_loops(int axis) const {
  std::vector<int> leaves;
  append_leaves(axis, leaves);  // loop number i first walked axis i
  return leaves;
}

void Domain::split(int loop, int64_t inner_extent) {
  const auto position = static_cast<size_t>(loop);
  const int64_t extent = loops_[position].extent;
  loops_[position].outer = static_cast<int>(loops_.size());
  loops_[position].inner = loops_[position].outer + 1;
  loops_.push_back({extent / inner_extent});
  loops_.push_back({inner_extent});
}

AffineIndex Domain::current(const AffineIndex& index) const {
  AffineIndex result{index.offset, {}};
  for (const Term& term : index.terms) {
    std::vector<int> leaves;
    append_leaves(term.loop, leaves);
    int64_t coefficient = term.coefficient;
    for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf) {
      add_term(result, *leaf, coefficient);
      coefficient *= extent(*leaf);
    }
  }
  sort_outermost_first(result);
  return result;
}

IndexMap Domain::current(const IndexMap& map) const {
  IndexMap result;
  for (const AffineIndex& index : map) {
    result.push_back(current(index));
  }
  return result;
}

IndexMap Domain::anchor_map() const {
  IndexMap map;
  for (int axis = 0; axis < static_cast<int>(shape_.size()); ++axis) {
    map.push_back(current(AffineIndex{0, {{axis, 1}}}));
  }
  return map;
}

bool Domain::same_place(const IndexMap& a, const IndexMap& b) const {
  const auto without_single_elements = [this](const IndexMap& map) {
    IndexMap result = current(map);
    for (AffineIndex& index : result) {
      index.terms.erase(std::remove_if(index.terms.begin(), index.terms.end(),
                                       [this](const Term& term) { return extent(term.loop) == 1; }),
                        index.terms.end());
    }
    return result;
  };
  return without_single_elements(a) == without_single_elements(b);
}

IndexMap broadcast(const IndexMap& map, const std::vector<int64_t>& shape, const std::vector<int64_t>& operand_shape) {
  STITCH_CHECK(operand_shape.size() <= map.size()) << "an operand has more axes than the value it is broadcast to";
  IndexMap result;
  const size_t skipped = map.size() - operand_shape.size();
  for (size_t axis = 0; axis < operand_shape.size(); ++axis) {
    const bool is_repeated = operand_shape[axis] == 1 && shape[skipped + axis] != 1;
    result.push_back(is_repeated ? AffineIndex{} : map[skipped + axis]);
  }
  return result;
}

AffineIndex linear_index(const IndexMap& map, const std::vector<int64_t>& shape) {
  const std::vector<int64_t> strides = contiguous_strides(shape);
  AffineIndex linear;
  for (size_t axis = 0; axis < map.size(); ++axis) {
    linear.offset += map[axis].offset * strides[axis];
    for (const Term& term : map[axis].terms) {
      add_term(linear, term.loop, term.coefficient * strides[axis]);
    }
  }
  sort_outermost_first(linear);
  return linear;
}

Domain::Placement Domain::place(const AffineIndex& linear, const std::vector<int64_t>& to, IndexMap& result) {
  const std::vector<int64_t> strides = contiguous_strides(to);
  result.assign(to.size(), AffineIndex{});
  std::vector<int64_t> last(to.size(), 0);  // the largest index reached along each axis
  int64_t rest = linear.offset;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    result[axis].offset = last[axis] = rest / strides[axis];
    rest %= strides[axis];
  }
  for (const Term& term : linear.terms) {
    size_t axis = 0;
    while (axis < to.size() && (term.coefficient < strides[axis] || (to[axis] == 1 && extent(term.loop) != 1))) {
      ++axis;
    }
    if (extent(term.loop) == 1) {  // visits one element wherever it is placed
      if (axis < to.size() && term.coefficient % strides[axis] == 0) {
        result[axis].terms.push_back({term.loop, term.coefficient / strides[axis]});
      }
      continue;
    }
    if (axis == to.size() || term.coefficient % strides[axis] != 0) {
      return Placement::kImpossible;
    }
    const int64_t step = term.coefficient / strides[axis];
    const int64_t room = to[axis] / step;  // steps until the next axis is reached
    if (extent(term.loop) > room) {
      if (to[axis] % step != 0 || extent(term.loop) % room != 0) {
        return Placement::kImpossible;
      }
      split(term.loop, room);
      return Placement::kSplit;
    }
    result[axis].terms.push_back({term.loop, step});
    last[axis] += step * (extent(term.loop) - 1);
    if (last[axis] >= to[axis]) {
      return Placement::kImpossible;  // would carry into the next axis
    }
  }
  return Placement::kDone;
}

std::optional<IndexMap> Domain::reshape(const IndexMap& map, const std::vector<int64_t>& from,
                                        const std::vector<int64_t>& to) {
  while (true) {
    IndexMap result;
    switch (place(linear_index(current(map), from), to, result)) {
      case Placement::kDone:
        return result;
      case Placement::kSplit:
        continue;
      case Placement::kImpossible:
        return std::nullopt;
    }
  }
}

}  // namespace stitch::kernels
