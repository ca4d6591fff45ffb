// SPDX-License-Identifier: Apache-2.0
// What config.json says of a dense decoder: Llama's and Qwen3's, as transformers 4 and 5 write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "weights/tensor/dtype.h"

namespace stitch::weights {

enum class Architecture {
  kLlama,
  kQwen3,  // as Llama, with RMSNorm on each head's q and k before the rotary embedding
};

std::string_view to_string(Architecture architecture);  // "llama", "qwen3": config.json's model_type

enum class RopeKind {
  kDefault,
  kLinear,  // positions are divided by `factor`
  kLlama3,  // long wavelengths are stretched by `factor` (transformers' "llama3")
};

struct Rope {
  RopeKind kind = RopeKind::kDefault;
  double theta = 10000;
  double factor = 1;
  double low_freq_factor = 1;  // kLlama3 alone, as the next two
  double high_freq_factor = 4;
  int64_t original_max_positions = 0;
};

struct ModelConfig {
  Architecture architecture = Architecture::kLlama;
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;  // not always hidden_size / heads
  int64_t max_positions = 0;
  double rms_norm_eps = 1e-6;
  Rope rope;
  bool ties_embeddings = false;
  bool has_attention_bias = false;
  bool has_mlp_bias = false;
  DType dtype = DType::kF32;  // what the weights were stored as
  std::optional<int64_t> bos_token;
  std::vector<int64_t> eos_tokens;
  std::optional<int64_t> pad_token;
};

// kFileInvalid where a size is missing, not positive, above 2^31, or does not fit the others; kUnsupportedOperator
// where the file asks for what our models do not compute (another rope_type, sliding windows, another activation, ...).
Result<ModelConfig> model_config_from_json(const Json& json);
Result<ModelConfig> read_model_config(const std::filesystem::path& config_json);

// With both the old keys and those of version 5, so that either version reads it.
Json to_json(const ModelConfig& config);

}  // namespace stitch::weights
