// SPDX-License-Identifier: Apache-2.0
// What compilers and dying workers print, which candidates have a hand in: messages of compilers, the words of the
// emulator and of sanitizers, and what a Python candidate's worker reports of it.
#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "evaluate/processes/fault_message.h"
#include "evaluate/processes/ledger_reader.h"
#include "fuzz.h"
#include "toolchain/diagnostics/parse.h"

namespace {

using namespace stitch;

void read_ledger(std::string_view text) {
  auto pipe = evaluate::LedgerPipe::make();
  fuzz::require(pipe.has_value(), "a pipe can be had");
  ::fcntl(pipe->write_end.get(), F_SETFL, O_NONBLOCK);
  if (::write(pipe->write_end.get(), text.data(), text.size()) < 0) {
    return;
  }
  pipe->write_end = Descriptor();
  const auto ledger = std::make_shared<evaluate::CandidateLedger>();
  evaluate::LedgerReader reader(std::move(pipe->read_end), ledger, {"candidate.so"});
  const auto message = reader.read();
  fuzz::require(!message.has_value() || !message->empty(), "what is held against a candidate has a sentence");
  fuzz::require(ledger->places.size() <= ledger->operators.size(), "a place belongs to an operator");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const Diagnostic& diagnostic : toolchain::parse_diagnostics(text, "steps/01_step.cu")) {
    (void)diagnostic.message.size();
  }
  ExitState exit;
  exit.signal = 11;
  fuzz::require(!evaluate::fault_message(exit, text).empty(), "a dead worker is told in a sentence");
  read_ledger(text);
  return 0;
}
