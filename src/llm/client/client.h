// SPDX-License-Identifier: Apache-2.0
// Our end of stitchcuda-chat: one process, one request at a time. It dies with the thread that started it.
#pragma once

#include "base/process/json_channel.h"
#include "llm/download/download.h"
#include "llm/exchange/exchange.h"
#include "llm/probe/probe.h"

namespace stitch::llm {

class ChatClient {
 public:
  // kEnvironment where the program is missing or cannot be started.
  static Result<ChatClient> start();

  // `progress` is told of each retry. kEnvironment or kTimeout with the endpoint's address where none helped.
  // `seconds`: that are left, retries and turns included; the process is ended with them.
  Result<Completion> complete(const Exchange& exchange, const JsonChannel::Progress& progress = {},
                              std::optional<double> seconds = {});
  // What the endpoint can with the body's model. Of the body only that is read.
  Result<Probed> probe(const Exchange& exchange, const JsonChannel::Progress& progress = {});
  // Brings a page into a file; answers with its bytes.
  Result<int64_t> fetch(const Download& download);

 private:
  explicit ChatClient(JsonChannel channel) : channel_(std::move(channel)) {}
  JsonChannel channel_;
};

}  // namespace stitch::llm
