// SPDX-License-Identifier: Apache-2.0
#include "train/model/decoder.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

#include "base/guard/guarded.h"
#include "base/parallel/for_each_parallel.h"
#include "base/seed/seed.h"
#include "train/model/rope.h"
#include "train/tensors/recompute.h"

namespace stitch::train {
namespace {

using Shape = std::vector<int64_t>;

std::string words(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

Unexpected bad_parameter(const std::string& name, const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "parameter " + name + " " + what, name,
                 "take the weights that belong to this config.json");
}

std::string layer_prefix(size_t layer) { return "model.layers." + std::to_string(layer) + "."; }

at::Generator generator_of(uint64_t seed, const std::string& name) {
  return at::make_generator<at::CPUGeneratorImpl>(derived_seed(seed, name, 0));
}

Tensor drawn_parameter(const std::string& name, const Shape& shape, uint64_t seed, double deviation) {
  if (name.ends_with(".bias")) {
    return at::zeros(shape);
  }
  return shape.size() == 1 ? at::ones(shape) : at::empty(shape).normal_(0, deviation, generator_of(seed, name));
}

Result<void> check_all(const std::map<std::string, Shape>& shapes, const NamedTensors& parameters) {
  for (const auto& [name, shape] : shapes) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      return bad_parameter(name, "is missing");
    }
    if (found->second.sizes().vec() != shape) {
      return bad_parameter(name,
                           "has shape " + words(found->second.sizes().vec()) + " where " + words(shape) + " belongs");
    }
    if (!found->second.is_floating_point()) {
      return bad_parameter(name, "is not of a floating-point type");
    }
  }
  for (const auto& [name, tensor] : parameters) {
    if (!shapes.contains(name)) {
      return bad_parameter(name, "is none of this model");
    }
  }
  return {};
}

// Those that follow what the caches hold: [1 or rows, tokens].
Tensor positions_behind(const std::vector<KvCache*>& caches, const Tensor& tokens) {
  std::vector<int64_t> before;
  for (const KvCache* cache : caches) {
    before.push_back(cache->layers.front().filled);
  }
  if (before.empty()) {
    before.push_back(0);
  }
  const auto options = tokens.options().dtype(at::kLong);
  return at::tensor(before, at::kLong).to(options.device()).unsqueeze(1) + at::arange(tokens.size(1), options);
}

// [out, in] of each of kLinears, and whether it has a bias.
struct LinearShape {
  int64_t out, in;
  bool has_bias;
};
std::array<LinearShape, kLinears.size()> linear_shapes(const weights::ModelConfig& c) {
  const int64_t q = c.heads * c.head_dim;
  const int64_t kv = c.kv_heads * c.head_dim;
  const bool attention = c.has_attention_bias;
  return {{{q, c.hidden_size, attention},
           {kv, c.hidden_size, attention},
           {kv, c.hidden_size, attention},
           {c.hidden_size, q, attention},
           {c.intermediate_size, c.hidden_size, c.has_mlp_bias},
           {c.intermediate_size, c.hidden_size, c.has_mlp_bias},
           {c.hidden_size, c.intermediate_size, c.has_mlp_bias}}};
}

}  // namespace

std::map<std::string, Tensor*> Decoder::base_slots() {
  std::map<std::string, Tensor*> slots = {{"model.embed_tokens.weight", &embedding_},
                                          {"model.norm.weight", &final_norm_}};
  if (!config_.ties_embeddings) {
    slots["lm_head.weight"] = &lm_head_;
  }
  const bool has_head_norms = config_.architecture == weights::Architecture::kQwen3;
  const auto shapes = linear_shapes(config_);
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    for (const auto& [name, norm] : kNorms) {
      if (has_head_norms || !name.starts_with("self_attn")) {
        slots[layer_prefix(layer) + std::string(name) + ".weight"] = &(blocks_[layer].*norm);
      }
    }
    for (size_t i = 0; i < kLinears.size(); ++i) {
      const std::string name = layer_prefix(layer) + std::string(kLinears[i].first);
      Linear& linear = blocks_[layer].*kLinears[i].second;
      slots[name + ".weight"] = &linear.weight;
      if (shapes[i].has_bias) {
        slots[name + ".bias"] = &linear.bias;
      }
    }
  }
  return slots;
}

std::map<std::string, Shape> Decoder::base_shapes() const {
  std::map<std::string, Shape> shapes;
  const auto linears = linear_shapes(config_);
  for (const auto& [name, slot] : const_cast<Decoder*>(this)->base_slots()) {
    if (name.starts_with("lm_head") || name.starts_with("model.embed")) {
      shapes[name] = {config_.vocab_size, config_.hidden_size};
    } else {
      const bool of_head = name.ends_with("q_norm.weight") || name.ends_with("k_norm.weight");
      shapes[name] = {of_head ? config_.head_dim : config_.hidden_size};
    }
    for (size_t i = 0; i < kLinears.size(); ++i) {
      const std::string linear = "." + std::string(kLinears[i].first);
      if (name.ends_with(linear + ".weight")) {
        shapes[name] = {linears[i].out, linears[i].in};
      } else if (name.ends_with(linear + ".bias")) {
        shapes[name] = {linears[i].out};
      }
    }
  }
  return shapes;
}

