// SPDX-License-Identifier: Apache-2.0
// What a program's steps are called with at each of the sizes that it is judged at.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/improve/text_place.h"
#include "driver/joined/size_formula.h"

namespace stitch::driver {

class KnownSizes {
 public:
  explicit KnownSizes(const TextProgram& program);

  // The axes of the contract's operands and results; nothing where some size lacks one of them.
  std::optional<std::vector<KnownAxis>> axes_of(const StepContract& contract) const;
  // Extent `extent` of step `step`; nothing where the program has another step there at some size.
  std::optional<std::vector<int64_t>> extent_of(size_t step, size_t extent) const;
  // How many elements a value has.
  std::optional<std::vector<int64_t>> elements_of(const std::string& value) const;

 private:
  struct Point {
    const plan::Plan* plan;
    const ir::Graph* graph;    // of that plan, or of its other batch
    int64_t batches_more = 0;  // than the plan has
    std::map<std::string, const TensorType*> types{};
  };
  void add(const plan::Plan& plan, const ir::Graph& graph, int64_t batches_more);

  std::vector<Point> points_;  // the program's own sizes first
};

}  // namespace stitch::driver
