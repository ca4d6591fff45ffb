// SPDX-License-Identifier: Apache-2.0
#include "train/sampler/distribution.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/seed/seed.h"

namespace stitch::train {

Tensor drawn_from(const Tensor& logits, const Restriction& restriction) {
  const double temperature = restriction.temperature > 0 ? restriction.temperature : 1;
  const Tensor all = at::log_softmax(logits.to(at::kFloat) / temperature, -1);
  if (!restriction.cuts()) {
    return all;
  }
  const auto [sorted, order] = at::sort(all, /*stable=*/true, /*dim=*/-1, /*descending=*/true);
  Tensor keeps = at::ones_like(sorted, at::kBool);
  if (restriction.top_k > 0 && restriction.top_k < sorted.size(-1)) {
    keeps.narrow(-1, restriction.top_k, sorted.size(-1) - restriction.top_k).fill_(false);
  }
  if (restriction.top_p < 1) {
    const Tensor left = at::where(keeps, sorted, -std::numeric_limits<double>::infinity());
    const Tensor mass = at::softmax(left, -1, at::kDouble);
    keeps = keeps & (mass.cumsum(-1) - mass < restriction.top_p);
    keeps.narrow(-1, 0, 1).fill_(true);
  }
  const Tensor kept = at::empty_like(keeps).scatter_(-1, order, keeps);
  return at::log_softmax(all.masked_fill(~kept, -std::numeric_limits<double>::infinity()), -1);
}

Tensor draw(const Tensor& log_probs, const Tensor& uniforms) {
  const Tensor cumulated = log_probs.to(at::kDouble).exp().cumsum(-1);
  const Tensor total = cumulated.narrow(-1, cumulated.size(-1) - 1, 1);
  // Rounding may take the product up to the total, behind which nothing lies.
  const Tensor aimed = at::minimum(uniforms.unsqueeze(-1) * total, total * (1 - 1e-15));
  return (cumulated > aimed).to(at::kInt).argmax(-1);
}

double uniform_of(uint64_t seed, uint64_t stream, uint64_t step) {
  constexpr int kDropped = 10;  // of 63 bits, so that 53 are left
  const uint64_t bits = derived_seed(seed, "sample " + std::to_string(stream), step) >> kDropped;
  return std::ldexp(static_cast<double>(bits), -53);
}

}  // namespace stitch::train
