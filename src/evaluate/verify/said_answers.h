// SPDX-License-Identifier: Apache-2.0
// Answers of the host in whole calls, whatever kernels run beside them: what it copied into results, or put together
// there of pieces that say as much by their addresses as by their bytes, or handed to kernels that bring it there
// (handed_answers.h). Asked of each call by itself, so that there is no count, time or process to choose.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/tensor/host_tensor.h"
#include "evaluate/verify/subject_run.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Of the calls of one process.
class SaidAnswers {
 public:
  // A finding where the host said elements of this call's results that other contents have otherwise: what is the same
  // for all contents, as a table of positions, a program may well bring along. Whether they are is known from the draws
  // that came so far; calls before the second one wait for it. `got` are the results, and `again` those of the same
  // commands on altered contents, or empty.
  // 64 elements of an output are as many as no host has to finish. Of an output smaller than that, which a host may
  // finish from what kernels have left of it, several over the calls in which it was shown a sixteenth of the contents.
  std::optional<Finding> add(const verify::OracleDraw& draw, const HostWords& words, const std::vector<HostTensor>& got,
                             const std::vector<HostTensor>& again);

 private:
  struct Output {
    std::string name;
    HostTensor native;  // of PyTorch
  };
  using Outputs = std::vector<Output>;
  struct Call {
    Outputs outputs;
    std::vector<ResultPiece> said;
    std::vector<HostTensor> got{};  // where there is
    std::vector<HostTensor> again{};
    bool was_told_much = false;
  };
  // Of the outputs of one name that are small: elements of calls in which the host was told much, and how many of those
  // were its word.
  struct SmallOutput {
    size_t elements = 0;
    size_t of_host = 0;
  };

  static bool are_alike(const Outputs& left, const Outputs& right);  // types
  static bool are_equal(const Outputs& left, const Outputs& right);
  void know(const Outputs& outputs);
  std::vector<const Outputs*> known_like(const Outputs& outputs) const;
  std::optional<Finding> judge(const Call& call);
  std::optional<Finding> judge_small(const Output& output, size_t of_host);
  size_t count_said(const Call& call, size_t result) const;
  size_t count_handed_on(const Call& call, size_t result) const;

  std::vector<Outputs> known_;
  std::vector<Call> waiting_;
  std::map<std::string, SmallOutput> small_;
};

}  // namespace stitch::evaluate
