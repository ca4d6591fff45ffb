// SPDX-License-Identifier: Apache-2.0
#include "recipe/needs/needs.h"

#include <algorithm>
#include <cmath>

namespace stitch::recipe {
namespace {

constexpr double kFp32Bytes = 4;
constexpr double kOptimizerCopies = 4;  // weights, gradients and AdamW's two moments, in fp32

bool is_offline(const Stage& stage) { return stage.verb == "rft" || stage.verb == "value"; }
// Rft and value draw answers, or learn from files of those that were.
bool draws(const Stage& stage) {
  return stage.verb == "grpo" || stage.verb == "ppo" || (is_offline(stage) && !stage.keys.contains("data"));
}
bool has_critic(const Stage& stage) { return stage.verb == "ppo" || stage.verb == "value"; }

double activation_bytes_of(const Stage& stage) {
  return text_at(stage.keys, "model.dtype") == "bfloat16" ? 2 : kFp32Bytes;
}

// Of one token in one block, what backward needs when nothing is computed again: inputs of both norms and of the seven
// linear layers, their results, the gated product, and of an adapter what lies between its two matrices.
double stored_of_block(const ModelSizes& sizes, double rank) {
  const double attention = sizes.heads * sizes.head_dim;
  const double keys = 2 * sizes.kv_heads * sizes.head_dim;
  return 6 * sizes.hidden + 3 * attention + 2 * keys + 4 * sizes.intermediate + 7 * rank;
}

void set_lengths(const Stage& stage, Needs& needs) {
  if (draws(stage)) {
    needs.samples = number_at(stage.keys, "algo.prompts_per_step", 8) *
                    number_at(stage.keys, "algo.group_size", stage.verb == "ppo" ? 1 : 8);
    needs.prompt_tokens = number_at(stage.keys, "prompts.max_tokens", 2048);
    needs.answer_tokens = number_at(stage.keys, "rollout.max_tokens", 1024) * number_at(stage.keys, "rollout.turns", 1);
    needs.drawn_tokens = needs.samples * needs.answer_tokens;
    if (is_offline(stage)) {
      needs.samples = number_at(stage.keys, "batch", 8);
      // Before the first step, of each prompt; how many prompts there are stands in no key.
      needs.drawn_tokens = 0;
    }
  } else {
    needs.samples = number_at(stage.keys, "batch", 8);
    needs.prompt_tokens = number_at(stage.keys, "data.max_tokens", 2048);
  }
  needs.tokens = needs.samples * (needs.prompt_tokens + needs.answer_tokens);
}

void set_weights(const Stage& stage, const ModelSizes& sizes, double rank, bool is_adapted, Needs& needs) {
  std::vector<std::string> targets;
  if (const Json named = value_at(stage.keys, "lora.targets"); named.is_array()) {
    targets = named.get<std::vector<std::string>>();
  }
  needs.parameters = parameters_of(sizes);
  const double policy = is_adapted ? adapter_parameters_of(sizes, rank, targets) : needs.parameters;
  const double critics = has_critic(stage) ? policy + sizes.hidden + 1 : 0;  // of its own, and its head
  const bool is_value = stage.verb == "value";
  needs.trained_parameters = (is_value ? 0 : policy) + critics;
  const double base_bytes = text_at(stage.keys, "model.dtype") == "bfloat16" ? 2 : kFp32Bytes;
  // Without an adapter the base is what is trained, and stands among the optimizer's copies; a reference policy beside
  // it is a copy of its own, which with an adapter is the model without it.
  const std::string kl = text_at(stage.keys, "algo.kl");
  const bool has_reference = draws(stage) && !kl.empty() && kl != "off";
  needs.weight_bytes = is_adapted || has_reference ? needs.parameters * base_bytes : 0;
  needs.optimizer_bytes = needs.trained_parameters * kFp32Bytes * kOptimizerCopies;
}

void set_memory(const Stage& stage, const ModelSizes& sizes, double rank, Needs& needs) {
  const double length = needs.prompt_tokens + needs.answer_tokens;
  const double micro_batch = std::min(number_at(stage.keys, "micro_batch", needs.samples), needs.samples);
  const double bytes = activation_bytes_of(stage);
  const double block = stored_of_block(sizes, rank);
  const Json recomputes = value_at(stage.keys, "recompute_blocks");
  const double stored = recomputes.is_boolean() && recomputes.get<bool>()
                            ? sizes.layers * sizes.hidden + block  // inputs of all blocks, and one block at a time
                            : sizes.layers * block;
  needs.activation_bytes = micro_batch * length * bytes * stored;
  const double chunk = std::min(number_at(stage.keys, "head_chunk", 1024), micro_batch * length);
  needs.head_bytes = 2 * chunk * sizes.vocabulary * kFp32Bytes;
  if (draws(stage)) {
    const double at_once = std::min(number_at(stage.keys, "rollout.batch", needs.samples), needs.samples);
    needs.cache_bytes = at_once * length * sizes.layers * 2 * sizes.kv_heads * sizes.head_dim * bytes;
  }
}

// Forward is two operations a parameter and token, backward as much again for the inputs and, where weights are trained
// as they are, for the weights; blocks that are computed again cost one forward more. Attention: four times length
// times heads a token and layer, half of it masked.
double flops_of(const Stage& stage, const ModelSizes& sizes, bool is_adapted, const Needs& needs) {
  const double length = needs.prompt_tokens + needs.answer_tokens;
  const Json recomputes = value_at(stage.keys, "recompute_blocks");
  const double passes = 2 + (is_adapted ? 0 : 1) + (recomputes.is_boolean() && recomputes.get<bool>() ? 1 : 0);
  const double epochs = number_at(stage.keys, "algo.epochs", 1);
  const double token = 2 * needs.parameters + 2 * length * sizes.layers * sizes.heads * sizes.head_dim;
  return needs.tokens * token * passes * epochs * (stage.verb == "ppo" ? 2 : 1) + needs.drawn_tokens * token;
}

}  // namespace

Needs needs_of(const Stage& stage, const ModelSizes& sizes, double adapter_rank) {
  Needs needs;
  const bool is_adapted = stage.keys.contains("lora") || !text_at(stage.keys, "model.adapter").empty();
  const double rank = is_adapted ? number_at(stage.keys, "lora.r", adapter_rank) : 0;
  needs.steps = number_at(stage.keys, "steps", 0);
  set_lengths(stage, needs);
  set_weights(stage, sizes, rank, is_adapted, needs);
  set_memory(stage, sizes, rank, needs);
  needs.flops = flops_of(stage, sizes, is_adapted, needs);
  return needs;
}

}  // namespace stitch::recipe
