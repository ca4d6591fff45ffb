// SPDX-License-Identifier: Apache-2.0
#include "verify/admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "verify/admission/live_null.h"
#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

constexpr const char* kAsGiven = "as_given";

class Admission {
 public:
  Admission(const AdmissionRequest& request, Oracle& oracle) : request_(request), oracle_(oracle) {}

  Result<void> run();
  AdmissionReport finish(double seconds);

 private:
  // What the draws of a regime have in common.
  struct Regime {
    std::vector<SmallOutputErrors> errors;  // by output
    std::string left_out;                   // why it says nothing; empty: it does not
  };

  Result<void> list_nulls();
  Result<void> judge_draw(const std::string& regime, int number);
  Result<void> judge_nulls(const OracleDraw& draw, const Regime& regime, const std::string& name,
                           const std::string& label);
  Result<const Regime*> regime_of(const std::string& name);
  Result<void> measure(Regime& regime, const std::string& name);
  void leave_out(Regime& regime, const std::string& name, const std::string& reason);
  bool is_small(const TensorSpec& spec) const;
  bool is_done(int number) const;

  const AdmissionRequest& request_;
  Oracle& oracle_;
  OracleProgram program_;
  std::vector<LiveNull> nulls_;
  std::map<std::string, Regime> regimes_;
  OracleDraw latest_;  // the draw that nulls answer
  bool ill_conditioned_ = false;
  AdmissionReport report_;
};

Result<void> Admission::run() {
  STITCH_ASSIGN(program_, oracle_.open(request_.source));
  if (!program_.gate_ok) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("the imported graph differs from the eager module by {:.3g} times its own error",
                               program_.gate_max_ratio),
                   request_.source.task.file, "report this program: its import is not faithful");
  }
  STITCH_TRY(list_nulls());
  // Every regime's first draw, then every regime's second: nearly all nulls end at the very first.
  for (int number = 0; number < request_.draws_per_regime; ++number) {
    for (const std::string& regime : program_.regimes) {
      if (!is_done(number) && !ill_conditioned_) {
        STITCH_TRY(judge_draw(regime, number));
      }
    }
  }
  if (!ill_conditioned_) {
    STITCH_ASSIGN(report_.unasked, oracle_.unasked(program_));
  }
  return {};
}

// One that is silent in every regime's first draw will hardly speak later.
bool Admission::is_done(int number) const {
  return std::all_of(nulls_.begin(), nulls_.end(),
                     [&](const LiveNull& null) { return null.is_settled() || (number > 0 && !null.spoke()); });
}

Result<void> Admission::list_nulls() {
  STITCH_ASSIGN(NullList list, oracle_.nulls(program_));
  report_.notes = std::move(list.notes);
  for (NullCandidate& null : list.nulls) {
    nulls_.emplace_back(std::move(null), program_.outputs.size());
  }
  return {};
}

Result<void> Admission::judge_draw(const std::string& regime, int number) {
  STITCH_ASSIGN(const Regime* known, regime_of(regime));
  if (!known->left_out.empty()) {
    return {};
  }
  const std::string label = fmt::format("regime {}, draw {}", regime, number);
  if (request_.progress) {
    const auto live = std::count_if(nulls_.begin(), nulls_.end(), [](const LiveNull& n) { return !n.is_settled(); });
    request_.progress(fmt::format("{}: {} null candidates", label, live));
  }
  if (number > 0) {
    STITCH_ASSIGN(latest_, oracle_.draw(program_, regime, number));
  }
  const OracleDraw& draw = latest_;
  if (draw.dropped.has_value()) {
    return {};
  }
  ++report_.draws;
  return judge_nulls(draw, *known, regime, label);
}

Result<const Admission::Regime*> Admission::regime_of(const std::string& name) {
  const auto found = regimes_.find(name);
  if (found != regimes_.end()) {
    return &found->second;
  }
  Regime& regime = regimes_[name];
  STITCH_TRY(measure(regime, name));
  return &regime;
}

// The errors of small outputs are the largest of all draws of the regime, as in a verdict, and a regime is left out for
// what any of them shows; with large outputs alone the first draw is enough to begin. Afterwards the first draw is the
// latest.
Result<void> Admission::measure(Regime& regime, const std::string& name) {
  std::vector<TensorSpec> made = program_.outputs;
  made.insert(made.end(), program_.states_out.begin(), program_.states_out.end());
  regime.errors.resize(made.size());
  const bool small = std::any_of(made.begin(), made.end(), [&](const TensorSpec& spec) { return is_small(spec); });
  std::vector<OutputStatistics> seen(made.size());
  std::string dropped;
  for (int number = small ? request_.draws_per_regime - 1 : 0; number >= 0; --number) {
    STITCH_ASSIGN(latest_, oracle_.draw(program_, name, number));
    dropped = latest_.dropped.value_or("");
    for (size_t i = 0; i < latest_.outputs.size(); ++i) {
      const OutputReference& reference = latest_.outputs[i];
      const MathMode math = request_.source.task.math;
      if (verify::is_small(reference)) {
        regime.errors[i].widen(small_output_errors(reference, math));
      }
      seen[i].merge(compare_output(reference, reference.native, math, regime.errors[i], Asked::kRefusal).statistics);
    }
  }
  for (size_t i = 0; i < made.size(); ++i) {
    if (static_cast<double>(seen[i].ill_conditioned) > kConditionShare * static_cast<double>(seen[i].elements)) {
      leave_out(regime, name, fmt::format("one ulp at the inputs decides about {}", made[i].name));
    }
  }
  if (!dropped.empty()) {
    leave_out(regime, name, dropped);
  }
  return {};
}

void Admission::leave_out(Regime& regime, const std::string& name, const std::string& reason) {
  if (!regime.left_out.empty()) {
    return;
  }
  regime.left_out = reason;
  const std::string note = fmt::format("regime {} is left out: {}", name, reason);
  report_.notes.insert(name == kAsGiven ? report_.notes.begin() : report_.notes.end(), note);
  ill_conditioned_ = ill_conditioned_ || name == kAsGiven;
}

bool Admission::is_small(const TensorSpec& spec) const {
  return is_floating_point(spec.type.dtype) && spec.type.element_count() < kTileMinimumElements;
}

Result<void> Admission::judge_nulls(const OracleDraw& draw, const Regime& regime, const std::string& name,
                                    const std::string& label) {
  for (LiveNull& live : nulls_) {
    if (live.is_settled()) {
      continue;
    }
    STITCH_ASSIGN(const NullAnswer answer, oracle_.null_answer(program_, live.null()));
    if (!answer.applies) {
      live.never_applies();
    } else if (!answer.made.empty()) {
      live.judge(draw.outputs, answer, request_.source.task.math, regime.errors, name, label, name == kAsGiven);
    }
  }
  return {};
}

AdmissionReport Admission::finish(double seconds) {
  for (LiveNull& live : nulls_) {
    report_.nulls.push_back(std::move(live).finish());
  }
  report_.status = ill_conditioned_ ? AdmissionStatus::kIllConditioned : status_of(report_.nulls, report_.unasked);
  report_.seconds = seconds;
  return std::move(report_);
}

}  // namespace

Result<AdmissionReport> admit(const AdmissionRequest& request, Oracle& oracle) {
  const auto start = std::chrono::steady_clock::now();
  Admission admission(request, oracle);
  STITCH_TRY(admission.run());
  return admission.finish(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace stitch::verify
