// SPDX-License-Identifier: Apache-2.0
#include "train/sampler/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

Tensor some_logits() {
  compute_reproducibly();
  std::vector<double> logits;
  for (int i = 0; i < 16; ++i) {
    logits.push_back(2 * std::sin(3.0 * i));
  }
  return at::tensor(logits, at::kFloat).unsqueeze(0);
}

std::vector<int64_t> kept(const Tensor& log_probs) {
  const Tensor ids = at::isfinite(log_probs[0]).nonzero().flatten();
  return {ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()};
}

// 50,000 draws against the probabilities, by Pearson's chi-square: with 15 degrees of freedom 45 is exceeded with a
// probability of 8e-5 (N13).
TEST(Distribution, DrawsAsOftenAsItSays) {
  constexpr int64_t kDraws = 50000;
  const Tensor logits = some_logits();
  Tensor uniforms = at::empty({kDraws}, at::kDouble);
  for (int64_t i = 0; i < kDraws; ++i) {
    uniforms.data_ptr<double>()[i] = uniform_of(7, 1, static_cast<uint64_t>(i));
  }
  for (const double temperature : {1.0, 0.5, 2.0}) {
    const Tensor log_probs = drawn_from(logits, {.temperature = temperature});
    EXPECT_TRUE(at::allclose(log_probs.exp(), at::softmax(logits / temperature, -1), 0, 1e-6));
    const Tensor counts = at::bincount(draw(log_probs.expand({kDraws, 16}), uniforms), {}, 16).to(at::kDouble);
    const Tensor expected = log_probs[0].to(at::kDouble).exp() * static_cast<double>(kDraws);
    EXPECT_LT(((counts - expected).square() / expected).sum().item<double>(), 45) << temperature;
  }
}

TEST(Distribution, CutsExactlyWhatItShould) {
  const Tensor logits = at::log(at::tensor({0.1, 0.4, 0.05, 0.25, 0.2}, at::kFloat)).unsqueeze(0);
  EXPECT_EQ(kept(drawn_from(logits, {.top_k = 2})), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(kept(drawn_from(logits, {.top_k = 9})).size(), 5U);
  EXPECT_EQ(kept(drawn_from(logits, {.top_p = 0.39})), (std::vector<int64_t>{1}));
  EXPECT_EQ(kept(drawn_from(logits, {.top_p = 0.41})), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(kept(drawn_from(logits, {.top_p = 0.86})), (std::vector<int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(kept(drawn_from(logits, {.top_p = 0.0})), (std::vector<int64_t>{1}));
  // The mass is that of what top_k left: 0.4 of 0.65 is 0.615.
  EXPECT_EQ(kept(drawn_from(logits, {.top_k = 2, .top_p = 0.61})), (std::vector<int64_t>{1}));
  EXPECT_NEAR(drawn_from(logits, {.top_k = 2})[0][1].item<double>(), std::log(0.4 / 0.65), 1e-6);
  EXPECT_EQ(kept(drawn_from(at::zeros({1, 4}), {.top_k = 2})), (std::vector<int64_t>{0, 1}));
}

TEST(Distribution, NeverDrawsWhatIsImpossible) {
  compute_reproducibly();
  const double none = -std::numeric_limits<double>::infinity();
  const Tensor log_probs = at::tensor({none, std::log(0.5), none, std::log(0.5), none}, at::kFloat).expand({4, 5});
  const Tensor uniforms = at::tensor({0.0, 0.4999, 0.5001, std::nextafter(1.0, 0.0)}, at::kDouble);
  const Tensor drawn = draw(log_probs, uniforms);
  EXPECT_TRUE(at::equal(drawn, at::tensor({1, 1, 3, 3}, at::kLong)));
}

TEST(Distribution, UniformsAreOfTheirStreamAlone) {
  EXPECT_EQ(uniform_of(1, 2, 3), uniform_of(1, 2, 3));
  EXPECT_NE(uniform_of(1, 2, 3), uniform_of(1, 3, 2));
  EXPECT_NE(uniform_of(1, 2, 3), uniform_of(2, 2, 3));
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_GE(uniform_of(0, i, 0), 0);
    EXPECT_LT(uniform_of(0, i, 0), 1);
  }
}

}  // namespace
}  // namespace stitch::train
