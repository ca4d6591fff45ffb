// SPDX-License-Identifier: Apache-2.0
// A program at several batches: what an importer leaves for a planner (graph.ir), so that the batch can become an
// argument of the plan.
#pragma once

#include <string>
#include <vector>

#include "plan/batch/run_time_batch.h"

namespace stitch::plan {

struct ProgramBatches {
  ir::Graph graph;  // at the declared sizes
  // With no variants, why the batch is fixed; both empty where nobody asked.
  BatchRange range;
  std::vector<BatchVariant> variants;
  std::string fixed_because;
};

// The graph's text, and under it lines that begin with "---", each with what follows:
//   --- batch declared=1 planned=3 least=1 greatest=2147483648
//   --- at batch 4
//   graph ...
// or "--- batch fixed: SENTENCE"; nothing where nobody asked.
std::string print(const ProgramBatches& program);
Result<ProgramBatches> parse_batches(const std::string& text, const std::string& file_name);

}  // namespace stitch::plan
