// SPDX-License-Identifier: Apache-2.0
// Draws answers to prompts, several to each, and has them judged; over several turns where that is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "rewards/evaluator.h"
#include "train/remote/served_policy.h"
#include "train/rollout/prompt_file.h"
#include "train/sampler/sample.h"

namespace stitch::train {

struct RolloutSettings {
  int64_t batch = 32;  // answers drawn at once; changes nothing that is drawn
  SampleSettings sampling{};
  int64_t turns = 1;  // at most; a turn after the first is told what became of the one before
  std::string follow_up = "Write the whole program again, and better.";  // behind the feedback
  ServerSettings server{};                                               // with an address: whoever draws, draws there
};
// "rollout" of a configuration; its seed and stop tokens are set by whoever draws.
void read_rollout_settings(Section& parent, RolloutSettings& settings);

struct Turn {
  size_t end = 0;  // tokens of the response up to the end of its answer
  rewards::Judgement judgement{};
};

struct RolloutSample {
  TrainingRecord record{};     // its mask leaves out what the user said between two answers
  std::vector<double> logp{};  // of each token of the response as it was drawn; 0 where the mask is not set
  std::vector<Turn> turns{};
  std::string text{};         // of the last answer
  bool is_truncated = false;  // the last answer ran into a limit of length

  const rewards::Judgement& judgement() const { return turns.back().judgement; }
};

struct RolloutGroup {
  const Prompt* prompt = nullptr;
  std::vector<RolloutSample> samples{};
};

// Where in a run something is drawn: what comes out depends on this, the prompt, the sample's number and the weights.
struct RolloutPlace {
  std::string run{};
  std::string purpose{};  // "train", "held_out"
  uint64_t seed = 0;
  int64_t step = 0;
};

// `samples` answers to each prompt, drawn here, or by `drawer` with the version place.step of the policy. A sample ends
// with an answer that passes, is a hack, has no reward, has no feedback or ran into a limit, or with its last turn.
// Errors are the sampler's and the evaluator's.
Result<std::vector<RolloutGroup>> roll_out(const Decoder& decoder, const LessonReader& reader,
                                           std::span<const Prompt* const> prompts, int64_t samples,
                                           const RolloutSettings& settings, const RolloutPlace& place,
                                           rewards::Evaluator& evaluator, Drawer* drawer = nullptr);

// kEnvironment when more than `most_unjudged` of the answers, and more than one, have no reward: nothing is to be
// learned from them then. `of_what` ("step 3") and `run` are for the sentence.
Result<void> check_judged(const std::vector<RolloutGroup>& groups, double most_unjudged, const std::string& of_what,
                          const std::string& run);

}  // namespace stitch::train
