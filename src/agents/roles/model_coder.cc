// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "agents/ask/embedded_model.h"
#include "agents/coder/host_text.h"
#include "agents/roles/context.h"
#include "agents/roles/expert_roles.h"
#include "agents/roles/model_roles.h"

namespace stitch::agents {
namespace {

const char* prompt_for(const State& state, const Material& material, const Ground& ground) {
  if (ground.is_host) {
    return material.last_code.empty() ? "coder_host_draft" : "coder_host_again";
  }
  if (material.last_code.empty()) {
    return ground.skeleton.empty() ? "coder_draft" : "coder_group";
  }
  return state.attempts.back().outcome == Outcome::kRight ? "coder_optimize" : "coder_repair";
}

struct Taken {
  const Ground& ground;

  Done operator()(StepCode code) const {
    return Done{.body = Written{.digest = "", .changed = {ground.step}, .replaced = ground.replaced},
                .code = std::move(code.text)};
  }
  Done operator()(CannotWrite cannot) const { return Done{Declined{std::move(cannot.why)}}; }
  Done operator()(NoCode none) const { return Done{Unreadable{std::move(none.why)}}; }
};

CoderAnswer read_answer(const llm::ChatReply& reply, bool is_host) {
  if (reply.content.find_first_not_of(" \t\r\n") == std::string::npos) {
    return NoCode{reply.finish == llm::Finish::kLength
                      ? "the answer is empty: its limit of tokens was reached in thought, so raise max_tokens"
                      : "the answer is empty"};
  }
  return is_host ? host_answer_from_text(reply.content) : coder_answer_from_text(reply.content);
}

}  // namespace

Result<Done> ModelCoder::write(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  const Ground ground = material.bench.ground_of(sub_task);
  if (!ground.why_fixed.empty()) {
    return Done{Declined{fmt::format("{} cannot be written anew: {}", sub_task.name, ground.why_fixed)}};
  }
  llm::ChatRequest request;
  request.messages = {
      {.speaker = llm::Speaker::kSystem, .content = desk_.prompts.fill(ground.is_host ? "coder_host" : "coder")},
      {.speaker = llm::Speaker::kUser,
       .content = desk_.prompts.fill(prompt_for(state, material, ground), coder_places(state, material))}};
  const auto expert_answer = [&]() -> std::string {
    const std::optional<std::string> text = expert_text(state, material);
    return !text.has_value() ? "cannot, because the expert has no other text for it"
           : ground.is_host  ? *text
                             : fenced(*text);
  };
  STITCH_ASSIGN(auto asked, desk_.asker.ask(state, Role::kCoder, seat_, std::move(request), {}, expert_answer));
  if (const auto* not_asked = std::get_if<NotAsked>(&asked); not_asked != nullptr) {
    Done none{NoRoom{not_asked->why}};
    if (not_asked->spent.has_value()) {
      none.spent = {*not_asked->spent};
    }
    return none;
  }
  const Asked& answer = std::get<Asked>(asked);
  Done done = std::visit(Taken{ground}, read_answer(answer.reply, ground.is_host));
  done.spent = {answer.spent};
  return done;
}

}  // namespace stitch::agents
