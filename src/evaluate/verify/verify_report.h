// SPDX-License-Identifier: Apache-2.0
// What verification found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "evaluate/verify/call_schedule.h"
#include "evaluate/verify/draw_plan.h"
#include "evaluate/verify/kept_draws.h"
#include "verify/compare/output_statistics.h"
#include "verify/decide/decide.h"

namespace stitch::evaluate {

// A regime that says nothing about this program, and why.
struct LeftOutRegime {
  std::string shape;
  std::string regime;
  std::string reason;
};

// One output in one regime at one shape: all its draws together.
struct RegimeErrors {
  std::string shape;
  std::string regime;
  verify::OutputReport output;
};

struct VerifyReport {
  verify::Findings findings;  // stages beside verification add theirs
  // By all that was found so far.
  Verdict verdict() const { return verify::decide(findings); }

  std::optional<uint64_t> seed;  // of the draws; nothing where none was asked for
  double error_ratio = 0;        // the largest error, as a multiple of the reference's own
  std::vector<verify::OutputReport> outputs;
  std::vector<RegimeErrors> regimes;  // what `outputs` sums up
  std::vector<LeftOutRegime> left_out;
  std::vector<std::string> notes;   // what the oracle had to do differently
  std::vector<std::string> shapes;  // on which the program was verified, the declared ones first
  int same_binary_shapes = 0;       // of those, other batches of the binary that was judged first
  std::vector<ShapeDraws> planned;  // of each shape that was drawn at, in order
  int draws = 0;                    // run and compared
  std::string checked_shape;        // where checked draws have sizes of their own (a GPU's verdict); else empty
  int checked_draws = 0;            // of those, under AddressSanitizer and UndefinedBehaviorSanitizer
  int randomised_draws = 0;         // of those, with a block's threads in random order
  int in_place_draws = 0;           // of those, with new states in the memory of the old ones
  int64_t near_ties = 0;            // decisions of the program within rounding, over all draws that were compared
  CallCounts repeated;              // after all draws, of an outside program
  KeptDraws kept;                   // as given, at the declared shapes, where the request asked for them
  // Of `seconds`: what it waited for the oracle's draws, ran the candidate, compared.
  double seconds_drawing = 0;
  double seconds_running = 0;
  double seconds_comparing = 0;
  double seconds = 0;
};
Json to_json(const VerifyReport& report);
// null where nothing was drawn
Json seed_json(const VerifyReport& report);
// "the same draws again: --seed 17"; empty where nothing was drawn.
std::string how_to_repeat(const VerifyReport& report);
// Sentences about where the accept rule took one of two values, more than four times the reference's own error, or what
// KernelBench's rule refuses.
std::vector<std::string> exceptions_of(const VerifyReport& report);

}  // namespace stitch::evaluate
