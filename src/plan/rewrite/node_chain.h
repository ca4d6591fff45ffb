// SPDX-License-Identifier: Apache-2.0
// Writing a few nodes one after another without checking each: the first refusal is kept, later calls do nothing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/rewrite/graph_copy.h"

namespace stitch::plan {

class NodeChain {
 public:
  // Results are called `prefix` + what add() is given; all nodes carry `location`.
  NodeChain(GraphCopy& copy, std::string prefix, std::string location)
      : copy_(copy), prefix_(std::move(prefix)), location_(std::move(location)) {}

  ir::ValueId add(ir::Op op, std::vector<ir::Operand> operands, const std::string& suffix,
                  std::vector<std::pair<std::string, ir::Attribute>> attributes = {}) {
    if (error_.has_value()) {
      return {};
    }
    auto added = copy_.add({op, std::move(operands), std::move(attributes), {}, location_}, prefix_ + suffix);
    if (!added.has_value()) {
      error_ = added.error();
      return {};
    }
    return *added;
  }
  Result<void> result() const { return error_.has_value() ? Result<void>(Unexpected{*error_}) : Result<void>(); }
  const ir::Graph& graph() const { return copy_.graph(); }

 private:
  GraphCopy& copy_;
  std::string prefix_;
  std::string location_;
  std::optional<Error> error_;
};

}  // namespace stitch::plan
