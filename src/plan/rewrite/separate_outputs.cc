// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "ir/build/builder.h"
#include "ir/graph/op.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<ir::Graph> separate_outputs(const ir::Graph& graph) {
  ir::Graph result = graph;
  ir::Builder builder(result);
  std::set<ir::ValueId> taken;
  for (const ir::GraphInput& input : graph.inputs) {
    taken.insert(input.value);
  }
  for (ir::GraphOutput& output : result.outputs) {
    if (taken.insert(output.value).second) {
      continue;
    }
    const ir::Value& value = graph.value(output.value);
    ir::Node copy{ir::Op::kReshape, {output.value}, {{"shape", value.type.shape}}, {}, {}};
    STITCH_ASSIGN(output.value, builder.add_one(copy, value.name + "_copy"));
    taken.insert(output.value);
  }
  return result;
}

}  // namespace stitch::plan
