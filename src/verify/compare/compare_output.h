// SPDX-License-Identifier: Apache-2.0
// Judges one output of one draw, tile by tile, so that memory stays constant whatever the output's size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "verify/compare/one_way_errors.h"
#include "verify/compare/output_reference.h"
#include "verify/compare/output_statistics.h"
#include "verify/compare/refusal.h"

namespace stitch::verify {

// For an output of fewer than kTileMinimumElements: its errors divided by max |ref64|, the largest over all draws of
// the regime. One draw of few elements may be right to the last bit by luck.
struct SmallOutputErrors {
  double own = 0;       // E / max |ref64|
  double own_tf32 = 0;  // the same with the TF32 runs of mode kernelbench
  double base = 0;      // the error of the run that perturbed ones are compared with
  int draws = 0;
  double apart_tf32 = 0;  // how far the TF32 runs are from each other; see nearness.h
  void widen(const SmallOutputErrors& other);
};
bool is_small(const OutputReference& reference);
SmallOutputErrors small_output_errors(const OutputReference& reference, MathMode mode);

// What the draws of a small floating-point output have in common that goes one way.
void observe_one_way(const OutputReference& reference, const HostTensor& got, OneWayErrors& errors);

struct OutputComparison {
  OutputStatistics statistics;
  std::optional<Refusal> refusal;
  // Mode kernelbench: it is refused for nothing but its distance from the baseline, which is this. A single draw may be
  // that far by chance; see RegimeJudge.
  std::optional<double> distance;
  // Errors of a 16-bit output that go one way; a single draw may be off by chance, see RegimeJudge.
  std::optional<OneWay> one_way;
  // Of compare_tiles: the tiles that were left out might turn what was found. See compare_output() then.
  bool hangs_on_others = false;
};

// What is asked of a comparison. Whether the output is refused is the same for all.
enum class Asked {
  kReport,
  kRefusal,  // with its sentence; the sums that reports are made of are left out
  kWhether,  // besides, the first tile that nothing excuses ends it: wrong answers cost next to nothing
};

// `got` must hold as many elements as the reference. `errors` is for small outputs; others ignore it.
OutputComparison compare_output(const OutputReference& reference, const HostTensor& got, MathMode mode,
                                const SmallOutputErrors& errors = {}, Asked asked = Asked::kReport);
// These tiles of a floating-point output alone, in rising order; `reference` and `got` must hold them, what lies within
// kCompanyElements of them and the kTypicalTiles tiles around each. Where none that is left out errs by more than its
// own error allows, the whole output would be judged alike, unless it hangs on others.
OutputComparison compare_tiles(const OutputReference& reference, const HostTensor& got, MathMode mode,
                               const std::vector<int64_t>& tiles);

}  // namespace stitch::verify