Result<Decoder> Decoder::from_parameters(const weights::ModelConfig& config, const NamedTensors& parameters) {
  Decoder decoder(config);
  NamedTensors used = parameters;
  if (config.ties_embeddings) {
    used.erase("lm_head.weight");
  }
  STITCH_TRY(check_all(decoder.base_shapes(), used));
  for (const auto& [name, slot] : decoder.base_slots()) {
    *slot = used.at(name).detach();
  }
  decoder.frequencies_ = rope_frequencies(config).to(decoder.embedding_.device());
  return decoder;
}

Decoder Decoder::random(const weights::ModelConfig& config, uint64_t seed, double deviation) {
  return random_placed(config, seed, deviation, [](const Tensor& drawn) { return drawn; }).value();
}

Result<Decoder> Decoder::random_placed(const weights::ModelConfig& config, uint64_t seed, double deviation,
                                       const std::function<Tensor(const Tensor&)>& place) {
  const auto by_name = Decoder(config).base_shapes();
  const std::vector<std::pair<std::string, Shape>> shapes(by_name.begin(), by_name.end());
  std::vector<Tensor> drawn(shapes.size());
  STITCH_TRY(for_each_parallel(shapes.size(), 0, [&](size_t i) -> Result<void> {
    const at::NoGradGuard no_gradients;
    return guarded([&] { drawn[i] = place(drawn_parameter(shapes[i].first, shapes[i].second, seed, deviation)); },
                   ErrorCode::kEnvironment, "there is no room for " + shapes[i].first);
  }));
  NamedTensors named;
  for (size_t i = 0; i < shapes.size(); ++i) {
    named[shapes[i].first] = drawn[i];
  }
  return from_parameters(config, named);
}

Tensor Decoder::hidden(const Tensor& tokens, const Pass& pass) const {
  std::vector<KvCache*> caches = pass.row_caches;
  STITCH_CHECK(caches.empty() || (tokens.size(0) == static_cast<int64_t>(caches.size()) && tokens.size(1) == 1))
      << "rows with caches of their own have a token each";
  if (pass.cache != nullptr) {
    caches.push_back(pass.cache);
  }
  const Tensor positions = pass.positions.defined() ? pass.positions : positions_behind(caches, tokens);
  Tensor hidden = at::embedding(embedding_, tokens);
  Shared shared{{}, {}, pass.allowed, pass.adapter};
  std::tie(shared.cos, shared.sin) = rope_angles(frequencies_, positions, compute_type());
  const bool recomputes = pass.recompute_blocks && caches.empty() && at::GradMode::is_enabled();
  std::vector<LayerCache*> layer_caches(caches.size());
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    const Block& block = blocks_[layer];
    if (recomputes) {
      const auto run = [&block, this, shared](const Tensor& x) { return run_block(block, config_, x, shared, {}); };
      hidden = recomputed(run, hidden, block.trainable());
    } else {
      std::transform(caches.begin(), caches.end(), layer_caches.begin(),
                     [layer](KvCache* cache) { return &cache->layers[layer]; });
      hidden = run_block(block, config_, hidden, shared, layer_caches);
    }
  }
  return rms_norm(hidden, final_norm_, config_.rms_norm_eps, hidden.scalar_type());
}

Tensor Decoder::values(const Tensor& hidden) const {
  STITCH_CHECK(has_value_head()) << "this decoder has no value head";
  return at::linear(hidden.to(score_.weight.scalar_type()), score_.weight, score_.bias).squeeze(-1);
}

KvCache Decoder::make_cache(int64_t batch, int64_t capacity) const {
  KvCache cache;
  const auto options = embedding_.options().dtype(compute_type());
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    const Shape shape = {batch, config_.kv_heads, capacity, config_.head_dim};
    cache.layers.push_back({at::empty(shape, options), at::empty(shape, options), 0});
  }
  return cache;
}

std::vector<Linear*> Decoder::targeted_linears(const weights::AdapterConfig& settings,
                                               std::vector<std::string>& names) {
  std::vector<Linear*> found;
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    for (const auto& [name, linear] : kLinears) {
      const std::string_view last = name.substr(name.find('.') + 1);
      if (std::find(settings.targets.begin(), settings.targets.end(), last) != settings.targets.end()) {
        found.push_back(&(blocks_[layer].*linear));
        names.push_back(layer_prefix(layer) + std::string(name));
      }
    }
  }
  return found;
}

