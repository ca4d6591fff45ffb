// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"

namespace stitch::evaluate {
namespace {

// Below this a draw takes a few milliseconds through the host, and the next one is made meanwhile.
constexpr uint64_t kLeastToStay = uint64_t{32} << 20;
// From how many bytes on fewer draws do. Draws differ in their chances; of those each element of an output has its own.
struct Step {
  uint64_t bytes;
  int draws;
};
constexpr Step kSteps[] = {{uint64_t{8} << 30, 1}, {uint64_t{2} << 30, 2}, {uint64_t{512} << 20, 3}};
constexpr int kLeastWithStates = 2;  // new states beside the old ones, and in their place
constexpr double kGigabyte = 1e9;

uint64_t bytes_of(const std::vector<TensorSpec>& specs) {
  uint64_t bytes = 0;
  for (const TensorSpec& spec : specs) {
    bytes += static_cast<uint64_t>(spec.type.bytes());
  }
  return bytes;
}

}  // namespace

uint64_t bytes_of(const verify::OracleProgram& program) {
  uint64_t bytes = 0;
  for (const auto* specs :
       {&program.inputs, &program.parameters, &program.states, &program.outputs, &program.states_out}) {
    bytes += bytes_of(*specs);
  }
  return bytes;
}

uint64_t bytes_with_references(const verify::OracleProgram& program) {
  constexpr uint64_t kRuns = 8;  // fp64 counts twice, the native run, three that err; in mode kernelbench more
  return bytes_of(program) + kRuns * (bytes_of(program.outputs) + bytes_of(program.states_out));
}

ShapeDraws plan_draws(const std::string& shape, const verify::OracleProgram& program, bool is_on_gpu, int wanted) {
  ShapeDraws plan{shape, bytes_of(program), wanted, false, "inputs, parameters and outputs are small"};
  plan.stay = is_on_gpu && plan.bytes >= kLeastToStay;
  for (const Step& step : kSteps) {
    const int draws = std::max(step.draws, program.states.empty() ? 1 : kLeastWithStates);
    if (is_on_gpu && plan.bytes >= step.bytes && draws < wanted) {
      plan.draws_per_regime = draws;
      plan.reason = fmt::format("a call reads and writes {:.1f} GB, and every element of it is compared in each draw",
                                static_cast<double>(plan.bytes) / kGigabyte);
      return plan;
    }
  }
  return plan;
}

Json to_json(const ShapeDraws& plan) {
  return {{"shape", plan.shape},
          {"bytes", plan.bytes},
          {"draws_per_regime", plan.draws_per_regime},
          {"stay_on_gpu", plan.stay},
          {"reason", plan.reason}};
}

}  // namespace stitch::evaluate
