// SPDX-License-Identifier: Apache-2.0
// A dense decoder, Llama's or Qwen3's, with an optional adapter and an optional value head. Its parameters have the
// names that transformers and PEFT give them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "train/model/block.h"
#include "train/tensors/named.h"
#include "weights/adapter/adapter_config.h"
#include "weights/config/model_config.h"

namespace stitch::train {

// Keys and values of all layers, for as many tokens as it was made for.
struct KvCache {
  std::vector<LayerCache> layers;
};

struct Pass {
  Tensor positions{};  // int64 [batch, tokens]; undefined: 0, 1, ... or what follows the cache
  Tensor allowed{};    // bool [batch, 1, tokens, keys]; undefined: each token reads what comes up to itself
  KvCache* cache = nullptr;
  std::vector<KvCache*> row_caches{};  // instead of it, for one token a row: each row's own, of any lengths
  bool adapter = true;                 // false: the base alone, which is the reference policy of a run with LoRA
  bool recompute_blocks = false;       // keeps only what lies between two layers (activation checkpointing)
};

class Decoder {
 public:
  // Takes the parameters by their names ("model.layers.0.self_attn.q_proj.weight"), on whichever device and in
  // whichever floating-point type they are. kFileInvalid when one is missing, is no parameter of such a model, or has
  // another shape. "lm_head.weight" may be there where it is tied, and is then not read.
  static Result<Decoder> from_parameters(const weights::ModelConfig& config, const NamedTensors& parameters);
  // Normal with the given deviation, norms 1, biases 0; each parameter from a stream of its own name.
  static Decoder random(const weights::ModelConfig& config, uint64_t seed, double deviation = 0.02);
  // The same, each parameter given to `place` as soon as it is drawn, one for each core at a time: the whole of a large
  // model need not be in the processor's memory. kEnvironment where there is no room for one.
  static Result<Decoder> random_placed(const weights::ModelConfig& config, uint64_t seed, double deviation,
                                       const std::function<Tensor(const Tensor&)>& place);

  const weights::ModelConfig& config() const { return config_; }

  // The element type that layers compute in: that of the weights, unless told otherwise. Weights in fp32 with layers in
  // bf16 are mixed precision: the sum of the layers, the last norm, logits and gradients of weights stay in fp32.
  at::ScalarType compute_type() const { return compute_type_.value_or(embedding_.scalar_type()); }
  void compute_in(at::ScalarType type) { compute_type_ = type; }

  // int64 tokens [batch, tokens] to hidden states [batch, tokens, hidden] behind the last norm.
  Tensor hidden(const Tensor& tokens, const Pass& pass = {}) const;
  // [..., hidden] to [..., vocab], in the element type of the weights.
  Tensor logits(const Tensor& hidden) const { return at::linear(hidden, head()); }
  // [..., hidden] to [...], fp32. Only with a value head.
  Tensor values(const Tensor& hidden) const;

  KvCache make_cache(int64_t batch, int64_t capacity) const;

  // The weight of the output layer, [vocab, hidden]: the embedding where the two are tied.
  const Tensor& head() const { return lm_head_.defined() ? lm_head_ : embedding_; }

  // Beside the layers that `settings` names; its dropout is not applied. A is uniform as PEFT draws it (Kaiming, a =
  // sqrt 5), B is zero; the base stops taking part in training.
  void add_adapter(const weights::AdapterConfig& settings, uint64_t seed);
  const weights::AdapterConfig* adapter() const { return has_adapter_ ? &adapter_ : nullptr; }
  // Takes A and B as PEFT names them. kFileInvalid as from_parameters().
  Result<void> load_adapter(const weights::AdapterConfig& settings, const NamedTensors& parameters);
  void merge_adapter();
  // The same weights: a frozen base is shared, all that is trained is a copy that learns on its own.
  Decoder twin() const;

  // "score.weight" [1, hidden] and "score.bias" [1], as transformers' classifiers of tokens have them; zero at first.
  void add_value_head();
  bool has_value_head() const { return score_.weight.defined(); }
  // Adds it, with these. kFileInvalid when one is missing or has another shape.
  Result<void> load_value_head(const NamedTensors& parameters);

  // Whether base parameters take part in training.
  void train_base(bool takes_part);

  NamedTensors base_parameters() const;     // without the value head
  NamedTensors adapter_parameters() const;  // "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
  NamedTensors value_parameters() const;
  // Whichever of these require gradients.
  NamedTensors trainable() const;

 private:
  Decoder(const weights::ModelConfig& config) : config_(config), blocks_(static_cast<size_t>(config.layers)) {}
  std::map<std::string, Tensor*> base_slots();
  std::map<std::string, std::vector<int64_t>> base_shapes() const;
  std::vector<Linear*> targeted_linears(const weights::AdapterConfig& settings, std::vector<std::string>& names);

  weights::ModelConfig config_;
  Tensor embedding_, final_norm_, lm_head_, frequencies_;
  std::vector<Block> blocks_;
  Linear score_;
  std::optional<at::ScalarType> compute_type_;
  weights::AdapterConfig adapter_;
  bool has_adapter_ = false;
};

}  // namespace stitch::train
