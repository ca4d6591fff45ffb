// SPDX-License-Identifier: Apache-2.0
// Which factors may leave a sum: those that are never infinite, for every input that the program takes. Sums of what
// an infinite factor makes of numbers of either sign are no numbers; their sum times it would be infinite.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

class Factors {
 public:
  explicit Factors(const ir::Graph& graph);

  const ir::Graph& graph() const { return graph_; }
  // Whether `value` follows from parameters alone, which are taken to be finite.
  bool is_prepared(ir::ValueId value) const { return at(value).is_prepared; }
  // Whether `node`, a product, quotient, sum or difference, may be done to the sum of its operand `side` rather than to
  // each element, the other operand being the same for all of them.
  bool may_leave_sum(const ir::Node& node, size_t side) const;

 private:
  // What is known of a value.
  struct Known {
    bool is_prepared = false;   // follows from parameters alone, which are taken to be finite
    bool is_bounded = false;    // finite, or not a number
    bool is_positive = false;   // above a fixed number, or not a number
    bool is_sign_free = false;  // zero or above, or not a number
    bool is_computed = false;   // rounded when it was made, as an input is not
  };

  Known known_of(const ir::Node& node) const;
  const Known& at(ir::ValueId value) const { return known_[static_cast<size_t>(value.index)]; }
  bool is_factor(const ir::Operand& operand) const;
  bool is_divisor(const ir::Operand& operand) const;

  const ir::Graph& graph_;
  std::vector<Known> known_;  // by value
};

}  // namespace stitch::plan
