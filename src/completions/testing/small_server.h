// SPDX-License-Identifier: Apache-2.0
// Routes over a model of bytes that writes what it is told to, without LibTorch. For tests alone.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "completions/routes/routes.h"

namespace stitch::completions::testing {

// Of 256 bytes and three control tokens, "<|endoftext|>" being 0.
ModelText text_of_bytes(int64_t context);

// Writes `script` and ends; where a mask forbids that, the first token that it allows. Its adapters are names.
class ScriptedEngine final : public Engine {
 public:
  explicit ScriptedEngine(const ModelText& text) : text_(text) {}

  void write(const std::string& script) { script_ = script; }
  // Writes until a mask allows nothing but the end, however many tokens were asked for.
  void write_without_end() { is_endless_ = true; }
  bool is_drawing() const { return draws_under_way_ > 0; }
  int draws_under_way() const { return draws_under_way_; }
  int most_draws_at_once() const { return most_draws_; }
  int ended_draws() const { return ended_draws_; }
  int64_t drawn_tokens() const { return drawn_tokens_; }

  Result<DrawId> begin(const DrawRequest& request, BeforeToken before_token) override;
  std::vector<EndedDraw> step() override;
  Result<std::vector<float>> score(const std::string& model, const TokenIds& tokens) override;
  Result<void> load(const std::string& name, const std::string& path) override;
  Result<void> unload(const std::string& name) override;
  std::vector<ServedModel> models() const override;

 private:
  struct Draw {
    DrawId id;
    DrawRequest request;
    BeforeToken before_token;
    TokenIds script;
    std::vector<Drawn> samples;
  };
  bool has_ended(const Draw& draw, const Drawn& sample) const;
  void write_token(Draw& draw, size_t sample);

  const ModelText& text_;
  std::string script_;
  bool is_endless_ = false;
  std::list<Draw> draws_;  // for the engine's thread
  DrawId last_id_ = 0;
  std::atomic<int> draws_under_way_ = 0;
  std::atomic<int> most_draws_ = 0;
  std::atomic<int> ended_draws_ = 0;
  std::atomic<int64_t> drawn_tokens_ = 0;
  mutable std::mutex mutex_;
  std::vector<ServedModel> models_ = {{.name = "m", .path = "m.gguf", .fingerprint = "f"}};
};

// What was answered, or the pieces of a stream. Its client may go away.
class RecordedExchange final : public http::Exchange {
 public:
  explicit RecordedExchange(http::Request request) : request_(std::move(request)) {}

  void leave() { is_gone_ = true; }
  void wish_for_the_end() { stop_.wish(); }
  const http::Response& head() const { return head_; }
  const std::string& streamed() const { return streamed_; }
  bool is_whole() const { return is_whole_; }

  const http::Request& request() const override { return request_; }
  const Stop& stop() const override { return stop_; }
  bool is_client_gone() const override { return is_gone_; }
  void answer(const http::Response& response) override;
  bool begin_stream(const http::Response& head) override;
  bool send(const std::string& text) override;
  void end_stream() override { is_whole_ = true; }

 private:
  http::Request request_;
  Stop stop_;
  std::atomic<bool> is_gone_ = false;
  http::Response head_{.status = 0};
  std::string streamed_;
  bool is_whole_ = false;
};

// `members` over those of a request that is right, JSON merge patch; "null" takes one away.
Json chat_body(const Json& members);
http::Request post(const std::string& path, const std::string& body);

// Waits until `is_so`, for so long as no test should take.
bool comes(const std::function<bool()>& is_so);

}  // namespace stitch::completions::testing
