// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/asker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "agents/ledger/reservation.h"
#include "base/json/json.h"
#include "llm/chat/write_request.h"

namespace stitch::agents {
namespace {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string limit_before(const State& state, Role role, const Seat& seat, const llm::ChatRequest& request,
                         size_t body_bytes, const std::vector<Spending>& spent) {
  Spending open;
  for (const Spending& each : spent) {
    add_amounts(each, open);
  }
  const llm::Usage worst = llm::worst_case(body_bytes, request.messages.size(), request.sampling.max_tokens);
  const llm::Price* price = seat.price.has_value() ? &*seat.price : nullptr;
  return limit_in_the_way(state.limits, total_spending(state), open, worst_spending(role, worst, price));
}

std::optional<double> seconds_left(const State& state, const std::vector<Spending>& spent) {
  if (!state.limits.seconds.has_value()) {
    return std::nullopt;
  }
  double left = *state.limits.seconds - total_spending(state).seconds;
  for (const Spending& each : spent) {
    left -= each.seconds;
  }
  return left;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int64_t number_of_question(const State& state, size_t index) {
  const auto decisions = std::count_if(state.decisions.begin(), state.decisions.end(), [](const Decision& each) {
    return each.event != EventKind::kEnvironmentFailed && each.event != EventKind::kResumed &&
           each.to != Activity::kPaused;
  });
  return static_cast<int64_t>(kMaxQuestions) * decisions + static_cast<int64_t>(index);
}

Result<std::string> body_of(const llm::ChatRequest& request) {
  STITCH_ASSIGN(const Json body, llm::write_request(request, llm::Dialect{}));
  return text_of(body);
}

Result<llm::Completion> Asker::paid_answer(const Seat& seat, const Question& question, const std::string& body) {
  STITCH_ASSIGN(const std::optional<std::string> known, journal_.answer_to(question.key));
  if (known.has_value()) {
    STITCH_ASSIGN(const Json json, parse_json(*known, "an answer in the journal"));
    return llm::completion_from_json(json);
  }
  if (is_offline_) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("the journal lacks an answer to the {}", to_string(question.role)), "",
                   "resume the run instead: stitchcuda runs resume ID");
  }
  STITCH_ASSIGN(const llm::Completion completion, seat.answers->answer(question));
  STITCH_TRY(journal_.keep_answer(question.key, question.role, body, text_of(llm::to_json(completion))));
  return completion;
}

Result<std::variant<Asked, NotAsked>> Asker::ask(const State& state, Role role, const Seat& seat,
                                                 llm::ChatRequest request, const std::vector<Spending>& spent,
                                                 std::function<std::string()> expert_answer,
                                                 std::function<std::string(uint32_t)> slow_answer) {
  request.model = seat.model;
  request.sampling = seat.sampling;
  STITCH_ASSIGN(const std::string body, body_of(request));
  if (std::string why = limit_before(state, role, seat, request, body.size(), spent); !why.empty()) {
    return std::variant<Asked, NotAsked>(NotAsked{std::move(why)});
  }
  const Question question{.role = role,
                          .request = request,
                          .key = request_key(role, body, number_of_question(state, spent.size())),
                          .expert_answer = std::move(expert_answer),
                          .slow_answer = std::move(slow_answer),
                          .seconds = seconds_left(state, spent)};
  const auto start = std::chrono::steady_clock::now();
  const Result<llm::Completion> answered = paid_answer(seat, question, body);
  const double taken = seconds_since(start);
  if (!answered.has_value() && question.seconds.has_value() && taken >= *question.seconds) {
    return std::variant<Asked, NotAsked>(NotAsked{
        fmt::format("the {} did not answer within the {:.1f} s that were left", to_string(role), *question.seconds),
        Spending{.role = role, .requests = 1, .seconds = taken}});
  }
  STITCH_ASSIGN(const llm::Completion completion, answered);
  const llm::Price* price = seat.price.has_value() ? &*seat.price : nullptr;
  const llm::Usage usage = completion.reply.usage.value_or(llm::Usage{});
  return std::variant<Asked, NotAsked>(
      Asked{completion.reply, spending_of(role, usage, price, completion.seconds + completion.waited_seconds)});
}

}  // namespace stitch::agents
