// SPDX-License-Identifier: Apache-2.0
// A low-rank adapter as PEFT stores it: adapter_config.json, and how adapter_model.safetensors names its tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::weights {

struct AdapterConfig {
  int64_t rank = 8;
  double alpha = 8;
  double dropout = 0;
  bool is_rank_stabilised = false;   // PEFT's use_rslora
  std::vector<std::string> targets;  // last words of the layers' names: "q_proj", "down_proj", ...
  std::string base_model;            // where the base is to be had; may be empty

  // What B A is multiplied with: alpha / rank, or alpha / sqrt(rank).
  double scale() const;
};

// kUnsupportedOperator for what is more than LoRA on whole linear layers (DoRA, ranks by pattern, trained biases, ...).
Result<AdapterConfig> adapter_config_from_json(const Json& json);
Result<AdapterConfig> read_adapter_config(const std::filesystem::path& adapter_config_json);
Json to_json(const AdapterConfig& config);

// One of the two matrices of a layer: A is rank x in, B is out x rank.
struct AdapterTensorName {
  std::string layer;  // "model.layers.0.self_attn.q_proj", as in the checkpoint, without ".weight"
  bool is_b = false;
};

// "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", and back; empty: no name of this kind.
std::string peft_name(const AdapterTensorName& name);
std::optional<AdapterTensorName> from_peft_name(std::string_view name);

}  // namespace stitch::weights
