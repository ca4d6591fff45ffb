// SPDX-License-Identifier: Apache-2.0
// Attention as programs write it out: a product of queries and keys, what is done to its scores, their softmax, and the
// product of that with values.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/algebra/factors.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {

// Scores that a number is put in place of: where `mask` is set, or where it is not.
struct Filling {
  ir::ValueId mask;
  bool is_where_set = true;
};

// What is added to scores.
struct Addition {
  ir::ValueId bias;
  double scale = 1.0;
};

// softmax(where(fillings, fill, scale * query keys + additions)) value.
struct WrittenOut {
  ir::ValueId query;
  ir::ValueId keys;  // its last two axes as the product takes them
  ir::ValueId value;
  double scale = 1.0;
  std::vector<Addition> additions;
  std::vector<Filling> fillings;
  double fill = -std::numeric_limits<double>::infinity();
  std::optional<std::vector<int64_t>> heads;  // the axes before rows and columns that biases and masks are laid over
};

class AttentionFinder {
 public:
  explicit AttentionFinder(const ir::Graph& graph);

  // The attention whose last product `mixture` is; none where something else reads what is between its products.
  std::optional<WrittenOut> find(const ir::Node& mixture) const;

 private:
  using Found = std::optional<WrittenOut>;

  const std::vector<int64_t>& shape(ir::ValueId value) const { return graph_.type(value).shape; }
  const ir::Node* only_used_producer(const ir::Operand& operand) const;
  const ir::Node* behind_heads(const ir::Node* node) const;
  bool keeps_order(const ir::Node& node) const;
  Found follow(const ir::Operand& scores, WrittenOut found) const;
  Found follow_factor(const ir::Node& node, WrittenOut found) const;
  Found follow_sum(const ir::Node& node, WrittenOut found) const;
  Found follow_fill(const ir::Node& node, WrittenOut found) const;
  bool takes_fill(const WrittenOut& found, double fill, DataType dtype) const;
  std::optional<double> number_of(const ir::Operand& operand) const;
  bool takes_heads(const ir::Node& node, WrittenOut& found) const;

  const ir::Graph& graph_;
  Factors factors_;
  UseCounts uses_;
};

}  // namespace stitch::plan
