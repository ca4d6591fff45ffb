// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/repeated_calls.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr int kMostMore = 24;
constexpr std::chrono::seconds kLongest{5};

Verdict wrong(const std::optional<verify::RefusedOutput>& refused) {
  return {VerdictKind::kWrong, fmt::format("{} ({}, regime as_given)", refused->sentence, refused->draw), {}};
}

}  // namespace

Result<RepeatedCalls> repeat_calls(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate) {
  RepeatedCalls done;
  std::mt19937_64 random(std::random_device{}());
  verify::RegimeJudge judge(math);
  const int calls = kRepeatedCalls + static_cast<int>(random() % kMostMore);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  size_t last = draws.size();
  while (!draws.empty() && done.calls < calls && std::chrono::steady_clock::now() < end) {
    const size_t index = random() % draws.size();
    const verify::OracleDraw& draw = draws[index];
    const bool in_place = !draw.states.empty() && random() % 2 == 0;
    const bool is_new = index != std::exchange(last, index);
    STITCH_ASSIGN(
        const RunResult result,
        run_draw(candidate, draw,
                 {.rng_seed = random() >> 1U, .states_in_place = in_place, .prepares = is_new || random() % 2 == 0}));
    const std::string label = fmt::format("repeated call {}", ++done.calls);
    if (const auto* verdict = std::get_if<Verdict>(&result)) {
      done.verdict = *verdict;
      done.verdict->reason += fmt::format(" ({})", label);
      return done;
    }
    if (const auto refused = judge.add_draw(label, draw.outputs, std::get<std::vector<HostTensor>>(result))) {
      done.verdict = wrong(refused);
      return done;
    }
  }
  if (const auto refused = judge.finish()) {
    done.verdict = wrong(refused);
  }
  return done;
}

}  // namespace stitch::evaluate
