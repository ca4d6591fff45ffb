// SPDX-License-Identifier: Apache-2.0
#include "completions/testing/small_server.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/json/json.h"
#include "tokens/train/train_tokenizer.h"

namespace stitch::completions::testing {

ModelText text_of_bytes(int64_t context) {
  constexpr int64_t kTokens = 259;
  const auto trainer = tokens::TokenizerTrainer::make({.vocab_size = kTokens});
  auto tokenizer = tokens::Tokenizer::from_json(trainer.value().tokenizer_json());
  auto text = make_model_text(std::move(tokenizer).value(), tokens::ChatTemplate::kChatMl, {0}, context, kTokens);
  return std::move(text).value();
}

Result<DrawId> ScriptedEngine::begin(const DrawRequest& request, BeforeToken before_token) {
  STITCH_ASSIGN(TokenIds script, text_.tokenizer.encode(script_, {.is_markup_literal = true}));
  draws_.push_back({++last_id_, request, std::move(before_token), std::move(script),
                    std::vector<Drawn>(static_cast<size_t>(request.count))});
  most_draws_ = std::max(most_draws_.load(), ++draws_under_way_);
  return last_id_;
}

bool ScriptedEngine::has_ended(const Draw& draw, const Drawn& sample) const {
  const bool is_full = static_cast<int64_t>(sample.tokens.size()) >= draw.request.max_tokens;
  return sample.is_stopped || (is_full && !is_endless_);
}

void ScriptedEngine::write_token(Draw& draw, size_t sample) {
  constexpr float kLogProb = -0.5F;
  Drawn& drawn = draw.samples[sample];
  const std::vector<uint8_t>* allowed = draw.before_token(sample, drawn.tokens);
  const size_t at = drawn.tokens.size();
  const TokenIds& script = draw.script;
  int64_t next = is_endless_ ? script[at % script.size()] : at < script.size() ? script[at] : 0;
  if (allowed != nullptr && (*allowed)[static_cast<size_t>(next)] == 0) {
    next = std::find(allowed->begin(), allowed->end(), 1) - allowed->begin();
  }
  drawn.tokens.push_back(next);
  drawn.log_probs.push_back(kLogProb);
  ++drawn_tokens_;
  const TokenIds& stops = draw.request.stop_tokens;
  drawn.is_stopped = std::find(stops.begin(), stops.end(), next) != stops.end();
}

std::vector<EndedDraw> ScriptedEngine::step() {
  std::vector<EndedDraw> ended;
  for (auto draw = draws_.begin(); draw != draws_.end();) {
    bool is_under_way = false;
    for (size_t sample = 0; sample < draw->samples.size(); ++sample) {
      if (!has_ended(*draw, draw->samples[sample])) {
        write_token(*draw, sample);
        is_under_way = is_under_way || !has_ended(*draw, draw->samples[sample]);
      }
    }
    if (!is_under_way) {
      ended.push_back({draw->id, std::move(draw->samples)});
      --draws_under_way_;
      ++ended_draws_;
    }
    draw = is_under_way ? std::next(draw) : draws_.erase(draw);
  }
  if (is_endless_) {  // as slow as a model, so that whoever waits gets its turn
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ended;
}

Result<std::vector<float>> ScriptedEngine::score(const std::string&, const TokenIds& tokens) {
  return std::vector<float>(tokens.size() - 1, -1.0F);
}

Result<void> ScriptedEngine::load(const std::string& name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  models_.push_back({.name = name, .parent = "m", .path = path, .fingerprint = "g", .canary_nats = 0.001});
  return {};
}

Result<void> ScriptedEngine::unload(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (std::erase_if(models_, [&](const ServedModel& model) { return model.name == name; }) == 0) {
    return failure(ErrorCode::kUsage, "there is no such adapter");
  }
  return {};
}

std::vector<ServedModel> ScriptedEngine::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

void RecordedExchange::answer(const http::Response& response) {
  EXPECT_EQ(head_.status, 0) << "answered twice";
  head_ = response;
}

bool RecordedExchange::begin_stream(const http::Response& head) {
  answer(head);
  return !is_gone_;
}

bool RecordedExchange::send(const std::string& text) {
  EXPECT_FALSE(is_whole_) << "sent behind the end";
  streamed_ += text;
  return !is_gone_;
}

Json chat_body(const Json& members) {
  Json body = {{"model", "m"}, {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})}};
  body.merge_patch(members);
  return body;
}

http::Request post(const std::string& path, const std::string& body) {
  return {.method = "POST",
          .path = path,
          .headers = {{"host", "127.0.0.1"}, {"authorization", "Bearer secret"}},
          .body = body};
}

bool comes(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_so() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return is_so();
}

}  // namespace stitch::completions::testing
