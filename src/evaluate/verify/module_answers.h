// SPDX-License-Identifier: Apache-2.0
// Answers that the host of a ModelNew hands to its kernels and to PyTorch's copies (handed_answers.h). What a call may
// have taken from earlier ones is no answer of the host's: layers keep what they made of their parameters until these
// have another version, and make it anew in the call for which they were handed over.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/tensor/host_tensor.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Of the calls of one process.
class ModuleAnswers {
 public:
  // Of a call that was right: `got` are its results, `again` those of the same commands on altered contents, or empty.
  // A finding where 64 elements of an output are the same there, and other in a call whose integers are alike, and its
  // parameters as well unless the call `has_prepared`: altered contents leave integers as they are, and elements that
  // depend on these alone have no other answer. Calls wait until there is one of that kind.
  std::optional<Finding> add(const verify::OracleDraw& draw, bool has_prepared, const std::vector<HostTensor>& got,
                             const std::vector<HostTensor>& again);

 private:
  // What a call was made with, and PyTorch's results.
  struct Known {
    std::vector<HostTensor> parameters;
    std::vector<HostTensor> integers;  // of inputs and states
    std::vector<HostTensor> results;
  };
  struct Call {
    Known known;
    std::vector<std::string> names;
    bool has_prepared = false;
    std::vector<HostTensor> got;
    std::vector<HostTensor> again;
  };

  void know(const Known& known);
  std::vector<const Known*> others_of(const Call& call) const;

  std::deque<Known> known_;
  std::deque<Call> waiting_;
};

}  // namespace stitch::evaluate
