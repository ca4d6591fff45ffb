// SPDX-License-Identifier: Apache-2.0
// The pipe by which a Python candidate's worker reports each forbidden act as it happens; no later line takes a report
// back. A hostile worker may write anything, or nothing: a line that no observer writes counts against it, and no line
// displaces another. Two kinds of lines are expected: that operators are forbidden from now on, without which no call
// counts, and that a library was loaded, which must be one that we have read.
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

 private:
  void receive();
  void take(const std::string& line);
  void accuse(const std::string& message);

  Descriptor pipe_;
  std::shared_ptr<CandidateLedger> ledger_;
  std::vector<std::string> libraries_;
  std::string received_;
  bool is_enforced_ = false;
};

}  // namespace stitch::evaluate
