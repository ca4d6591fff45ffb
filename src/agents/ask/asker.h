// SPDX-License-Identifier: Apache-2.0
// The one way from a role to its model: journalled, so that nothing that was answered is paid for again, and within the
// budget, so that no limit is passed.
#pragma once

#include <functional>
#include <variant>

#include "agents/ask/model.h"
#include "agents/journal/journal.h"

namespace stitch::agents {

struct Asked {
  llm::ChatReply reply;
  Spending spent;
};
struct NotAsked {
  std::string why;                  // the limit that the question could have passed
  std::optional<Spending> spent{};  // of one that was asked, and was not answered before the limit
};

class Asker {
 public:
  // `is_offline`: only what the journal holds is answered; anything else is kFileInvalid.
  Asker(Journal& journal, bool is_offline) : journal_(journal), is_offline_(is_offline) {}

  // `spent` is what this event has cost before; `index` its questions before this one. The expert's answer is asked for
  // where the expert answers, and the slow one where that shall be slow.
  Result<std::variant<Asked, NotAsked>> ask(const State& state, Role role, const Seat& seat, llm::ChatRequest request,
                                            const std::vector<Spending>& spent,
                                            std::function<std::string()> expert_answer,
                                            std::function<std::string(uint32_t)> slow_answer = {});

 private:
  Result<llm::Completion> paid_answer(const Seat& seat, const Question& question, const std::string& body);

  Journal& journal_;
  bool is_offline_;
};

// Which question of a run it is: the `index`th of its event. Pauses do not count: what was answered before one is not
// asked again after it.
int64_t number_of_question(const State& state, size_t index);
inline constexpr size_t kMaxQuestions = 16;  // of one event

// The body by which a request is known, whatever dialect it is sent in.
Result<std::string> body_of(const llm::ChatRequest& request);

}  // namespace stitch::agents
