// SPDX-License-Identifier: Apache-2.0
// Buffers that are parts of others: where in which memory they begin.
#pragma once

#include <map>

#include "plan/plan.h"

namespace stitch::plan {

class Wholes {
 public:
  explicit Wholes(const Plan& plan);

  // The buffer whose memory `buffer` lies in: itself for most.
  int holder_of(int buffer) const;
  // Bytes into that memory where `graph`, the plan's at some batch, says the sizes.
  int64_t start_of(int buffer, const ir::Graph& graph) const;

 private:
  const Plan& plan_;
  std::map<ir::ValueId, int> buffers_;
};

}  // namespace stitch::plan