void Decoder::add_adapter(const weights::AdapterConfig& settings, uint64_t seed) {
  NamedTensors drawn;
  std::vector<std::string> names;
  const auto linears = targeted_linears(settings, names);
  for (size_t i = 0; i < linears.size(); ++i) {
    const Tensor& weight = linears[i]->weight;
    const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
    const std::string a = weights::peft_name({names[i], false});
    drawn[a] = at::empty({settings.rank, weight.size(1)}).uniform_(-bound, bound, generator_of(seed, a));
    drawn[weights::peft_name({names[i], true})] = at::zeros({weight.size(0), settings.rank});
  }
  const auto loaded = load_adapter(settings, drawn);
  STITCH_CHECK(loaded.has_value()) << "a drawn adapter has other shapes than its model";
}

Result<void> Decoder::load_adapter(const weights::AdapterConfig& settings, const NamedTensors& parameters) {
  std::vector<std::string> names;
  const auto linears = targeted_linears(settings, names);
  std::map<std::string, Shape> shapes;
  for (size_t i = 0; i < linears.size(); ++i) {
    shapes[weights::peft_name({names[i], false})] = {settings.rank, linears[i]->weight.size(1)};
    shapes[weights::peft_name({names[i], true})] = {linears[i]->weight.size(0), settings.rank};
  }
  STITCH_TRY(check_all(shapes, parameters));
  const auto take = [&](const std::string& name) {
    return parameters.at(name).detach().to(embedding_.device(), at::kFloat).clone().requires_grad_(true);
  };
  for (size_t i = 0; i < linears.size(); ++i) {
    linears[i]->lora_a = take(weights::peft_name({names[i], false}));
    linears[i]->lora_b = take(weights::peft_name({names[i], true}));
    linears[i]->scale = settings.scale();
  }
  train_base(false);
  adapter_ = settings;
  has_adapter_ = true;
  return {};
}

void Decoder::merge_adapter() {
  for (Block& block : blocks_) {
    for (const auto& [name, linear] : kLinears) {
      (block.*linear).merge();
    }
  }
  has_adapter_ = false;
}

void Decoder::add_value_head() {
  const auto options = embedding_.options().dtype(at::kFloat);
  score_.weight = at::zeros({1, config_.hidden_size}, options).requires_grad_(true);
  score_.bias = at::zeros({1}, options).requires_grad_(true);
}

Result<void> Decoder::load_value_head(const NamedTensors& parameters) {
  STITCH_TRY(check_all({{"score.weight", {1, config_.hidden_size}}, {"score.bias", {1}}}, parameters));
  const auto take = [&](const char* name) {
    return parameters.at(name).detach().to(embedding_.device(), at::kFloat).clone().requires_grad_(true);
  };
  score_.weight = take("score.weight");
  score_.bias = take("score.bias");
  return {};
}

Decoder Decoder::twin() const {
  Decoder twin = *this;
  const auto own = [](Tensor& tensor) {
    if (tensor.defined() && tensor.requires_grad()) {
      tensor = tensor.detach().clone().requires_grad_(true);
    }
  };
  for (const auto& [name, slot] : twin.base_slots()) {
    own(*slot);
  }
  for (Block& block : twin.blocks_) {
    for (const auto& [name, linear] : kLinears) {
      own((block.*linear).lora_a);
      own((block.*linear).lora_b);
    }
  }
  own(twin.score_.weight);
  own(twin.score_.bias);
  return twin;
}

void Decoder::train_base(bool takes_part) {
  for (const auto& [name, slot] : base_slots()) {
    slot->requires_grad_(takes_part);
  }
}

NamedTensors Decoder::base_parameters() const {
  NamedTensors named;
  for (const auto& [name, slot] : const_cast<Decoder*>(this)->base_slots()) {
    named[name] = *slot;
  }
  return named;
}

NamedTensors Decoder::adapter_parameters() const {
  NamedTensors named;
  if (!has_adapter_) {
    return named;
  }
  std::vector<std::string> names;
  const auto linears = const_cast<Decoder*>(this)->targeted_linears(adapter_, names);
  for (size_t i = 0; i < linears.size(); ++i) {
    named[weights::peft_name({names[i], false})] = linears[i]->lora_a;
    named[weights::peft_name({names[i], true})] = linears[i]->lora_b;
  }
  return named;
}

NamedTensors Decoder::value_parameters() const {
  return has_value_head() ? NamedTensors{{"score.weight", score_.weight}, {"score.bias", score_.bias}} : NamedTensors{};
}

NamedTensors Decoder::trainable() const {
  NamedTensors named;
  for (const NamedTensors& group : {base_parameters(), adapter_parameters(), value_parameters()}) {
    for (const auto& [name, tensor] : group) {
      if (tensor.requires_grad()) {
        named[name] = tensor;
      }
    }
  }
  return named;
}

}  // namespace stitch::train
