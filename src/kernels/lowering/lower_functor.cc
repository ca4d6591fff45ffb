// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/lower_functor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error/check.h"

namespace stitch::kernels {
namespace {

class Lowering {
 public:
  Lowering(StepBuilder& step, const FunctorDraft& draft, const FunctorShape& shape) : step_(step), draft_(draft) {
    tree_.name = draft.name;
    tree_.shape = shape;
    tree_.statements = draft.statements;
  }

  LoweredFunctor run(const Domain& domain, const std::vector<Coordinate>& coordinates) {
    add_places(domain, coordinates);
    for (const DraftAccess& access : draft_.accesses) {
      add_access(access);
    }
    for (const DraftPosition& position : draft_.positions) {
      IndexSum index = sum_of(position.index, position.name);
      if (position.index.offset != 0) {
        index.has_offset = true;
        add_extent_member(position.name + "_offset", position.index.offset);
      }
      tree_.positions.push_back({position.name, std::move(index)});
    }
    tree_.takes_lanes = lanes_possible();
    add_dividers();
    for (const Member& member : draft_.members) {
      add_member(member);
    }
    LoweredFunctor result;
    if (tree_.takes_lanes) {
      result.lane_divider = lane_divider();
      result.lane_checks = lane_checks();
    }
    result.tree = std::move(tree_);
    result.digits = digits_.empty() ? std::vector<Digit>() : digits_.back();
    return result;
  }

 private:
  void add_places(const Domain& domain, const std::vector<Coordinate>& coordinates) {
    std::vector<AffineIndex> uses;
    for (const DraftPosition& position : draft_.positions) {
      uses.push_back(position.index);
    }
    for (const DraftAccess& access : draft_.accesses) {
      uses.push_back(access.index);
      if (!access.apart.terms.empty()) {
        uses.push_back(access.apart);
      }
    }
    for (const Coordinate& coordinate : coordinates) {
      Place place{coordinate.name, {}};
      digits_.push_back(digits_of(domain, coordinate, uses));
      for (const Digit& digit : digits_.back()) {
        place.used_digits.push_back(std::any_of(uses.begin(), uses.end(), [&](const AffineIndex& use) {
          return coefficient(use, digit.innermost_loop) != 0;
        }));
      }
      tree_.places.push_back(std::move(place));
    }
  }

  void add_member(const Member& member) {
    const auto known = std::find_if(tree_.members.begin(), tree_.members.end(),
                                    [&](const Member& other) { return other.name == member.name; });
    if (known == tree_.members.end()) {
      tree_.members.push_back(member);
      return;
    }
    STITCH_CHECK(known->initial == member.initial) << "two numbers would be called " << member.name;
  }

  void add_extent_member(const std::string& name, int64_t value) {
    add_member({"int64_t", name, step_.extent(name, value)});
  }

  void add_access(const DraftAccess& access) {
    const DataType dtype = step_.group().graph->type(access.value).dtype;
    if (dtype == DataType::kFloat16 || dtype == DataType::kBfloat16) {
      step_.include("kernels/common/half.cuh");
    }
    add_pointer(access, dtype);
    if (access.rows > 0) {
      add_extent_member(access.name + "_rows", access.rows);
    }
    const bool has_row_stride = !access.row.is_nothing() && !access.row_counts_elements;
    if (has_row_stride) {
      // Not "row": coordinates are called so, and have strides of their own.
      add_extent_member(access.name + "_entry_stride", access.row_stride);
    }
    tree_.accesses.push_back({.dtype = dtype,
                              .name = access.name,
                              .index = sum_of(access.index, access.name),
                              .row = access.row,
                              .row_counts_elements = access.row_counts_elements,
                              .holds_row = access.rows > 0,
                              .is_store = access.is_store,
                              .value = access.stored});
  }

  // Into the tensor, as many elements from its start as the access begins at.
  void add_pointer(const DraftAccess& access, DataType dtype) {
    const std::string type = fmt::format("{}{}*", access.is_store ? "" : "const ", cuda_type_name(dtype));
    Expr initial = cast(type, step_.elements(access.value));
    if (access.index.offset != 0) {
      initial = sum(std::move(initial), step_.extent(access.name + "_offset", access.index.offset));
    }
    add_member({type, access.name, std::move(initial)});
  }

