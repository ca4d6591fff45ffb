// SPDX-License-Identifier: Apache-2.0
// One layer of a dense decoder: attention, then the gated feed-forward part, each behind an RMSNorm and added to what
// came in. As transformers' modeling_llama.py and modeling_qwen3.py compute it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "train/model/linear.h"
#include "weights/config/model_config.h"

namespace stitch::train {

struct Block {
  Tensor input_norm, post_attention_norm;  // [hidden]
  Tensor q_norm, k_norm;                   // [head_dim], Qwen3 alone
  Linear q, k, v, o, gate, up, down;

  std::vector<Tensor> trainable() const;
};

// The linear layers by the names that transformers and PEFT give them, below model.layers.N.
inline constexpr std::array<std::pair<std::string_view, Linear Block::*>, 7> kLinears = {{
    {"self_attn.q_proj", &Block::q},
    {"self_attn.k_proj", &Block::k},
    {"self_attn.v_proj", &Block::v},
    {"self_attn.o_proj", &Block::o},
    {"mlp.gate_proj", &Block::gate},
    {"mlp.up_proj", &Block::up},
    {"mlp.down_proj", &Block::down},
}};
// "q_proj", ...: what an adapter names when it is on all of them.
std::vector<std::string> all_linears();

inline constexpr std::array<std::pair<std::string_view, Tensor Block::*>, 4> kNorms = {{
    {"input_layernorm", &Block::input_norm},
    {"post_attention_layernorm", &Block::post_attention_norm},
    {"self_attn.q_norm", &Block::q_norm},
    {"self_attn.k_norm", &Block::k_norm},
}};

// Keys and values of the tokens so far, of one layer: [batch, kv_heads, capacity, head_dim], and how many are filled.
// It grows by doubling where they do not suffice.
struct LayerCache {
  Tensor keys, values;
  int64_t filled = 0;
};

// What all layers of one forward pass share.
struct Shared {
  Tensor cos, sin;  // [batch or 1, 1, tokens, head_dim], in the element type that layers compute in
  Tensor allowed;   // bool [batch, 1, tokens, keys]: which keys a token reads; undefined: those up to itself
  bool adapter = true;
};

// `hidden` is [batch, tokens, hidden]; layers compute in the type of `shared.cos`, and their sum is that of `hidden`.
// `caches` are extended by the tokens: none, one that holds all rows, or, for one
// token a row, as many as there are rows, each with what came before in its row alone.
Tensor run_block(const Block& block, const weights::ModelConfig& config, const Tensor& hidden, const Shared& shared,
                 std::span<LayerCache* const> caches);

// In fp32 (fp64 for fp64), then back, then times the weight, then as `type`.
Tensor rms_norm(const Tensor& hidden, const Tensor& weight, double eps, at::ScalarType type);

}  // namespace stitch::train
