// SPDX-License-Identifier: Apache-2.0
// The groups that partition() is building.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "kernels/template/kernel_template.h"
#include "plan/partition/draft_order.h"
#include "plan/partition/users.h"
#include "plan/plan.h"

namespace stitch::plan {

struct Draft {
  ir::NodeId root;
  std::set<ir::NodeId> nodes;  // without the views looked through
  const kernels::KernelTemplate* kernel = nullptr;
  Phase phase = Phase::kRun;
};

class Drafts {
 public:
  explicit Drafts(const ir::Graph& graph);

  const ir::Graph& graph() const { return graph_; }
  const Users& users() const { return users_; }
  const std::map<int, Draft>& all() const { return drafts_; }
  const Draft& at(int number) const { return drafts_.at(number); }

  // Parameters and constants alone lead to this node, and it is no output of the program.
  Phase phase_of(ir::NodeId node) const { return phases_[static_cast<size_t>(node.index)]; }
  // The number of the draft that computes `node`, -1 for none.
  int owner(ir::NodeId node) const;
  // The draft that stores the memory behind `value`, -1 when that is an input of the program or generated.
  int source(ir::ValueId value) const;

  int add(Draft draft);
  void replace(int number, Draft draft);
  // `absorbed` becomes part of `number`.
  void merge(int number, int absorbed, Draft merged);

  // The draft as a group, with the results that the rest of the graph asks of it.
  kernels::Group group(const Draft& draft) const;
  // Drafts whose results draft `number` reads, and those that read its own.
  const std::set<int>& dependencies(int number) const { return links_.reads(number); }
  const std::set<int>& readers(int number) const { return links_.readers(number); }
  // Whether `later` needs, directly or not, a result of `earlier`.
  bool depends_on(int later, int earlier) const { return links_.depends_on(later, earlier); }
  // All drafts in an order in which they can run.
  std::vector<int> order() const;

 private:
  // Notes anew what draft `number` reads.
  void link(int number);
  bool is_placed(ir::NodeId node) const { return owner(node) >= 0; }
  // `node` belongs to `number` from now on; true where it was looked through before.
  bool own(ir::NodeId node, int number);
  // Links those again that looked through `node`, which is stored now.
  void link_readers(ir::NodeId node);

  const ir::Graph& graph_;
  Users users_;
  std::vector<Phase> phases_;
  std::map<int, Draft> drafts_;
  std::vector<int> owners_;  // by node, -1 for none
  DraftOrder links_;
  std::set<ir::ValueId> stored_;
  int next_number_ = 0;
};

}  // namespace stitch::plan
