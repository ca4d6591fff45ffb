// SPDX-License-Identifier: Apache-2.0
// A file of src/train/testdata/golden, which make_goldens.py wrote; and a tiny decoder for tests that need none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/json/json.h"
#include "train/model/decoder.h"
#include "train/torch/runtime.h"
#include "weights/safetensors/safetensors_file.h"

namespace stitch::train {

struct Golden {
  weights::ModelConfig config;
  NamedTensors tensors;

  const Tensor& at(const std::string& name) const { return tensors.at(name); }
  // Those whose names begin with PREFIX/, without it.
  NamedTensors below(const std::string& prefix) const {
    NamedTensors found;
    for (const auto& [name, tensor] : tensors) {
      if (name.starts_with(prefix + "/")) {
        found[name.substr(prefix.size() + 1)] = tensor;
      }
    }
    return found;
  }
  Decoder decoder() const { return Decoder::from_parameters(config, below("param")).value(); }
};

inline Golden read_golden(const std::string& name) {
  compute_reproducibly();
  const std::string path = STITCH_SOURCE_DIR "/src/train/testdata/golden/" + name + ".safetensors";
  const auto file = weights::SafetensorsFile::open(path).value();
  const Json config = parse_json(file.metadata().at("config"), path).value();
  return {weights::model_config_from_json(config).value(), tensors_of(file.tensors()).value()};
}

inline constexpr const char* kGoldens[] = {"qwen3_tied", "qwen3_untied", "llama_tied_llama3", "llama_untied_biases"};

inline weights::ModelConfig tiny_config() {
  weights::ModelConfig config;
  config.architecture = weights::Architecture::kQwen3;
  config.vocab_size = 16;
  config.hidden_size = 12;
  config.intermediate_size = 10;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 4;
  config.max_positions = 64;
  return config;
}

// On all linear layers.
inline weights::AdapterConfig adapter_of(int64_t rank, double alpha) {
  weights::AdapterConfig config;
  config.rank = rank;
  config.alpha = alpha;
  config.targets = all_linears();
  return config;
}

// Largest difference of two tensors.
inline double distance(const Tensor& a, const Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}
// Of two gradients, in relation to the second; 0 where both are none.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  const double norm = b.to(at::kDouble).norm().item<double>();
  return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>() / (norm > 0 ? norm : 1);
}

}  // namespace stitch::train
