// SPDX-License-Identifier: Apache-2.0
// Advantages of answers that take several turns, compared turn by turn.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace stitch::rl {

// Of each turn what was earned from it on: G_t = r_t + gamma * G_{t+1}.
std::vector<double> returns_to_go(std::span<const double> turn_rewards, double gamma);

// TRLOO (Dr.Kernel, Liu et al. 2026): A_{i,t} = G_{i,t} - mean of G_{j,t} over the other samples j that reached turn t.
// `returns` has one entry a sample, of as many turns as that sample took; no entry (nullopt): the world failed, and the
// sample leaves the group. A turn that one sample alone reached has advantage 0.
// Bias: none where every sample reaches turn t, since the others' returns do not depend on this sample's turn; GRPO
// with one baseline over all turns has no such property. Where samples may stop early, the gradient of turn t is scaled
// by the probability that another one reaches it: late turns that few reach are learned more slowly, never in a wrong
// direction.
std::vector<std::optional<std::vector<double>>> trloo(std::span<const std::optional<std::vector<double>>> returns);

}  // namespace stitch::rl
