// SPDX-License-Identifier: Apache-2.0
// One program at every batch: two graphs of it that differ in integers only, and each of those as a line through both.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

class GraphFamily {
 public:
  // `a` and `b` are the same program at two different batches. Fails with a sentence where they differ in more than
  // extents and integer attributes (a number that the batch went into would be compiled in), or where an integer
  // lies on no line of whole slope.
  static Result<GraphFamily> between(ir::Graph a, int64_t batch_of_a, ir::Graph b, int64_t batch_of_b);

  int64_t first_batch() const { return batch_of_a_; }
  int64_t second_batch() const { return batch_of_b_; }
  const ir::Graph& first() const { return a_; }
  const ir::Graph& second() const { return b_; }

  // The graph at `batch`, its types checked by every operator's own rule.
  Result<ir::Graph> at(int64_t batch) const;
  // Whether an extent of `value` follows the batch.
  bool follows(ir::ValueId value) const;
  // What `of_a` and `of_b`, the same number at the two batches, grow by from one batch to the next.
  int64_t slope(int64_t of_a, int64_t of_b) const { return (of_b - of_a) / (batch_of_b_ - batch_of_a_); }

 private:
  GraphFamily(ir::Graph a, int64_t batch_of_a, ir::Graph b, int64_t batch_of_b)
      : a_(std::move(a)), b_(std::move(b)), batch_of_a_(batch_of_a), batch_of_b_(batch_of_b) {}

  int64_t number_at(int64_t of_a, int64_t of_b, int64_t batch) const {
    return of_a + slope(of_a, of_b) * (batch - batch_of_a_);
  }

  ir::Graph a_;
  ir::Graph b_;
  int64_t batch_of_a_;
  int64_t batch_of_b_;
};

// Why two graphs that should be the same program are not; empty when they are, all numbers included.
std::string difference(const ir::Graph& a, const ir::Graph& b);

}  // namespace stitch::plan
