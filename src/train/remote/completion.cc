// SPDX-License-Identifier: Apache-2.0
#include "train/remote/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::train {
namespace {

Unexpected broken(const std::string& what) {
  return failure(ErrorCode::kEnvironment, "the server's completion cannot be learned from: " + what, "rollout.server",
                 "use a server that knows return_token_ids and adapters, such as stitchcuda serve-model or vLLM");
}

std::optional<std::vector<int64_t>> ids_in(const Json& choice, const char* key) {
  const auto found = choice.find(key);
  if (found == choice.end() || !found->is_array()) {
    return std::nullopt;
  }
  std::vector<int64_t> ids;
  for (const Json& id : *found) {
    if (!id.is_number_integer()) {
      return std::nullopt;
    }
    ids.push_back(id.get<int64_t>());
  }
  return ids;
}

// Null where the answer has none.
Json log_probs_in(const Json& choice) {
  const Json told = choice.value("logprobs", Json());
  return told.is_object() ? told.value("token_logprobs", Json()) : Json();
}

const Json* only_choice(const Json& answer) {
  const auto choices = answer.is_object() ? answer.find("choices") : answer.end();
  const bool is_one = choices != answer.end() && choices->is_array() && choices->size() == 1;
  return is_one && choices->front().is_object() ? &choices->front() : nullptr;
}

bool is_log_prob(const Json& value) {
  return value.is_number() && std::isfinite(value.get<float>()) && value.get<float>() <= 0;
}

Result<void> check_end(const Json& choice, const Sample& sample, const AskedCompletion& asked) {
  const Json reason = choice.value("finish_reason", Json());
  const auto& stops = asked.settings.stop_tokens;
  const bool ends = std::find(stops.begin(), stops.end(), sample.tokens.back()) != stops.end();
  if (ends != (reason == Json("stop")) || (!ends && reason != Json("length"))) {
    return broken(fmt::format("its last token is {} that ends an answer, and its finish_reason is {}",
                              ends ? "one" : "none", printable_line(reason.dump(), 40)));
  }
  return {};
}

}  // namespace

Json body_of(const AskedCompletion& asked) {
  const Restriction& restriction = asked.settings.restriction;
  return {{"model", asked.model},
          {"prompt", asked.prompt},
          {"max_tokens", asked.settings.max_tokens},
          {"n", 1},
          {"temperature", restriction.temperature},
          {"top_p", restriction.top_p},
          {"top_k", restriction.top_k > 0 ? restriction.top_k : -1},
          {"seed", asked.settings.seed},
          {"logprobs", 1},
          {"return_token_ids", true},
          {"stop_token_ids", asked.settings.stop_tokens},
          {"skip_special_tokens", false}};
}

Result<Sample> sample_in(const Json& answer, const AskedCompletion& asked) {
  constexpr size_t kMaxShown = 80;
  const Json* choice = only_choice(answer);
  if (choice == nullptr) {
    return broken("it has not one choice");
  }
  if (answer.value("model", Json()) != Json(asked.model)) {
    return broken(fmt::format("it is of the model {}, and {} was asked",
                              printable_line(answer.value("model", Json()).dump(), kMaxShown), asked.model));
  }
  if (ids_in(*choice, "prompt_token_ids") != asked.prompt) {
    return broken("its prompt_token_ids are not the prompt's");
  }
  const auto ids = ids_in(*choice, "token_ids");
  const Json log_probs = log_probs_in(*choice);
  if (!ids.has_value() || ids->empty() || static_cast<int64_t>(ids->size()) > asked.settings.max_tokens) {
    return broken(fmt::format("its token_ids are no list of 1 to {} tokens", asked.settings.max_tokens));
  }
  if (!log_probs.is_array() || log_probs.size() != ids->size()) {
    return broken(fmt::format("it has {} log-probabilities of {} tokens", log_probs.is_array() ? log_probs.size() : 0,
                              ids->size()));
  }
  Sample sample{.tokens = *ids, .log_probs = {}, .finish_reason = FinishReason::kLength};
  for (const Json& value : log_probs) {
    if (!is_log_prob(value)) {
      return broken("a log-probability is " + printable_line(value.dump(), kMaxShown));
    }
    sample.log_probs.push_back(value.get<float>());
  }
  STITCH_TRY(check_end(*choice, sample, asked));
  sample.finish_reason =
      choice->value("finish_reason", Json()) == Json("stop") ? FinishReason::kStop : FinishReason::kLength;
  return sample;
}

Json scoring_body_of(const std::string& model, const std::vector<int64_t>& tokens) {
  return {{"model", model}, {"prompt", tokens}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 1}, {"temperature", 1}};
}

Result<std::vector<float>> scores_in(const Json& answer, size_t tokens) {
  const Json* choice = only_choice(answer);
  const Json log_probs = choice == nullptr ? Json() : log_probs_in(*choice);
  if (!log_probs.is_array() || log_probs.size() != tokens) {
    return broken("a prompt that is echoed has not a log-probability for each of its tokens");
  }
  std::vector<float> scores;
  for (size_t i = 1; i < tokens; ++i) {  // nothing comes before the first
    if (!is_log_prob(log_probs[i])) {
      return broken("a log-probability of the prompt is " + printable_line(log_probs[i].dump(), 80));
    }
    scores.push_back(log_probs[i].get<float>());
  }
  return scores;
}

}  // namespace stitch::train
