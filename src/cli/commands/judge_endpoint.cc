// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/judge_endpoint.h"

#include <cstdlib>

#include "base/json/json.h"
#include "llm/client/client.h"

namespace stitch::cli {
namespace {

constexpr const char* kJudgeKey = "STITCHCUDA_JUDGE_KEY";
constexpr int64_t kWholeMs = 180'000;
constexpr int64_t kRetries = 1;

}  // namespace

Result<std::string> ask_endpoint(const std::string& url, const std::string& model, const std::string& prompt) {
  llm::Exchange exchange{.url = url, .retries = kRetries};
  // Whether there is a key, and not which: the process that sends it reads it.
  exchange.key.environment = std::getenv(kJudgeKey) == nullptr ? "" : kJudgeKey;
  exchange.limits.first_token_ms = kWholeMs;
  exchange.limits.whole_ms = kWholeMs;
  // Nothing that some endpoint does not know: no stream, no limit on tokens under one of its two names.
  const Json message = {{"role", "user"}, {"content", prompt}};
  const Json body = {{"model", model}, {"messages", Json::array({message})}, {"temperature", 0}, {"stream", false}};
  exchange.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  STITCH_ASSIGN(llm::ChatClient client, llm::ChatClient::start());
  STITCH_ASSIGN(llm::Completion completion, client.complete(exchange));
  return std::move(completion.reply.content);
}

}  // namespace stitch::cli
