// SPDX-License-Identifier: Apache-2.0
// From a functor's draft, whose indices are affine in the loops of its domain, to its tree: loops are merged into
// digits, and pointers, strides and dividers become members with extents of the step behind them. It takes all of the
// draft at once, since all accesses together decide which loops may be merged.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/functor_tree.h"
#include "kernels/code/step_builder.h"
#include "kernels/lowering/digits.h"

namespace stitch::kernels {

struct DraftAccess {
  ir::ValueId value;
  std::string name;   // of its pointer
  AffineIndex index;  // in elements
  Expr row = {};      // an extra row index (embedding, gather), nothing for none
  int64_t row_stride = 0;
  int64_t rows = 0;                  // among which `row` is held; 0: it is known to be within
  bool row_counts_elements = false;  // not rows
  bool is_store = false;
  Expr stored = {};
  AffineIndex apart = {};  // loops that this walks apart stay apart
};

struct DraftPosition {
  std::string name;
  AffineIndex index;
};

struct FunctorDraft {
  std::string name;
  std::vector<DraftAccess> accesses = {};
  std::vector<DraftPosition> positions = {};
  std::vector<Statement> statements = {};
  std::vector<Member> members = {};  // beyond those that accesses need
};

// What must hold for an access to take lanes: its pointer is aligned, and so is every stride between groups of lanes.
struct LaneCheck {
  std::string pointer;
  std::vector<std::string> strides;  // members, "" for a stride of one
};

struct LoweredFunctor {
  FunctorTree tree;
  std::vector<LaneCheck> lane_checks;
  std::string lane_divider;   // member whose divisor must be a multiple of the lanes too, "" for none
  std::vector<Digit> digits;  // of the last coordinate
};

LoweredFunctor lower_functor(StepBuilder& step, const Domain& domain, const std::vector<Coordinate>& coordinates,
                             const FunctorDraft& draft, const FunctorShape& shape);

}  // namespace stitch::kernels
