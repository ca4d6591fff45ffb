// SPDX-License-Identifier: Apache-2.0
// The pipe down which a Python candidate's worker tells what the candidate must not do, at once and for good. A hostile
// worker may write anything, or nothing: what no observer writes counts against it, and nothing pushes a line out.
#pragma once

#include <memory>
#include <optional>
#include <string>

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
  LedgerReader(Descriptor pipe, std::shared_ptr<CandidateLedger> ledger);
  // Takes what has arrived. A sentence once the candidate has done what it must not.
  std::optional<std::string> read();

 private:
  void receive();
  void take(const std::string& line);
  void accuse(const std::string& sentence);

  Descriptor pipe_;
  std::shared_ptr<CandidateLedger> ledger_;
  std::string received_;
};

}  // namespace stitch::evaluate
