// SPDX-License-Identifier: Apache-2.0
// The pipe down which a Python candidate's worker tells what the candidate must not do, at once and for good. A hostile
// worker may write anything, or nothing: what no observer writes counts against it, and nothing pushes a line out. Two
// things are asked for: since when operators are forbidden, without which no call counts, and which library was loaded,
// of those that we have read.
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
  // Takes what has arrived. A sentence once the candidate has done what it must not.
  std::optional<std::string> read();
  // Whether the observer has said that operators are forbidden.
  bool is_enforced() const { return is_enforced_; }

 private:
  void receive();
  void take(const std::string& line);
  void accuse(const std::string& sentence);

  Descriptor pipe_;
  std::shared_ptr<CandidateLedger> ledger_;
  std::vector<std::string> libraries_;
  std::string received_;
  bool is_enforced_ = false;
};

}  // namespace stitch::evaluate
