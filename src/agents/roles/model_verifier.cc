// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/context.h"
#include "agents/roles/conversation.h"
#include "agents/roles/expert_roles.h"
#include "agents/verifier/feedback_text.h"
#include "base/json/json.h"

namespace stitch::agents {

Result<Done> ModelVerifier::advise(const State& state, const Material& material) {
  const bool is_right = state.attempts.back().outcome == Outcome::kRight && !material.profile.empty();
  const Conversation conversation{.role = Role::kVerifier,
                                  .system = desk_.prompts.fill("verifier"),
                                  .question = desk_.prompts.fill(is_right ? "verifier_profile" : "verifier_failure",
                                                                 verifier_places(state, material)),
                                  .returned = "verifier_returned"};
  const Feedback by_rule = expert_advice(state, material);
  Feedback taken = by_rule;
  const auto take = [&](const std::string& answer) {
    auto read = feedback_from_text(answer, is_right ? figures_of(material.profile) : std::vector<Figure>{});
    if (auto* complaints = std::get_if<std::vector<std::string>>(&read); complaints != nullptr) {
      return *complaints;
    }
    taken = std::get<Feedback>(read);
    return std::vector<std::string>{};
  };
  STITCH_ASSIGN(Outspoken spoken,
                converse(desk_, seat_, state, conversation, [&] { return feedback_to_json(by_rule).dump(); }, take));
  return Done{Advised{std::move(taken)}, std::move(spoken.spent)};
}

}  // namespace stitch::agents
