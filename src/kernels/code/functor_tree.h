// SPDX-License-Identifier: Apache-2.0
// A functor, decided but not printed. It holds no extents and no strides, only whether there is one: two functors are
// equal when their texts are, whatever the sizes. The numbers are in the step's extents.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/expr.h"

namespace stitch::kernels {

struct Member {
  std::string type;  // "const float*", "int64_t"
  std::string name;  // "expand_bias"
  Expr initial;      // what the host sets it to: a tensor or an extent of the step
  bool operator==(const Member&) const = default;
};

// A parameter that says where the skeleton stands. One that several loops share is split into digits, outermost first.
struct Place {
  std::string name;             // "row"
  std::vector<bool> used_digits;  // by some access or position

  size_t digits() const { return used_digits.size(); }
  // The outermost digit that anything depends on, or the number of digits.
  size_t first_used() const;
  bool is_used() const { return first_used() < digits(); }
  bool operator==(const Place&) const = default;
};

// A digit times its stride.
struct IndexTerm {
  size_t place = 0;
  size_t digit = 0;
  bool has_unit_stride = false;  // else the stride is a member
  bool operator==(const IndexTerm&) const = default;
};

enum class LaneStride { kNone, kOne, kOther };  // between neighbouring lanes

struct IndexSum {
  std::vector<IndexTerm> terms;
  LaneStride lane_stride = LaneStride::kNone;
  bool has_offset = false;  // of a position: a member. An access has its offset in the pointer.
  bool operator==(const IndexSum&) const = default;
};

// A load, or a store of `value`.
struct Access {
  DataType dtype = DataType::kFloat32;
  std::string name;         // of the pointer; a load's element is called NAME_value
  IndexSum index;
  Expr row;                 // a further row index that is computed (embedding, gather); nothing for none
  bool row_counts_elements = false;  // `row` needs no stride
  bool holds_row = false;   // `row` is held within the rows there are
  bool is_store = false;
  Expr value;
  bool operator==(const Access&) const = default;
};

struct Position {
  std::string name;
  IndexSum index;
  bool operator==(const Position&) const = default;
};

struct Statement {  // const type name = value;
  std::string type;
  std::string name;
  Expr value;
  bool operator==(const Statement&) const = default;
};

// How the skeleton calls the functor.
struct FunctorShape {
  std::string comment = {};
  std::string extra_parameters = {};  // after the coordinates: "float value"
  std::string lane_total = {};        // then one of this type called total, or kLanes of them called totals
  std::string lane_value = {};        // a float after them, or kLanes of them, then called with an s: "value"
  bool takes_index = false;           // one Index<kRank> called `at` in place of coordinates (the map skeleton)
  bool may_take_lanes = false;
  Expr returns = {};                  // of a loader; nothing for a storer
  std::string return_type = "float";  // of a loader; of each of its lanes
  bool operator==(const FunctorShape&) const = default;
};

struct FunctorTree {
  std::string name;  // "HiddenEpilogue"
  FunctorShape shape;
  std::vector<Place> places;
  std::vector<Access> accesses;
  std::vector<Position> positions;
  std::vector<Statement> statements;
  std::vector<Member> members;  // in the order of aggregate initialisation
  bool takes_lanes = false;     // along the last place
  bool operator==(const FunctorTree&) const = default;
};

// What the parts of an index are called.
std::string digit_label(const FunctorTree& functor, const IndexTerm& term);   // "row" or "row_1"
std::string stride_name(const FunctorTree& functor, const std::string& prefix, const IndexTerm& term);
std::string divider_name(const Place& place, size_t digit);

}  // namespace stitch::kernels
