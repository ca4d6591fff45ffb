// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "agents/ask/embedded_model.h"
#include "agents/coder/answer.h"
#include "agents/roles/context.h"
#include "agents/roles/expert_roles.h"
#include "agents/roles/model_roles.h"

namespace stitch::agents {
namespace {

const char* prompt_for(const State& state, const Material& material) {
  if (material.last_code.empty()) {
    return "coder_draft";
  }
  return state.attempts.back().outcome == Outcome::kRight ? "coder_optimize" : "coder_repair";
}

struct Taken {
  const Bench& bench;
  const SubTask& sub_task;

  Done operator()(StepCode code) const {
    return Done{.body = Written{.digest = "", .changed = bench.changed_by(sub_task)}, .code = std::move(code.text)};
  }
  Done operator()(CannotWrite cannot) const { return Done{Declined{std::move(cannot.why)}}; }
  Done operator()(NoCode none) const { return Done{Unreadable{std::move(none.why)}}; }
};

}  // namespace

Result<Done> ModelCoder::write(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  if (const std::string why = material.bench.why_fixed(sub_task); !why.empty()) {
    return Done{Declined{fmt::format("{} cannot be written anew: {}", sub_task.name, why)}};
  }
  llm::ChatRequest request;
  request.messages = {{.speaker = llm::Speaker::kSystem, .content = desk_.prompts.fill("coder")},
                      {.speaker = llm::Speaker::kUser,
                       .content = desk_.prompts.fill(prompt_for(state, material), coder_places(state, material))}};
  const auto expert_answer = [&]() -> std::string {
    const std::optional<std::string> text = expert_text(state, material);
    return text.has_value() ? fenced(*text) : "cannot, because no other setting of the step is left";
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
  Done done = std::visit(Taken{material.bench, sub_task}, coder_answer_from_text(answer.reply.content));
  done.spent = {answer.spent};
  return done;
}

}  // namespace stitch::agents
