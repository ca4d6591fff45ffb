// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/chat_model.h"

#include "base/json/json.h"
#include "llm/chat/actions.h"
#include "llm/chat/write_request.h"

namespace stitch::agents {

Result<llm::Completion> ChatModel::answer(const Question& question) {
  if (!client_.has_value()) {
    STITCH_ASSIGN(client_, llm::ChatClient::start());
  }
  STITCH_ASSIGN(const Json body, llm::write_request(question.request, dialect_));
  llm::Exchange exchange = llm::exchange_with(endpoint_);
  exchange.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  Result<llm::Completion> completion = client_->complete(exchange, told_, question.seconds);
  if (!completion.has_value()) {
    client_.reset();  // it may be what failed
  } else if (!question.request.tools.empty()) {
    if (completion->reply.calls.empty()) {
      llm::take_action(completion->reply);
    }
    llm::check_names(completion->reply, question.request.tools);
  }
  return completion;
}

}  // namespace stitch::agents
