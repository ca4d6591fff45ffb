// SPDX-License-Identifier: Apache-2.0
#include "train/model/token_scores.h"

#include <algorithm>

#include "train/tensors/recompute.h"

namespace stitch::train {
namespace {

// [n, 1] or, with the entropy behind it, [n, 2].
Tensor chunk_scores(const Tensor& hidden, const Tensor& head, const Tensor& targets, const ScoreSettings& settings) {
  const auto wide = hidden.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const Tensor logits = at::linear(hidden, head).to(wide) / settings.temperature;
  const Tensor all = at::log_softmax(logits, -1);
  const Tensor chosen = all.gather(-1, targets.unsqueeze(-1));
  if (!settings.with_entropy) {
    return chosen;
  }
  const Tensor entropy = -(all.exp() * all).sum(-1, true);
  return at::cat({chosen, entropy}, -1);
}

}  // namespace

TokenScores head_scores(const Decoder& decoder, const Tensor& hidden, const Tensor& targets,
                        const ScoreSettings& settings) {
  const Tensor& head = decoder.head();
  std::vector<Tensor> parameters;
  if (head.requires_grad()) {
    parameters.push_back(head);
  }
  std::vector<Tensor> parts;
  for (int64_t at = 0; at < targets.size(0); at += settings.chunk) {
    const int64_t count = std::min(settings.chunk, targets.size(0) - at);
    const Tensor answers = targets.narrow(0, at, count);
    const auto run = [head, answers, settings](const Tensor& x) { return chunk_scores(x, head, answers, settings); };
    const Tensor rows = hidden.narrow(0, at, count);
    parts.push_back(at::GradMode::is_enabled() ? recomputed(run, rows, parameters) : run(rows));
  }
  if (parts.empty()) {
    parts.push_back(at::zeros({0, settings.with_entropy ? 2 : 1}, hidden.options()));
  }
  const Tensor all = at::cat(parts, 0);
  return {all.select(-1, 0), settings.with_entropy ? all.select(-1, 1) : Tensor()};
}

TokenScores token_scores(const Decoder& decoder, const Tensor& tokens, const Tensor& wanted, const Pass& pass,
                         const ScoreSettings& settings) {
  const Tensor places = wanted.flatten().nonzero().squeeze(-1);
  const Tensor states = decoder.hidden(tokens, pass);
  const Tensor before = states.narrow(1, 0, tokens.size(1) - 1).flatten(0, 1).index_select(0, places);
  const Tensor after = tokens.narrow(1, 1, tokens.size(1) - 1).flatten().index_select(0, places);
  const TokenScores found = head_scores(decoder, before, after, settings);
  const auto spread = [&](const Tensor& flat) {
    return at::zeros({wanted.numel()}, flat.options()).index_copy(0, places, flat).view(wanted.sizes());
  };
  return {spread(found.log_probs), settings.with_entropy ? spread(found.entropies) : Tensor()};
}

}  // namespace stitch::train
