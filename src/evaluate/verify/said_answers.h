// SPDX-License-Identifier: Apache-2.0
// Answers of the host in whole calls, whatever kernels run beside them: what it copied into results, or put together
// there of pieces that say as much by their addresses as by their bytes. Asked of each call by itself, so that there is
// no count, time or process to choose.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/tensor/host_tensor.h"
#include "evaluate/candidate.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Of the calls of one process.
class SaidAnswers {
 public:
  // A finding where the host said elements of this call's results that other contents have otherwise: what is the same
  // for all contents, as a table of positions, a program may well bring along. Whether they are is known from the draws
  // that came so far; calls before the second one wait for it.
  std::optional<Finding> add(const verify::OracleDraw& draw, const std::vector<ResultPiece>& said);

 private:
  struct Output {
    std::string name;
    HostTensor native;  // of PyTorch
  };
  using Outputs = std::vector<Output>;
  struct Call {
    Outputs outputs;
    std::vector<ResultPiece> said;
  };

  static bool are_alike(const Outputs& left, const Outputs& right);  // types
  static bool are_equal(const Outputs& left, const Outputs& right);
  void know(const Outputs& outputs);
  std::vector<const Outputs*> known_like(const Outputs& outputs) const;
  std::optional<Finding> judge(const Call& call) const;

  std::vector<Outputs> known_;
  std::vector<Call> waiting_;
};

}  // namespace stitch::evaluate
