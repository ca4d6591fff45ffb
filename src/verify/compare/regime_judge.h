// SPDX-License-Identifier: Apache-2.0
// Judges all draws of one regime: large outputs draw by draw, small ones when the regime is complete, since their
// budget is the largest over its draws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/compare/compare_output.h"
#include "verify/compare/output_draws.h"

namespace stitch::verify {

struct RefusedOutput {
  std::string output;
  std::string message;
  std::string draw;  // the label it was added under
  double ratio = 0;
};

class RegimeJudge {
 public:
  explicit RegimeJudge(MathMode mode, Asked asked = Asked::kReport) : mode_(mode), asked_(asked) {}

  using LookedAt = std::vector<std::optional<OutputComparison>>;

  // `draw` labels it in sentences: "draw 2", "draw 0, checked". `got[i]` answers `references[i]`; every draw brings the
  // same outputs in the same order. `looked_at[i]`, where it is there, is what the oracle found of that output where it
  // lies. Returns the first refusal.
  std::optional<RefusedOutput> add_draw(const std::string& draw, const std::vector<OutputReference>& references,
                                        const std::vector<HostTensor>& got, const LookedAt& looked_at = {});
  // A draw of the regime whose answers are known and that nobody is asked about: it tells how far small outputs may be.
  void know(const std::vector<OutputReference>& references);
  // Judges the small outputs, which wait for all draws of the regime.
  std::optional<RefusedOutput> finish();

  // The first output whose elements move too much when the inputs move by one ulp, or nothing. Until finish() only
  // large outputs are counted.
  std::optional<std::string> ill_conditioned() const;
  // In the order of the outputs.
  const std::vector<std::pair<std::string, OutputStatistics>>& statistics() const { return statistics_; }

 private:
  struct Waiting {
    size_t output;
    std::string draw;
    OutputReference reference;
    HostTensor got;
  };
  std::optional<RefusedOutput> judge(size_t output, const std::string& draw, const OutputReference& reference,
                                     const HostTensor& got, const SmallOutputErrors& errors);
  std::optional<RefusedOutput> take(size_t output, const std::string& draw, const OutputReference& reference,
                                    const OutputComparison& comparison);

  MathMode mode_;
  Asked asked_;
  std::vector<std::pair<std::string, OutputStatistics>> statistics_;
  std::vector<SmallOutputErrors> small_errors_;
  std::vector<OutputDraws> draws_;
  std::vector<Waiting> waiting_;
};

}  // namespace stitch::verify
