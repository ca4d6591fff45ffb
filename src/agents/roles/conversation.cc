// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/conversation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agents/prompts/quote.h"
#include "agents/roles/context.h"

namespace stitch::agents {

Result<Outspoken> converse(const Desk& desk, const Seat& seat, const State& state, const Conversation& conversation,
                           const std::function<std::string()>& expert_answer, const TakeAnswer& take) {
  llm::ChatRequest request;
  request.messages = {{.speaker = llm::Speaker::kSystem, .content = conversation.system},
                      {.speaker = llm::Speaker::kUser, .content = conversation.question}};
  request.schema = conversation.schema;
  Outspoken outspoken;
  for (int i = 0; i < kMaxAnswers; ++i) {
    STITCH_ASSIGN(auto asked, desk.asker.ask(state, conversation.role, seat, request, outspoken.spent, expert_answer));
    if (const auto* not_asked = std::get_if<NotAsked>(&asked); not_asked != nullptr) {
      if (not_asked->spent.has_value()) {
        outspoken.spent.push_back(*not_asked->spent);
      }
      outspoken.refused = not_asked->why;
      return outspoken;
    }
    const Asked& answer = std::get<Asked>(asked);
    outspoken.spent.push_back(answer.spent);
    const std::vector<std::string> complaints = take(answer.reply.content);
    if (complaints.empty()) {
      outspoken.refused.clear();
      return outspoken;
    }
    outspoken.refused = fmt::format("{} answers could not be taken, the last since {}", i + 1, complaints.front());
    request.messages.resize(2);  // the last answer alone: earlier ones would crowd out what they are about
    request.messages.push_back(
        {.speaker = llm::Speaker::kAssistant, .content = cut_in_the_middle(answer.reply.content, kMaxPlanBytes)});
    request.messages.push_back(
        {.speaker = llm::Speaker::kUser,
         .content = desk.prompts.fill(
             conversation.returned,
             {{"complaints", quoted("the check", fmt::format("{}", fmt::join(complaints, "\n")), kMaxToldBytes)}})});
  }
  return outspoken;
}

}  // namespace stitch::agents
