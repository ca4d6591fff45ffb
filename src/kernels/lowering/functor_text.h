// SPDX-License-Identifier: Apache-2.0
// A functor's body before and after its index arithmetic is known. Statements refer to accesses by number while the
// body is drafted; the text is made once all of them are known, since they decide together which loops may be merged.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/lowering/digits.h"

namespace stitch::kernels {

struct Access {
  ir::ValueId value;                 // invalid for a bare position (arange, triangles)
  std::string pointer;               // member: "bias"
  std::string local;                 // what a load is called: "bias_value"
  AffineIndex index;                 // in elements
  std::string looked_up = {};        // an extra row index (embedding, gather), "" for none
  int64_t row_stride = 0;            // of `looked_up`
  int64_t rows = 0;                  // among which `looked_up` is held; 0: it is known to be within
  bool looked_up_is_offset = false;  // it counts elements already, not rows
  bool is_store = false;
  std::string text = {};  // what a store stores
};

struct Statement {
  std::string type;
  std::string name;
  std::string text;
};

// In drafts: "<#3>" is load 3's element, "<@4>" position 4, "<$text|lane text>" what the skeleton hands in.
struct FunctorDraft {
  std::vector<Access> accesses;
  std::vector<AffineIndex> positions;
  std::vector<std::string> position_names;
  std::vector<Statement> statements;
  std::vector<Member> members;  // beyond those that accesses need
};

// How the skeleton calls the functor.
struct FunctorShape {
  std::string comment = {};
  std::string extra_parameters = {};  // after the coordinates: "float value"
  std::string lane_parameters = {};   // the same for lanes: "const stitch::Lanes<float, kLanes>& values"
  bool takes_index = false;           // one Index<kRank> called `at` in place of coordinates (the map skeleton)
  bool may_take_lanes = false;
  std::string returns = {};           // the text a loader returns; "" for a storer
  std::string return_type = "float";  // of a loader; of each of its lanes
};

struct FunctorText {
  Functor functor;
  bool takes_lanes = false;
  // Pointers and strides of lane accesses, as arguments of lanes_aligned().
  std::vector<std::string> lane_checks;
  std::string lane_divider;   // member whose divisor must be a multiple of the lanes too, "" for none
  std::vector<Digit> digits;  // of the last coordinate
};

FunctorText write_functor(StepBuilder& step, const std::string& name, const Domain& domain,
                          const std::vector<Coordinate>& coordinates, FunctorDraft draft, const FunctorShape& shape);

}  // namespace stitch::kernels
