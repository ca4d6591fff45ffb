// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/subject_run.h"

namespace stitch::evaluate {

std::optional<Finding> finding_of(Ending ending, const std::string& said, const char* step, Stage stage) {
  const std::string message = std::string(step) + ": " + said;
  switch (ending) {
    case Ending::kOk:
      return std::nullopt;
    case Ending::kCrashed:
      return Finding{stage, VerdictKind::kCrashed, message};
    case Ending::kTimedOut:
      return Finding{stage, VerdictKind::kTimedOut, message};
    case Ending::kRefused:
      // A program that will not take valid inputs gives no right answer.
      return Finding{stage, VerdictKind::kWrong, message};
    case Ending::kTampered:
      return Finding{stage, VerdictKind::kCheated, message};
    case Ending::kUnsupported:
      return Finding{stage, VerdictKind::kUnsupported, message};
  }
  return std::nullopt;
}

namespace {

std::optional<Finding> finding_of(const CandidateOutcome& outcome, const char* step) {
  return finding_of(outcome.ending, outcome.message, step, Stage::kDraws);
}

// The comparison may rely on counts and types; what a candidate returns is checked here.
std::optional<Finding> misfit(const std::vector<HostTensor>& got, const verify::OracleDraw& draw) {
  if (got.size() != draw.outputs.size()) {
    return Finding{Stage::kDraws, VerdictKind::kWrong,
                   "the program has " + std::to_string(got.size()) + " outputs and states where the reference has " +
                       std::to_string(draw.outputs.size())};
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].spec().type != draw.outputs[i].type) {
      return Finding{Stage::kDraws, VerdictKind::kWrong,
                     draw.outputs[i].name + " has another type or shape than the reference"};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<RunResult> run_draw(Candidate& candidate, const verify::OracleDraw& draw, const RunSettings& settings,
                           HostWords* words) {
  if (settings.prepares) {
    STITCH_ASSIGN(const CandidateOutcome prepared, candidate.prepare(draw.parameters));
    if (auto finding = finding_of(prepared, "prepare")) {
      return RunResult(std::move(*finding));
    }
  }
  std::vector<TensorType> results;
  std::vector<bool> staying;
  for (const verify::OutputReference& output : draw.outputs) {
    results.push_back(output.type);
    staying.push_back(output.stays);
  }
  STITCH_ASSIGN(CandidateOutcome outcome,
                candidate.run({draw.inputs, draw.states, results, settings.rng_seed, settings.schedule_seed,
                               settings.states_in_place, settings.trial, std::move(staying), settings.left_out,
                               settings.rng_offset, settings.stream}));
  if (auto finding = finding_of(outcome, "run")) {
    return RunResult(std::move(*finding));
  }
  std::vector<HostTensor> got = std::move(outcome.outputs);
  for (HostTensor& state : outcome.states) {
    got.push_back(std::move(state));
  }
  if (auto finding = misfit(got, draw)) {
    return RunResult(std::move(*finding));
  }
  if (words != nullptr) {
    *words = {std::move(outcome.said), outcome.told};
  }
  return RunResult(std::move(got));
}

}  // namespace stitch::evaluate
