// SPDX-License-Identifier: Apache-2.0
// Advantages of several answers to one prompt, each measured against the others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::rl {

// Of G samples with rewards R_1 .. R_G, all drawn independently from the policy at the same prompt; J is the expected
// reward, and "expected gradient" that of sum(A_i * grad log p(sample i)) / G.
enum class GroupBaseline {
  // A_i = R_i - mean of the others (Kool et al. 2019, "Buy 4 REINFORCE samples"; Ahmadian et al. 2024).
  // Bias: none. The expected gradient is that of J for every G >= 2.
  kRloo,
  // A_i = R_i - mean of all (Dr.GRPO: Liu et al. 2025, "Understanding R1-Zero-Like Training").
  // Bias: the factor (G - 1) / G alone, which a learning rate absorbs; it differs between prompts where groups have
  // lost
  // samples.
  kDrGrpo,
  // A_i = (R_i - mean) / (std + std_eps), std that of the sample: over G - 1 (Shao et al. 2024, "DeepSeekMath").
  // Bias: the divisor depends on the rewards that it scales. Prompts that are nearly solved or nearly failed count
  // more,
  // and the direction is not that of J: no factor repairs it. A reward's scale is lost, so that a group of 2.0 and 2.1
  // pulls as hard as one of 0 and 3.
  kGrpo,
};

struct GroupOptions {
  GroupBaseline baseline = GroupBaseline::kDrGrpo;
  // Added to the standard deviation: verl has 1e-6, TRL 1e-4. Of kGrpo alone.
  double std_eps = 1e-6;
};

// A reward that is missing, or no finite number, is no verdict: the world failed and not the sample. Such a sample has
// no advantage and leaves its group before the mean is taken, so that it moves nobody's baseline. A group with one
// verdict has nothing to compare with: its advantage is 0. (verl gives that sample its bare reward, since its mean is 0
// and its std 1 there; TRL gives 0 as we do.) Bias of both: a prompt counts only when two verdicts are there. If
// rewards go missing at random that is one factor for each prompt; if it is slow or large samples that lose theirs, the
// policy is not told of them. As many results as rewards, in their order.
std::vector<std::optional<double>> group_advantages(std::span<const std::optional<double>> rewards,
                                                    const GroupOptions& options);

// "grpo", "dr_grpo", "rloo"; anything else is an error that lists them.
Result<GroupBaseline> group_baseline_from_string(const std::string& name);

// A reward that can be learned from: there, and finite.
bool has_verdict(const std::optional<double>& reward);

}  // namespace stitch::rl
