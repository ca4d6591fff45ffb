// SPDX-License-Identifier: Apache-2.0
// The routes of a server of completions; docs/serve-model.md has them.
#pragma once

#include <memory>
#include <string>

#include "completions/answer/write_answer.h"
#include "completions/routes/job.h"
#include "completions/run/scheduler.h"
#include "http/connection/exchange.h"

namespace stitch::completions {

struct RouteOptions {
  std::string token{};
  bool is_loopback = true;   // then clients have to name this machine: no page can lead a browser here
  bool needs_token = false;  // for everything; adapters are changed with the token alone
  SchedulerLimits limits{};  // beyond them requests wait, or are told to come again
  int64_t created = 0;       // seconds since 1970, of the models
};

class Routes {
 public:
  // All must outlive it.
  Routes(Engine& engine, const ModelText& text, const RouteOptions& options)
      : engine_(engine), text_(text), options_(options), scheduler_(engine, options.limits) {}

  // From any thread.
  void answer(http::Exchange& exchange);

 private:
  std::optional<http::Response> refusal_of(const http::Request& request) const;
  void complete(http::Exchange& exchange, bool is_chat);
  void answer_whole(http::Exchange& exchange, Job& job, const AnswerHead& head);
  void stream(http::Exchange& exchange, Job& job, const AnswerHead& head);
  http::Response models() const;
  http::Response change_adapter(http::Exchange& exchange, bool loads);
  Result<AnswerHead> head_of(const CompletionRequest& request) const;
  std::vector<ToldChoice> told_choices(const Job& job) const;

  Engine& engine_;
  const ModelText& text_;
  const RouteOptions& options_;
  MaskStore masks_;      // for the engine's thread
  Scheduler scheduler_;  // last: its thread uses the others
};

}  // namespace stitch::completions
