// SPDX-License-Identifier: Apache-2.0
#include "weights/config/model_config.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/large_json.h"
#include "base/text/printable.h"

namespace stitch::weights {
namespace {

constexpr int64_t kMaxConfigSize = int64_t{1} << 31;
constexpr size_t kMaxShownWord = 60;

Unexpected bad_config(const std::string& why) { return failure(ErrorCode::kFileInvalid, why); }
Unexpected beyond_us(const std::string& what) {
  return failure(ErrorCode::kUnsupportedOperator, what, "", "choose a dense Llama or Qwen3 model");
}

// null counts as absent, as it does in transformers.
const Json* member_or_null(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

Result<int64_t> size_or(const Json& json, const char* key, std::optional<int64_t> fallback) {
  if (member_or_null(json, key) == nullptr && fallback.has_value()) {
    return *fallback;
  }
  STITCH_ASSIGN(const int64_t value, json_int(json, key));
  if (!(value >= 1 && value <= kMaxConfigSize)) {
    return bad_config(fmt::format("member \"{}\" is {}, which is no size of a model", key, value));
  }
  return value;
}

Result<double> positive_or(const Json& json, const char* key, std::optional<double> fallback) {
  if (member_or_null(json, key) == nullptr && fallback.has_value()) {
    return *fallback;
  }
  STITCH_ASSIGN(const double value, json_double(json, key));
  if (!(std::isfinite(value) && value > 0)) {
    return bad_config(fmt::format("member \"{}\" is not a positive number", key));
  }
  return value;
}

Result<bool> bool_or(const Json& json, const char* key, bool fallback) {
  return member_or_null(json, key) == nullptr ? Result<bool>(fallback) : json_bool(json, key);
}

Result<std::string> string_or(const Json& json, const char* key, const std::string& fallback) {
  return member_or_null(json, key) == nullptr ? Result<std::string>(fallback) : json_string(json, key);
}

Result<std::vector<int64_t>> token_ids(const Json& json, const char* key) {
  const Json* found = member_or_null(json, key);
  if (found == nullptr) {
    return std::vector<int64_t>{};
  }
  if (found->is_array()) {
    return json_int_list(json, key);
  }
  STITCH_ASSIGN(const int64_t only, json_int(json, key));
  return std::vector<int64_t>{only};
}

Result<std::optional<int64_t>> token_id(const Json& json, const char* key) {
  STITCH_ASSIGN(const std::vector<int64_t> ids, token_ids(json, key));
  return ids.empty() ? std::nullopt : std::optional(ids.front());
}

Result<Architecture> architecture_of(const Json& json) {
  STITCH_ASSIGN(const std::string name, json_string(json, "model_type"));
  if (name == "llama") {
    return Architecture::kLlama;
  }
  if (name == "qwen3") {
    return Architecture::kQwen3;
  }
  return beyond_us(fmt::format("model_type \"{}\" is not supported", printable_line(name, kMaxShownWord)));
}

Result<DType> dtype_of(const Json& json) {
  STITCH_ASSIGN(const std::string old_name, string_or(json, "torch_dtype", "float32"));
  STITCH_ASSIGN(const std::string name, string_or(json, "dtype", old_name));
  if (name == "float32") {
    return DType::kF32;
  }
  if (name == "bfloat16") {
    return DType::kBF16;
  }
  if (name == "float16") {
    return DType::kF16;
  }
  return beyond_us(fmt::format("dtype \"{}\" is not supported", printable_line(name, kMaxShownWord)));
}

Result<Rope> scaled_rope(const Json& json, Rope rope) {
  STITCH_ASSIGN(const std::string old_name, string_or(json, "type", "default"));
  STITCH_ASSIGN(const std::string name, string_or(json, "rope_type", old_name));
  STITCH_ASSIGN(rope.theta, positive_or(json, "rope_theta", rope.theta));
  STITCH_ASSIGN(const double rotated, positive_or(json, "partial_rotary_factor", 1.0));
  if (rotated != 1.0) {
    return beyond_us("partial_rotary_factor other than 1 is not supported");
  }
  if (name == "default") {
    return rope;
  }
  if (name != "linear" && name != "llama3") {
    return beyond_us(fmt::format("rope_type \"{}\" is not supported", printable_line(name, kMaxShownWord)));
  }
  rope.kind = name == "linear" ? RopeKind::kLinear : RopeKind::kLlama3;
  STITCH_ASSIGN(rope.factor, positive_or(json, "factor", std::nullopt));
  if (rope.kind == RopeKind::kLlama3) {
    STITCH_ASSIGN(rope.low_freq_factor, positive_or(json, "low_freq_factor", std::nullopt));
    STITCH_ASSIGN(rope.high_freq_factor, positive_or(json, "high_freq_factor", std::nullopt));
    STITCH_ASSIGN(rope.original_max_positions, size_or(json, "original_max_position_embeddings", std::nullopt));
    if (!(rope.high_freq_factor > rope.low_freq_factor)) {
      return bad_config("member \"high_freq_factor\" is not above \"low_freq_factor\"");
    }
  }
  return rope;
}

// Version 4: rope_theta beside rope_scaling; version 5: both in rope_parameters, which has the last word.
Result<Rope> rope_of(const Json& json) {
  Rope rope;
  STITCH_ASSIGN(rope.theta, positive_or(json, "rope_theta", rope.theta));
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    if (member_or_null(json, key) != nullptr) {
      STITCH_ASSIGN(const Json* found, json_object(json, key));
      return scaled_rope(*found, rope);
    }
  }
  return rope;
}

// What transformers computes and we do not.
Result<void> refuse_the_unknown(const Json& json) {
  STITCH_ASSIGN(const std::string activation, string_or(json, "hidden_act", "silu"));
  if (activation != "silu") {
    return beyond_us(fmt::format("hidden_act \"{}\" is not supported", printable_line(activation, kMaxShownWord)));
  }
  STITCH_ASSIGN(const bool has_window, bool_or(json, "use_sliding_window", false));
  const Json* kinds = member_or_null(json, "layer_types");
  bool is_full = kinds == nullptr || kinds->is_array();
  for (size_t i = 0; is_full && kinds != nullptr && i < kinds->size(); ++i) {
    is_full = (*kinds)[i] == "full_attention";
  }
  if (has_window || !is_full) {
    return beyond_us("attention in a sliding window is not supported");
  }
  if (member_or_null(json, "quantization_config") != nullptr) {
    return beyond_us("weights that were quantised for PyTorch are not supported");
  }
  return {};
}

Result<void> check_sizes(const ModelConfig& config) {
  if (config.heads % config.kv_heads != 0) {
    return bad_config(fmt::format("{} heads do not divide among {} of keys and values", config.heads, config.kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    return bad_config(fmt::format("head_dim {} is odd, which the rotary embedding cannot split", config.head_dim));
  }
  return {};
}

}  // namespace

std::string_view to_string(Architecture architecture) {
  return architecture == Architecture::kLlama ? "llama" : "qwen3";
}

Result<ModelConfig> model_config_from_json(const Json& json) {
  ModelConfig config;
  STITCH_ASSIGN(config.architecture, architecture_of(json));
  STITCH_TRY(refuse_the_unknown(json));
  STITCH_ASSIGN(config.vocab_size, size_or(json, "vocab_size", std::nullopt));
  STITCH_ASSIGN(config.hidden_size, size_or(json, "hidden_size", std::nullopt));
  STITCH_ASSIGN(config.intermediate_size, size_or(json, "intermediate_size", std::nullopt));
  STITCH_ASSIGN(config.layers, size_or(json, "num_hidden_layers", std::nullopt));
  STITCH_ASSIGN(config.heads, size_or(json, "num_attention_heads", std::nullopt));
  STITCH_ASSIGN(config.kv_heads, size_or(json, "num_key_value_heads", config.heads));
  const bool is_qwen = config.architecture == Architecture::kQwen3;  // whose head_dim transformers takes for 128
  if (!is_qwen && member_or_null(json, "head_dim") == nullptr && config.hidden_size % config.heads != 0) {
    return bad_config(fmt::format("hidden_size {} does not divide among {} heads", config.hidden_size, config.heads));
  }
  STITCH_ASSIGN(config.head_dim, size_or(json, "head_dim", is_qwen ? 128 : config.hidden_size / config.heads));
  STITCH_ASSIGN(config.max_positions, size_or(json, "max_position_embeddings", std::nullopt));
  STITCH_ASSIGN(config.rms_norm_eps, positive_or(json, "rms_norm_eps", config.rms_norm_eps));
  STITCH_ASSIGN(config.rope, rope_of(json));
  STITCH_ASSIGN(config.ties_embeddings, bool_or(json, "tie_word_embeddings", false));
  STITCH_ASSIGN(config.has_attention_bias, bool_or(json, "attention_bias", false));
  STITCH_ASSIGN(config.has_mlp_bias, bool_or(json, "mlp_bias", false));
  STITCH_ASSIGN(config.dtype, dtype_of(json));
  STITCH_ASSIGN(config.bos_token, token_id(json, "bos_token_id"));
  STITCH_ASSIGN(config.eos_tokens, token_ids(json, "eos_token_id"));
  STITCH_ASSIGN(config.pad_token, token_id(json, "pad_token_id"));
  STITCH_TRY(check_sizes(config));
  return config;
}

Result<ModelConfig> read_model_config(const std::filesystem::path& config_json) {
  STITCH_ASSIGN(const std::string text, read_file(config_json));
  Result<Json> json = parse_large_json(text, config_json.string());
  if (!json.has_value()) {
    return located(Result<ModelConfig>(failure(json.error())), config_json.string(), "");
  }
  Result<ModelConfig> config = model_config_from_json(*json);
  if (!config.has_value()) {
    return located(Result<ModelConfig>(failure(with_context(config.error(), config_json.string()))),
                   config_json.string(), "correct the file, or download it again");
  }
  return config;
}

namespace {

Json rope_json(const Rope& rope) {
  Json json{{"rope_theta", rope.theta}, {"rope_type", "default"}};
  if (rope.kind == RopeKind::kLinear) {
    json["rope_type"] = "linear";
    json["factor"] = rope.factor;
  } else if (rope.kind == RopeKind::kLlama3) {
    json["rope_type"] = "llama3";
    json["factor"] = rope.factor;
    json["low_freq_factor"] = rope.low_freq_factor;
    json["high_freq_factor"] = rope.high_freq_factor;
    json["original_max_position_embeddings"] = rope.original_max_positions;
  }
  return json;
}

void put_tokens(const ModelConfig& config, Json& json) {
  json["bos_token_id"] = config.bos_token.has_value() ? Json(*config.bos_token) : Json();
  json["eos_token_id"] = config.eos_tokens.size() == 1 ? Json(config.eos_tokens.front())
                         : config.eos_tokens.empty()   ? Json()
                                                       : Json(config.eos_tokens);
  json["pad_token_id"] = config.pad_token.has_value() ? Json(*config.pad_token) : Json();
}

}  // namespace

Json to_json(const ModelConfig& config) {
  const bool is_qwen = config.architecture == Architecture::kQwen3;
  const char* dtype = config.dtype == DType::kBF16 ? "bfloat16" : config.dtype == DType::kF16 ? "float16" : "float32";
  Json json{{"architectures", Json::array({is_qwen ? "Qwen3ForCausalLM" : "LlamaForCausalLM"})},
            {"model_type", to_string(config.architecture)},
            {"vocab_size", config.vocab_size},
            {"hidden_size", config.hidden_size},
            {"intermediate_size", config.intermediate_size},
            {"num_hidden_layers", config.layers},
            {"num_attention_heads", config.heads},
            {"num_key_value_heads", config.kv_heads},
            {"head_dim", config.head_dim},
            {"max_position_embeddings", config.max_positions},
            {"hidden_act", "silu"},
            {"rms_norm_eps", config.rms_norm_eps},
            {"tie_word_embeddings", config.ties_embeddings},
            {"attention_bias", config.has_attention_bias}};
  if (!is_qwen) {
    json["mlp_bias"] = config.has_mlp_bias;
  }
  json["rope_parameters"] = rope_json(config.rope);
  json["rope_theta"] = config.rope.theta;
  if (config.rope.kind != RopeKind::kDefault) {
    json["rope_scaling"] = rope_json(config.rope);
    json["rope_scaling"].erase("rope_theta");
  }
  json["dtype"] = dtype;
  json["torch_dtype"] = dtype;
  put_tokens(config, json);
  return json;
}

}  // namespace stitch::weights
