// SPDX-License-Identifier: Apache-2.0
// Whoever has the models: draws tokens, scores them, takes adapters. What is told of it here needs no LibTorch.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "completions/request/completion_request.h"

namespace stitch::completions {

struct DrawRequest {
  std::string model{};
  TokenIds prompt{};
  double temperature = 1;
  double top_p = 1;
  int64_t top_k = 0;
  int64_t max_tokens = 1;
  int64_t count = 1;
  uint64_t seed = 0;
  TokenIds stop_tokens{};
};

struct Drawn {
  TokenIds tokens{};               // the stop token being the last, if one ended it
  std::vector<float> log_probs{};  // of each, in the distribution that it was drawn from
  bool is_stopped = false;         // by a stop token
};

// Of a draw that is under way.
using DrawId = uint64_t;

struct EndedDraw {
  DrawId id = 0;
  Result<std::vector<Drawn>> samples;
};

// Asked before each token of a sample, with all before it: a byte an id, 1 where it may follow; nullptr for all. It
// lives until the next question.
using BeforeToken = std::function<const std::vector<uint8_t>*(size_t sample, std::span<const int64_t> tokens)>;

// A version of the model: the base, or the base with one adapter.
struct ServedModel {
  std::string name{};
  std::string parent{};                 // the base's name; empty: it is the base
  std::string path{};                   // of the adapter, or the base
  std::string fingerprint{};            // of what was read
  std::optional<double> canary_nats{};  // by how much the trainer's log-probabilities differed from the sampler's
};

class Engine {
 public:
  virtual ~Engine() = default;

  // These on one thread alone, one after another. kUsage for a model that is not there.
  // Takes a request on, beside those that are under way. `before_token` is asked until the draw ends.
  virtual Result<DrawId> begin(const DrawRequest& request, BeforeToken before_token) = 0;
  // Draws a token for each sample that is under way, or reads on in its prompt: those draws that have ended with it.
  // What a draw's samples are does not depend on the other draws, beyond the rounding of sums.
  virtual std::vector<EndedDraw> step() = 0;
  // Log-probabilities of tokens 1, 2, ... given those before them, at temperature 1.
  virtual Result<std::vector<float>> score(const std::string& model, const TokenIds& tokens) = 0;
  // A name that is there is kUsage: each version has its own. An adapter with which sampler and trainer disagree is
  // kFileInvalid.
  virtual Result<void> load(const std::string& name, const std::string& path) = 0;
  // Draws under way go on with what they began with.
  virtual Result<void> unload(const std::string& name) = 0;

  // From any thread; the base first.
  virtual std::vector<ServedModel> models() const = 0;
};

}  // namespace stitch::completions
