// SPDX-License-Identifier: Apache-2.0
// Draws and scores for a server of completions: one base, and adapters on it that share its weights.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "completions/run/engine.h"
#include "train/sampler/sample.h"

namespace stitch::train {

class TorchEngine : public completions::Engine {
 public:
  // `canary` is the prompt whose continuation the sampler and the trainer have to agree on before an adapter is served.
  TorchEngine(Decoder base, completions::ServedModel about, std::vector<int64_t> canary);

  Result<std::vector<completions::Drawn>> draw(const completions::DrawRequest& request,
                                               const completions::BeforeToken& before_token) override;
  Result<std::vector<float>> score(const std::string& model, const completions::TokenIds& tokens) override;
  Result<void> load(const std::string& name, const std::string& path) override;
  Result<void> unload(const std::string& name) override;
  std::vector<completions::ServedModel> models() const override;

 private:
  struct Version {
    completions::ServedModel about;
    Decoder decoder;
  };
  Result<const Decoder*> decoder_of(const std::string& name) const;
  Result<Version> read_version(const std::string& name, const std::string& path) const;

  std::vector<int64_t> canary_;
  mutable std::mutex mutex_;                        // versions come and go on the engine's thread alone
  std::vector<std::unique_ptr<Version>> versions_;  // the base first
};

// Log-probabilities of tokens 1, 2, ... by one pass over all, as training computes them; fp32.
Result<std::vector<float>> trainer_scores(const Decoder& decoder, const std::vector<int64_t>& tokens);

// The mean, over the tokens, of the absolute differences. kFileInvalid beyond 0.05 nats a token: stale keys, another
// base, another scale, another template.
Result<double> canary_difference(const std::vector<float>& sampler, const std::vector<float>& trainer);

}  // namespace stitch::train
