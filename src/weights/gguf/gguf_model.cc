// SPDX-License-Identifier: Apache-2.0
#include "weights/gguf/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::weights {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

constexpr auto kOutside = std::to_array<NamePair>({
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
});
constexpr auto kInBlock = std::to_array<NamePair>({
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
});

std::optional<std::string_view> second_of(std::span<const NamePair> pairs, std::string_view first) {
  const auto* found = std::find_if(pairs.data(), pairs.data() + pairs.size(),
                                   [&](const NamePair& pair) { return pair.first == first; });
  return found == pairs.data() + pairs.size() ? std::nullopt : std::optional(found->second);
}

// The keys of one architecture, put under config.json's names so that one function checks both.
class Translation {
 public:
  Translation(const GgufFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  void integer(const char* from, const char* to) {
    if (const Result<int64_t> value = file_.integer(prefix_ + from); value.has_value()) {
      json_[to] = *value;
    }
  }
  void number(const char* from, const char* to) {
    if (const Result<double> value = file_.number(prefix_ + from); value.has_value()) {
      json_[to] = *value;
    }
  }
  Json& json() { return json_; }

 private:
  const GgufFile& file_;
  std::string prefix_;
  Json json_ = Json::object();
};

Result<void> take_rope(const GgufFile& file, const std::string& prefix, Translation& translation) {
  translation.number("rope.freq_base", "rope_theta");
  if (file.find("rope_freqs.weight") != nullptr) {
    return failure(
        ErrorCode::kUnsupportedOperator,
        "its rotary embedding has a factor for each frequency (rope_freqs.weight), which is not read from GGUF", "",
        "take the model's safetensors, whose config.json says how the factors came about");
  }
  const Result<std::string> scaling = file.text(prefix + "rope.scaling.type");
  if (scaling.has_value() && *scaling != "none") {
    translation.json()["rope_scaling"] = {{"rope_type", *scaling}};
    if (const Result<double> factor = file.number(prefix + "rope.scaling.factor"); factor.has_value()) {
      translation.json()["rope_scaling"]["factor"] = *factor;
    }
  }
  const Result<int64_t> rotated = file.integer(prefix + "rope.dimension_count");
  const Result<int64_t> head_dim = file.integer(prefix + "attention.key_length");
  if (rotated.has_value()) {
    translation.json()["head_dim"] = head_dim.has_value() ? *head_dim : *rotated;
    if (head_dim.has_value() && *head_dim != *rotated) {
      return failure(ErrorCode::kUnsupportedOperator, "only a part of each head is rotated, which is not supported");
    }
  } else if (head_dim.has_value()) {
    translation.json()["head_dim"] = *head_dim;
  }
  return {};
}

void take_special_tokens(const GgufFile& file, Json& json) {
  for (const auto& [from, to] :
       {std::pair("bos", "bos_token_id"), std::pair("eos", "eos_token_id"), std::pair("padding", "pad_token_id")}) {
    const Result<int64_t> id = file.integer(fmt::format("tokenizer.ggml.{}_token_id", from));
    if (id.has_value()) {
      json[to] = *id;
    }
  }
}

}  // namespace

Result<ModelConfig> gguf_model_config(const GgufFile& file) {
  STITCH_ASSIGN(const std::string architecture, file.text("general.architecture"));
  const std::string prefix = printable_line(architecture, 40) + ".";
  Translation translation(file, prefix);
  Json& json = translation.json();
  json["model_type"] = architecture;
  translation.integer("embedding_length", "hidden_size");
  translation.integer("feed_forward_length", "intermediate_size");
  translation.integer("block_count", "num_hidden_layers");
  translation.integer("attention.head_count", "num_attention_heads");
  translation.integer("attention.head_count_kv", "num_key_value_heads");
  translation.integer("context_length", "max_position_embeddings");
  translation.number("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  STITCH_TRY(take_rope(file, prefix, translation));
  const TensorView* embedding = file.find("token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    return failure(ErrorCode::kFileInvalid, "it has no table of embeddings (token_embd.weight)");
  }
  json["vocab_size"] = embedding->shape[0];
  json["tie_word_embeddings"] = file.find("output.weight") == nullptr;
  json["attention_bias"] = file.find("blk.0.attn_q.bias") != nullptr;
  json["mlp_bias"] = file.find("blk.0.ffn_up.bias") != nullptr;
  take_special_tokens(file, json);
  return model_config_from_json(json);
}

std::optional<std::string> checkpoint_name(std::string_view gguf_name) {
  const size_t dot = gguf_name.rfind('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view kind = gguf_name.substr(dot);  // ".weight" or ".bias"
  std::string_view rest = gguf_name.substr(0, dot);
  if (!rest.starts_with("blk.")) {
    const auto found = second_of(kOutside, rest);
    return found.has_value() ? std::optional(fmt::format("{}{}", *found, kind)) : std::nullopt;
  }
  rest.remove_prefix(4);
  const size_t end = rest.find('.');
  const std::string_view number = rest.substr(0, end);
  if (end == std::string_view::npos || number.empty() ||
      number.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto found = second_of(kInBlock, rest.substr(end + 1));
  return found.has_value() ? std::optional(fmt::format("model.layers.{}.{}{}", number, *found, kind)) : std::nullopt;
}

bool has_moved_rows(Architecture architecture, std::string_view checkpoint_name) {
  return architecture == Architecture::kLlama &&
         (checkpoint_name.find(".self_attn.q_proj.") != std::string_view::npos ||
          checkpoint_name.find(".self_attn.k_proj.") != std::string_view::npos);
}

int64_t moved_row(int64_t row, int64_t head_dim) {
  const int64_t head = row / head_dim;
  const int64_t within = row % head_dim;
  const int64_t half = head_dim / 2;
  return head * head_dim + within % half * 2 + within / half;
}

}  // namespace stitch::weights
