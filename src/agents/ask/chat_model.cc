// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/chat_model.h"

#include <fmt/format.h>

#include "agents/ask/shorter_request.h"
#include "base/json/json.h"
#include "llm/chat/actions.h"
#include "llm/chat/write_request.h"

namespace stitch::agents {

Result<llm::Completion> ChatModel::complete(const llm::ChatRequest& request, std::optional<double> seconds) {
  if (!client_.has_value()) {
    STITCH_ASSIGN(client_, llm::ChatClient::start());
  }
  STITCH_ASSIGN(const Json body, llm::write_request(request, dialect_));
  llm::Exchange exchange = llm::exchange_with(endpoint_);
  exchange.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  Result<llm::Completion> completion = client_->complete(exchange, told_, seconds);
  if (!completion.has_value()) {
    client_.reset();  // it may be what failed
  }
  return completion;
}

// A request that is refused as too long costs nothing, so that it is asked again, each time with less in it.
Result<llm::Completion> ChatModel::answer(const Question& question) {
  Result<llm::Completion> completion = complete(question.request, question.seconds);
  llm::ChatRequest shorter = question.request;
  while (!completion.has_value() && llm::is_too_long(completion.error())) {
    const std::string how = make_shorter(shorter);
    if (how.empty()) {
      break;
    }
    told_(fmt::format("{}; asked again {}", completion.error().message, how));
    completion = complete(shorter, question.seconds);
  }
  if (!completion.has_value()) {
    return completion;
  }
  if (!question.request.tools.empty()) {
    if (completion->reply.calls.empty()) {
      llm::take_action(completion->reply);
    }
    llm::check_names(completion->reply, question.request.tools);
  }
  return completion;
}

}  // namespace stitch::agents
