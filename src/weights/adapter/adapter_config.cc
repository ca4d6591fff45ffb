// SPDX-License-Identifier: Apache-2.0
#include "weights/adapter/adapter_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/large_json.h"
#include "base/text/printable.h"

namespace stitch::weights {
namespace {

constexpr int64_t kMaxRank = 65536;
constexpr size_t kMaxShownMember = 60;
constexpr std::string_view kPrefix = "base_model.model.";
constexpr std::string_view kSuffixA = ".lora_A.weight";
constexpr std::string_view kSuffixB = ".lora_B.weight";

Unexpected no_plain_lora(const std::string& what) {
  return failure(ErrorCode::kUnsupportedOperator, what + " is not supported", "",
                 "choose a LoRA adapter of whole linear layers, without further parts");
}

// null, false, 0, "" and empty lists and objects: what a member that asks for nothing says.
bool asks_for_nothing(const Json& value) {
  return value.is_null() || value == false || value == 0 || value == "" || (value.is_structured() && value.empty());
}

// Members that change what is computed. What else PEFT writes says where the adapter came from.
Result<void> refuse_variants(const Json& json) {
  for (const char* key :
       {"use_dora", "rank_pattern", "alpha_pattern", "modules_to_save", "layers_to_transform", "layers_pattern",
        "fan_in_fan_out", "layer_replication", "target_parameters", "lora_bias", "trainable_token_indices",
        "exclude_modules", "use_qalora", "alora_invocation_tokens", "arrow_config", "corda_config", "eva_config"}) {
    const auto found = json.find(key);
    if (found != json.end() && !asks_for_nothing(*found)) {
      return no_plain_lora(fmt::format("member \"{}\"", key));
    }
  }
  const std::string bias = json.contains("bias") && json["bias"].is_string() ? json["bias"].get<std::string>() : "none";
  if (bias != "none") {
    return no_plain_lora(fmt::format("bias \"{}\"", printable_line(bias, kMaxShownMember)));
  }
  return {};
}

Result<std::vector<std::string>> targets_of(const Json& json) {
  if (json.contains("target_modules") && json["target_modules"] == "all-linear") {
    return std::vector<std::string>{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  }
  STITCH_ASSIGN(const Json* list, json_array(json, "target_modules"));
  std::vector<std::string> targets;
  for (const Json& item : *list) {
    if (!item.is_string()) {
      return failure(ErrorCode::kFileInvalid, "member \"target_modules\" holds something other than names");
    }
    targets.push_back(item.get<std::string>());
  }
  std::sort(targets.begin(), targets.end());
  return targets;
}

}  // namespace

double AdapterConfig::scale() const {
  const auto divisor = static_cast<double>(rank);
  return alpha / (is_rank_stabilised ? std::sqrt(divisor) : divisor);
}

Result<AdapterConfig> adapter_config_from_json(const Json& json) {
  AdapterConfig config;
  STITCH_ASSIGN(const std::string kind, json_string(json, "peft_type"));
  if (kind != "LORA") {
    return no_plain_lora(fmt::format("peft_type \"{}\"", printable_line(kind, kMaxShownMember)));
  }
  STITCH_TRY(refuse_variants(json));
  STITCH_ASSIGN(config.rank, json_int(json, "r"));
  STITCH_ASSIGN(config.alpha, json_double(json, "lora_alpha"));
  if (!(config.rank >= 1 && config.rank <= kMaxRank)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("member \"r\" is {}, which is no rank", config.rank));
  }
  if (json.contains("lora_dropout")) {
    STITCH_ASSIGN(config.dropout, json_double(json, "lora_dropout"));
  }
  if (!(std::isfinite(config.alpha) && config.dropout >= 0 && config.dropout < 1)) {
    return failure(ErrorCode::kFileInvalid, "member \"lora_dropout\" is not in [0, 1)");
  }
  if (json.contains("use_rslora")) {
    STITCH_ASSIGN(config.is_rank_stabilised, json_bool(json, "use_rslora"));
  }
  STITCH_ASSIGN(config.targets, targets_of(json));
  const auto base = json.find("base_model_name_or_path");
  config.base_model = base != json.end() && base->is_string() ? base->get<std::string>() : "";
  return config;
}

Result<AdapterConfig> read_adapter_config(const std::filesystem::path& adapter_config_json) {
  STITCH_ASSIGN(const std::string text, read_file(adapter_config_json));
  Result<Json> json = parse_large_json(text, adapter_config_json.string());
  if (!json.has_value()) {
    return located(Result<AdapterConfig>(failure(json.error())), adapter_config_json.string(), "");
  }
  Result<AdapterConfig> config = adapter_config_from_json(*json);
  if (!config.has_value()) {
    return located(Result<AdapterConfig>(failure(with_context(config.error(), adapter_config_json.string()))),
                   adapter_config_json.string(), "correct the file, or train the adapter again");
  }
  return config;
}

Json to_json(const AdapterConfig& config) {
  return {{"peft_type", "LORA"},
          {"task_type", "CAUSAL_LM"},
          {"base_model_name_or_path", config.base_model.empty() ? Json() : Json(config.base_model)},
          {"r", config.rank},
          {"lora_alpha", config.alpha},
          {"lora_dropout", config.dropout},
          {"bias", "none"},
          {"target_modules", config.targets},
          {"use_rslora", config.is_rank_stabilised},
          {"fan_in_fan_out", false},
          {"inference_mode", true}};
}

std::string peft_name(const AdapterTensorName& name) {
  return fmt::format("{}{}{}", kPrefix, name.layer, name.is_b ? kSuffixB : kSuffixA);
}

std::optional<AdapterTensorName> from_peft_name(std::string_view name) {
  const bool is_b = name.ends_with(kSuffixB);
  if (!name.starts_with(kPrefix) || !(is_b || name.ends_with(kSuffixA)) ||
      name.size() <= kPrefix.size() + kSuffixA.size()) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffixA.size());
  return AdapterTensorName{std::string(name), is_b};
}

}  // namespace stitch::weights
