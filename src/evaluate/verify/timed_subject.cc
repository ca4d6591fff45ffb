// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/timed_subject.h"

#include <algorithm>

#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

using Draws = std::vector<verify::OracleDraw>;

constexpr const char* kTimedCall = "timed call";

// A small output's budget is the largest of its regime: the other draws bring theirs, answered by the reference itself.
void add_others(const Draws& draws, verify::RegimeJudge& judge) {
  for (size_t i = 1; i < draws.size(); ++i) {
    std::vector<HostTensor> native;
    for (const verify::OutputReference& output : draws[i].outputs) {
      native.push_back(output.native);
    }
    judge.add_draw("another draw", draws[i].outputs, native);
  }
}

std::optional<std::string> judge_timed(const Draws& draws, MathMode math, const std::vector<HostTensor>& results) {
  verify::RegimeJudge judge(math, verify::Asked::kRefusal);
  add_others(draws, judge);
  std::optional<verify::RefusedOutput> refused = judge.add_draw(kTimedCall, draws.front().outputs, results);
  if (!refused.has_value()) {
    refused = judge.finish();
  }
  return refused.has_value() && refused->draw == kTimedCall ? std::optional(refused->message) : std::nullopt;
}

}  // namespace

std::optional<TimedSubject> timed_subject(const Draws& draws, MathMode math, const AskReference& ask) {
  if (draws.empty()) {
    return std::nullopt;
  }
  TimedSubject subject;
  subject.parameters = draws.front().parameters;
  for (const verify::OracleDraw& draw : draws) {
    TimedDraw timed;
    timed.inputs = draw.inputs;
    timed.states = draw.states;
    for (const verify::OutputReference& output : draw.outputs) {
      timed.results.push_back(output.type);
    }
    subject.draws.push_back(std::move(timed));
  }
  subject.draws.front().judge = [draws, math](const std::vector<HostTensor>& results) {
    return Result<std::optional<std::string>>(judge_timed(draws, math, results));
  };
  subject.mixing = find_mixing(draws, math, ask);
  return subject;
}

}  // namespace stitch::evaluate
