// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/epilogues.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops.h"

namespace stitch::plan {
namespace {

bool is_reduction(const ir::Graph& graph, const Draft& draft) {
  const ir::OpDef* def = ir::find_op(graph.node(draft.root).op);
  return def != nullptr && def->family == ir::OpFamily::kReduction;
}

// Whether `reader` waits for nothing that waits for `number`.
bool can_follow_at_once(const Drafts& drafts, int reader, int number) {
  const std::set<int>& needed = drafts.dependencies(reader);
  return std::none_of(needed.begin(), needed.end(),
                      [&](int other) { return other != number && drafts.depends_on(other, number); });
}

bool try_absorb(Drafts& drafts, int number, int reader, size_t max_nodes) {
  const Draft& epilogue = drafts.at(reader);
  Draft wider = drafts.at(number);
  wider.nodes.insert(epilogue.nodes.begin(), epilogue.nodes.end());
  if (!epilogue.kernel->is_pointwise() || epilogue.phase != wider.phase || wider.nodes.size() > max_nodes ||
      !can_follow_at_once(drafts, reader, number) || !wider.kernel->fits(drafts.group(wider)).ok) {
    return false;
  }
  drafts.merge(number, reader, wider);
  return true;
}

}  // namespace

void absorb_epilogues(Drafts& drafts, const std::set<ir::NodeId>& alone, size_t max_nodes) {
  std::vector<int> numbers;
  for (const auto& [number, draft] : drafts.all()) {
    if (is_reduction(drafts.graph(), draft) && alone.count(draft.root) == 0) {
      numbers.push_back(number);
    }
  }
  for (const int number : numbers) {
    const std::set<int> readers = drafts.readers(number);
    for (const int reader : readers) {
      if (alone.count(drafts.at(reader).root) == 0) {
        try_absorb(drafts, number, reader, max_nodes);
      }
    }
  }
}

}  // namespace stitch::plan
