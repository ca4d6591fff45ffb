// SPDX-License-Identifier: Apache-2.0
// The pipe by which a Python candidate's worker reports each forbidden act as it happens; no later line takes a report
// back. A hostile worker may write anything, or nothing: a line that no observer writes counts against it, and no line
// displaces another. Three kinds of lines are expected: that operators are forbidden from now on, without which no call
// counts, that a library was loaded, which must be one that we have read, and that a trial has begun.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/descriptor.h"
#include "evaluate/candidate.h"

namespace stitch::evaluate {

struct LedgerPipe {
  Descriptor read_end;
  Descriptor write_end;
  static Result<LedgerPipe> make();
};

class LedgerReader {
 public:
  // `libraries`: names of files that the candidate can load.
  LedgerReader(Descriptor pipe, std::shared_ptr<CandidateLedger> ledger, std::vector<std::string> libraries);
  // Reads what has arrived. Returns a sentence once the candidate has done something forbidden.
  std::optional<std::string> read();
  // Whether the observer has said that operators are forbidden.
  bool is_enforced() const { return is_enforced_; }
  // How many trials have begun: calls in which the emulated device's memory is kept apart, or kernels do not run.
  int trials() const { return trials_; }

 private:
  void receive();
  void take(const std::string& line);
  void accuse(const std::string& message);

  Descriptor pipe_;
  std::shared_ptr<CandidateLedger> ledger_;
  std::vector<std::string> libraries_;
  std::string received_;
  bool is_enforced_ = false;
  int trials_ = 0;
};

}  // namespace stitch::evaluate