  // The index without its offset; strides become members called after `prefix`.
  IndexSum sum_of(const AffineIndex& index, const std::string& prefix) {
    IndexSum sum;
    for (size_t place = 0; place < digits_.size(); ++place) {
      for (size_t digit = 0; digit < digits_[place].size(); ++digit) {
        const int64_t stride = coefficient(index, digits_[place][digit].innermost_loop);
        if (stride == 0) {
          continue;
        }
        const IndexTerm term{place, digit, stride == 1};
        sum.terms.push_back(term);
        if (stride != 1) {
          add_stride(stride_name(tree_, prefix, term), stride);
        }
        if (is_lane(place, digit)) {
          sum.lane_stride = stride == 1 ? LaneStride::kOne : LaneStride::kOther;
        }
      }
    }
    return sum;
  }

  void add_stride(const std::string& name, int64_t stride) {
    const auto [known, is_new] = strides_.emplace(name, stride);
    STITCH_CHECK(known->second == stride) << "two strides would be called " << name;
    if (is_new) {
      add_extent_member(name, stride);
    }
  }

  bool is_lane(size_t place, size_t digit) const {
    return place + 1 == digits_.size() && digit + 1 == digits_[place].size();
  }

  // Lanes are worth having, and possible, when every access walks them with stride one or not at all.
  bool lanes_possible() const {
    bool any = false;
    for (const Access& access : tree_.accesses) {
      const LaneStride stride = access.index.lane_stride;
      if (stride == LaneStride::kOther || (access.is_store && stride == LaneStride::kNone)) {
        return false;
      }
      const bool has_one_row = access.row.is_nothing() || is_same_for_all_lanes(access.row);
      if (!has_one_row) {
        return false;
      }
      any = any || stride == LaneStride::kOne;
    }
    return tree_.shape.may_take_lanes && any;
  }

  bool is_same_for_all_lanes(const Expr& row) const {
    return row.kind == Expr::Kind::kLoad && tree_.accesses[row.number].index.lane_stride == LaneStride::kNone;
  }

  void add_dividers() {
    for (size_t i = 0; i < tree_.places.size(); ++i) {
      const Place& place = tree_.places[i];
      if (tree_.shape.takes_index || place.digits() < 2 || !place.is_used()) {
        continue;
      }
      for (size_t digit = place.digits() - 1; digit >= std::max<size_t>(place.first_used(), 1); --digit) {
        const std::string name = divider_name(place, digit);
        add_member({"stitch::Divider", name, call("stitch::Divider", {step_.extent(name, digits_[i][digit].extent)})});
      }
    }
  }

  std::string lane_divider() const {
    const Place& place = tree_.places.back();
    return tree_.shape.takes_index || place.digits() < 2 ? "" : divider_name(place, place.digits() - 1);
  }

  std::vector<LaneCheck> lane_checks() const {
    std::vector<LaneCheck> checks;
    for (const Access& access : tree_.accesses) {
      if (access.index.lane_stride != LaneStride::kOne) {
        continue;
      }
      LaneCheck check{access.name, {}};
      for (const IndexTerm& term : access.index.terms) {
        if (!is_lane(term.place, term.digit)) {
          check.strides.push_back(term.has_unit_stride ? "" : stride_name(tree_, access.name, term));
        }
      }
      if (!access.row.is_nothing()) {
        check.strides.push_back(access.name + "_entry_stride");
      }
      checks.push_back(std::move(check));
    }
    return checks;
  }

  StepBuilder& step_;
  const FunctorDraft& draft_;
  FunctorTree tree_;
  std::vector<std::vector<Digit>> digits_;  // by place
  std::map<std::string, int64_t> strides_;  // of those members that are strides
};

}  // namespace

LoweredFunctor lower_functor(StepBuilder& step, const Domain& domain, const std::vector<Coordinate>& coordinates,
                             const FunctorDraft& draft, const FunctorShape& shape) {
  return Lowering(step, draft, shape).run(domain, coordinates);
}

}  // namespace stitch::kernels
