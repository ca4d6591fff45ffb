// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "evaluate/verify/kept_draws.h"

namespace stitch::evaluate {
namespace {

// Below this a draw takes a few milliseconds through the host, and the next one is made meanwhile.
constexpr uint64_t kMinToStay = uint64_t{32} << 20;
// From how many bytes on fewer draws do. Draws differ in their chances; of those each element of an output has its own.
struct Step {
  uint64_t bytes;
  int draws;
};
constexpr Step kSteps[] = {{uint64_t{8} << 30, 1}, {uint64_t{2} << 30, 2}, {uint64_t{512} << 20, 3}};
constexpr int kMinWithStates = 2;  // new states beside the old ones, and in their place
constexpr double kGigabyte = 1e9;
// Of the emulated device: what the draws of one regime may take it. A verdict has about six regimes' worth of draws and
// two checked ones, which count ten times, and may take a minute.
constexpr double kSecondsOfRegime = 4;

uint64_t bytes_of(const std::vector<TensorSpec>& specs) {
  uint64_t bytes = 0;
  for (const TensorSpec& spec : specs) {
    bytes += static_cast<uint64_t>(spec.type.bytes());
  }
  return bytes;
}


// Of what a call reads.
uint64_t bytes_given(const verify::OracleProgram& program) {
  return bytes_of(program.inputs) + bytes_of(program.parameters) + bytes_of(program.states);
}

uint64_t bytes_made(const verify::OracleProgram& program) {
  return bytes_of(program.outputs) + bytes_of(program.states_out);
}

// What a draw takes with its references, all handed over.
uint64_t bytes_with_references(const verify::OracleProgram& program) {
  constexpr uint64_t kRuns = 8;  // fp64 counts twice, the native run, three that err; in mode kernelbench more
  return bytes_given(program) + kRuns * bytes_made(program);
}

int handed_over(const verify::OracleProgram& program, const DrawUses& uses) {
  const bool is_small = bytes_with_references(program) <= kMaxKeptBytes;
  if (uses.is_repeated && bytes_given(program) <= kMaxRepeatedBytes) {
    return is_small ? kMaxRepeatedDraws : 1;
  }
  return uses.is_timed && is_small ? kMaxKeptDraws : 0;
}

}  // namespace

ShapeDraws plan_draws(const std::string& shape, const verify::OracleProgram& program, const DrawUses& uses) {
  ShapeDraws plan;
  plan.shape = shape;
  plan.bytes = bytes_given(program) + bytes_made(program);
  plan.draws_per_regime = uses.per_regime;
  plan.reason = "inputs, parameters and outputs are small";
  plan.stay = uses.is_on_gpu && plan.bytes >= kMinToStay;
  const int least = program.states.empty() ? 1 : kMinWithStates;
  for (const Step& step : kSteps) {
    const int draws = std::max(step.draws, least);
    if (uses.is_on_gpu && plan.bytes >= step.bytes && draws < plan.draws_per_regime) {
      plan.draws_per_regime = draws;
      plan.reason = fmt::format("a call reads and writes {:.1f} GB, and every element of it is compared in each draw",
                                static_cast<double>(plan.bytes) / kGigabyte);
      break;
    }
  }
  const int affordable = static_cast<int>(kSecondsOfRegime / std::max(uses.emulated_seconds, 1e-3));
  if (!uses.is_on_gpu && affordable < plan.draws_per_regime) {
    plan.draws_per_regime = std::min(plan.draws_per_regime, std::max(affordable, least));
    plan.reason = fmt::format("a draw is estimated to take the emulated device {:.2g} s", uses.emulated_seconds);
  }
  plan.handed_over = plan.stay ? std::min(plan.draws_per_regime, handed_over(program, uses)) : 0;
  return plan;
}

Json to_json(const ShapeDraws& plan) {
  return {{"shape", plan.shape},
          {"bytes", plan.bytes},
          {"draws_per_regime", plan.draws_per_regime},
          {"stay_on_gpu", plan.stay},
          {"handed_over", plan.handed_over},
          {"reason", plan.reason}};
}

}  // namespace stitch::evaluate
