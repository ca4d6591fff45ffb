// SPDX-License-Identifier: Apache-2.0
// Draws and scores for a server of completions: one base, and adapters on it that share its weights.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "completions/run/engine.h"
#include "train/sampler/rows.h"

namespace stitch::train {

class TorchEngine : public completions::Engine {
 public:
  // `canary` is the prompt whose continuation the sampler and the trainer have to agree on before an adapter is served.
  TorchEngine(Decoder base, completions::ServedModel about, std::vector<int64_t> canary);

  // A pass over the weights goes on with all samples of one version; each has keys and values of its own.
  Result<completions::DrawId> begin(const completions::DrawRequest& request,
                                    completions::BeforeToken before_token) override;
  std::vector<completions::EndedDraw> step() override;
  Result<std::vector<float>> score(const std::string& model, const completions::TokenIds& tokens) override;
  Result<void> load(const std::string& name, const std::string& path) override;
  Result<void> unload(const std::string& name) override;
  std::vector<completions::ServedModel> models() const override;

 private:
  struct Version {
    completions::ServedModel about;
    Decoder decoder;
  };
  struct Draw {
    completions::DrawId id;
    std::shared_ptr<const Version> version;  // which may be unloaded meanwhile
    SampleSettings settings;
    completions::BeforeToken before_token;
    std::optional<PromptReading> reading;  // until its prompt was read
    std::vector<Row> rows;
    Result<void> outcome{};  // of its last token
  };
  Result<std::shared_ptr<const Version>> version_of(const std::string& name) const;
  // A piece of each prompt that is not read yet.
  void read_prompts();
  // The last tokens of all rows of a version; those draws that could not go on.
  std::vector<completions::EndedDraw> read_tokens_of(const Version* version);
  Result<Version> read_version(const std::string& name, const std::string& path) const;

  std::vector<int64_t> canary_;
  mutable std::mutex mutex_;                              // versions come and go on the engine's thread alone
  std::vector<std::shared_ptr<const Version>> versions_;  // the base first
  std::list<Draw> draws_;                                 // under way
  completions::DrawId last_id_ = 0;
};

// Log-probabilities of tokens 1, 2, ... by one pass over all, as training computes them; fp32.
Result<std::vector<float>> trainer_scores(const Decoder& decoder, const std::vector<int64_t>& tokens);

// The mean, over the tokens, of the absolute differences. kFileInvalid beyond 0.05 nats a token: stale keys, another
// base, another scale, another template.
Result<double> canary_difference(const std::vector<float>& sampler, const std::vector<float>& trainer);

}  // namespace stitch::train
