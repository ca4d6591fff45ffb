// SPDX-License-Identifier: Apache-2.0
// Generalised advantage estimation over the tokens that the model wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stitch::rl {

struct GaeOptions {
  double gamma = 1;
  double lambda_actor = 0.95;
  double lambda_critic = 1;
  // VAPO (Yue et al. 2025): the actor's lambda is 1 - 1 / (alpha * length), length in model tokens, and lambda_actor is
  // not read. Their alpha is 0.05, which below 20 tokens would be under 0; it is 0 there.
  std::optional<double> adaptive_alpha = {};
};

// The lambda that an actor's trajectory of that many model tokens gets, in [0, 1].
double lambda_of_actor(const GaeOptions& options, int64_t model_tokens);

// One trajectory, as many entries a field as tokens.
struct Trajectory {
  std::span<const double> rewards;
  std::span<const double> values;           // the critic's, before each token
  std::span<const uint8_t> is_model_token;  // 0: written by a tool, an environment or a template
  // The critic's value after the last token: 0 where the trajectory ended, its estimate where a limit cut it off.
  double value_after = 0;
};

struct Gae {
  std::vector<double> advantages;  // for the actor, with its lambda
  std::vector<double> targets;     // for the critic: value + advantage with the critic's lambda
};

// A_t = sum over k of (gamma * lambda)^k * d_{t+k}, with d_t = r_t + gamma * V_{t+1} - V_t (Schulman et al. 2016),
// where t runs over model tokens alone: a masked token has no value, no discount and no place. It may be inserted
// anywhere and changes no model token's result; its own advantage and target are 0, and a critic's value there is never
// read. A reward on a masked token is the environment's answer to the model token before it, and is credited there;
// before the first model token it answers nothing and is dropped. (verl drops both.) Two lambdas as in VC-PPO (Yuan et
// al. 2025): lambda_critic 1 makes the critic's target the return itself, which does not feed on the critic's own
// mistakes, while a lower lambda_actor keeps variance down. Bias: none with lambda 1, where values only shift the
// baseline. Below 1 every error of the critic enters the actor's gradient with the weight that lambda leaves off: a
// cold critic misleads it. gamma below 1 makes it the gradient of a discounted J, in tokens. An adaptive lambda weighs
// trajectories by a length that the policy chooses.
Gae gae(const Trajectory& trajectory, const GaeOptions& options);

}  // namespace stitch::rl
