// SPDX-License-Identifier: Apache-2.0
// The seam between a loop that trains and whoever judges: answers in, judgements out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::rewards {

enum class Skill {
  kScratch,     // from a task to a program
  kRefinement,  // from a program and what was said of it to a better one
};
// "scratch", "refinement".
const char* to_string(Skill skill);

// One answer, and where in a run it was drawn.
struct Candidate {
  std::string task{};
  Skill skill = Skill::kScratch;
  std::string text{};    // what the model wrote, without control tokens
  std::string run{};     // the run's name
  std::string prompt{};  // what its prompt is known by within the run
  int64_t step = 0;
  int64_t sample = 0;  // of the prompt
  int64_t turn = 0;    // of the sample
  // Of a refinement, where they are known: the digests that the answer before was given.
  std::string previous_sha256{}, feedback_sha256{};
};

struct Judgement {
  std::optional<double> reward{};         // none: the world failed, and nothing is known of the answer
  bool is_pass = false;                   // right by its verdict, whatever it earned
  bool is_hack = false;                   // it earned, or would have earned, by deceit
  std::string outcome{};                  // a word, as stitchcuda.eval/1 has them; "infra_error" without a reward
  std::string sentence{};                 // why, for the person who trains; may be empty
  std::map<std::string, double> parts{};  // finite numbers that the reward was made of, or that explain it
  std::string feedback{};                 // what the model may be told
  std::string candidate_sha256{}, feedback_sha256{};  // empty where the evaluator knows none
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // As many judgements as candidates, in their order. The same candidates have the same judgements, but for those
  // without a reward. An error where asking again would not help: a request that is refused, a setting that is wrong.
  virtual Result<std::vector<Judgement>> evaluate(std::span<const Candidate> candidates) = 0;
};

// The world failed: no reward.
Judgement no_verdict(const std::string& sentence);

}  // namespace stitch::rewards
