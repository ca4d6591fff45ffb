// SPDX-License-Identifier: Apache-2.0
#include "train/model/block.h"

#include <algorithm>

#include "train/model/attended.h"

namespace stitch::train {
namespace {

Tensor rotate_half(const Tensor& x) {
  const int64_t half = x.size(-1) / 2;
  return at::cat({-x.narrow(-1, half, x.size(-1) - half), x.narrow(-1, 0, half)}, -1);
}

// [batch, tokens, heads * head_dim] to [batch, heads, tokens, head_dim]
Tensor split_heads(const Tensor& x, int64_t head_dim) { return x.unflatten(-1, {-1, head_dim}); }

Tensor appended(Tensor& all, const Tensor& fresh, int64_t filled) {
  const int64_t needed = filled + fresh.size(2);
  if (needed > all.size(2)) {
    Tensor larger =
        at::empty({all.size(0), all.size(1), std::max(needed, 2 * all.size(2)), all.size(3)}, all.options());
    larger.narrow(2, 0, filled).copy_(all.narrow(2, 0, filled));
    all = larger;
  }
  all.narrow(2, filled, fresh.size(2)).copy_(fresh);
  return all.narrow(2, 0, needed);
}

// `k` and `v` behind what the cache holds of them.
void extend(LayerCache& cache, Tensor& k, Tensor& v) {
  const int64_t fresh = k.size(2);
  k = appended(cache.keys, k, cache.filled);
  v = appended(cache.values, v, cache.filled);
  cache.filled += fresh;
}

// One token a row, each over its own cache alone: what a row comes to does not depend on how long the others are.
Tensor attention_by_rows(const Tensor& q, const Tensor& k, const Tensor& v, std::span<LayerCache* const> caches) {
  std::vector<Tensor> mixed;
  for (size_t row = 0; row < caches.size(); ++row) {
    const auto at = static_cast<int64_t>(row);
    Tensor keys = k.narrow(0, at, 1);
    Tensor values = v.narrow(0, at, 1);
    extend(*caches[row], keys, values);
    mixed.push_back(attended(q.narrow(0, at, 1), keys, values, std::nullopt, false));
  }
  return at::cat(mixed, 0);
}

Tensor attention(const Block& block, const weights::ModelConfig& config, const Tensor& hidden, const Shared& shared,
                 std::span<LayerCache* const> caches) {
  Tensor q = split_heads(block.q(hidden, shared.adapter), config.head_dim);
  Tensor k = split_heads(block.k(hidden, shared.adapter), config.head_dim);
  if (block.q_norm.defined()) {
    q = rms_norm(q, block.q_norm, config.rms_norm_eps, q.scalar_type());
    k = rms_norm(k, block.k_norm, config.rms_norm_eps, k.scalar_type());
  }
  q = q.transpose(1, 2);
  k = k.transpose(1, 2);
  q = q * shared.cos + rotate_half(q) * shared.sin;
  k = k * shared.cos + rotate_half(k) * shared.sin;
  Tensor v = split_heads(block.v(hidden, shared.adapter), config.head_dim).transpose(1, 2);
  if (caches.size() > 1) {
    return block.o(attention_by_rows(q, k, v, caches).transpose(1, 2).flatten(2), shared.adapter);
  }
  if (!caches.empty()) {
    extend(*caches.front(), k, v);
  }
  const auto mask = shared.allowed.defined() ? std::optional(shared.allowed) : std::nullopt;
  // One token after others reads them all; more than one do so only with a mask.
  const bool causal = !mask.has_value() && hidden.size(1) > 1;
  const Tensor mixed = attended(q, k, v, mask, causal);
  return block.o(mixed.transpose(1, 2).flatten(2), shared.adapter);
}

}  // namespace

std::vector<std::string> all_linears() {
  std::vector<std::string> words;
  for (const auto& [name, linear] : kLinears) {
    words.emplace_back(name.substr(name.find('.') + 1));
  }
  return words;
}

std::vector<Tensor> Block::trainable() const {
  std::vector<Tensor> all;
  for (const auto& [name, norm] : kNorms) {
    if ((this->*norm).defined() && (this->*norm).requires_grad()) {
      all.push_back(this->*norm);
    }
  }
  for (const auto& [name, linear] : kLinears) {
    (this->*linear).append_trainable(all);
  }
  return all;
}

Tensor rms_norm(const Tensor& hidden, const Tensor& weight, double eps, at::ScalarType type) {
  const auto wide = hidden.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const Tensor x = hidden.to(wide);
  const Tensor normed = x * at::rsqrt(x.pow(2).mean(-1, true) + eps);
  return (weight * normed.to(hidden.scalar_type())).to(type);
}

Tensor run_block(const Block& block, const weights::ModelConfig& config, const Tensor& hidden, const Shared& shared,
                 std::span<LayerCache* const> caches) {
  const auto type = shared.cos.scalar_type();
  const Tensor normed = rms_norm(hidden, block.input_norm, config.rms_norm_eps, type);
  const Tensor attended = hidden + attention(block, config, normed, shared, caches);
  const Tensor x = rms_norm(attended, block.post_attention_norm, config.rms_norm_eps, type);
  const Tensor gated = at::silu(block.gate(x, shared.adapter)) * block.up(x, shared.adapter);
  return attended + block.down(gated, shared.adapter);
}

}  // namespace stitch::train
