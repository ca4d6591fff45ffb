// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "agents/ask/expert_model.h"
#include "agents/coder/host_text.h"
#include "agents/roles/compact_context.h"
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

std::vector<llm::Message> question_in(const Prompts& prompts, bool is_compact, const State& state,
                                      const Material& material, const Ground& ground) {
  const std::string folder = is_compact ? "compact/" : "";
  const std::string system = ground.is_host ? "coder_host" : "coder";
  return {{.speaker = llm::Speaker::kSystem, .content = prompts.fill(folder + system)},
          {.speaker = llm::Speaker::kUser,
           .content = prompts.fill(folder + prompt_for(state, material, ground),
                                   is_compact ? compact_places(state, material) : coder_places(state, material))}};
}

}  // namespace

Result<Done> ModelCoder::write(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  const Ground ground = material.bench.ground_of(sub_task);
  if (!ground.why_fixed.empty()) {
    return Done{Declined{fmt::format("{} cannot be written anew: {}", sub_task.name, ground.why_fixed)}};
  }
  const bool is_compact = seat_.is_compact && !ground.is_host;
  llm::ChatRequest request;
  request.messages = question_in(desk_.prompts, is_compact, state, material, ground);
  const auto expert_answer = [&]() -> std::string {
    const std::optional<std::string> text = expert_text(state, material, is_compact);
    return !text.has_value() ? "cannot, because the expert has no other text for it"
           : ground.is_host  ? *text
                             : fenced(*text);
  };
  const auto slow_answer = [&](uint32_t number) -> std::string {
    const std::optional<std::string> text = slow_expert_text(state, material, number, is_compact);
    return text.has_value() ? fenced(*text) : expert_answer();
  };
  // Who mends a mistake does nothing else.
  const bool mends = state.activity == Activity::kRepairCompile || state.activity == Activity::kRepairCorrectness;
  STITCH_ASSIGN(auto asked, desk_.asker.ask(state, Role::kCoder, seat_, std::move(request), {}, expert_answer,
                                            mends ? std::function<std::string(uint32_t)>() : slow_answer));
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
