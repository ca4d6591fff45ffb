// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/public_check.h"

#include <fmt/format.h>

#include <memory>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "driver/build/library_folders.h"
#include "driver/judge/judge.h"
#include "driver/judge/step_subject.h"
#include "evaluate/runner/program_runner.h"
#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::driver {
namespace {

constexpr int kMoreCalls = 8;  // of a program that is wrong
constexpr size_t kMaxLine = 400;

// Text of strangers: bounded in all and in each line, printable.
std::string public_text(const std::string& text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = printable_line(std::string_view(text).substr(at, end - at), kMaxLine) + "\n";
    if (shown.size() + line.size() > kMaxPublicText) {
      return shown + "...\n";
    }
    shown += line;
    at = end + 1;
  }
  return shown;
}

PublicOutcome outcome_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kBuildFailed:
      return PublicOutcome::kBuildFailed;
    case VerdictKind::kCrashed:
      return PublicOutcome::kCrashed;
    case VerdictKind::kTimedOut:
      return PublicOutcome::kTimedOut;
    case VerdictKind::kWrong:
      return PublicOutcome::kWrong;
    default:
      return PublicOutcome::kRefused;
  }
}

// A program, or a step as one, with the oracle that answers for it. A step that the reference cannot run by itself is
// looked at in its program.
class PublicRun {
 public:
  static Result<std::unique_ptr<PublicRun>> begin(Job& job, const toolchain::Toolchain& tools, const Subject& subject,
                                                  DeviceKind device, const PublicSubject& asked) {
    auto run = std::unique_ptr<PublicRun>(new PublicRun(job, tools));
    Task task = subject.task;
    run->shape_ = subject.shape;
    run->bundle_ = subject.bundle;
    run->authors_.emitted = subject.emitted;
    if (asked.step.has_value()) {
      STITCH_ASSIGN(StepSubject alone, step_subject(job, subject, *asked.step));
      task = alone.task;
      run->shape_ = alone.shape;
      run->bundle_ = std::move(alone.bundle);
      run->authors_.emitted = std::move(alone.emitted);
      run->step_oracle_.emplace(run->whole_, std::move(alone.program));
    }
    run->authors_.has_strangers = asked.has_strange_steps && !loads_libraries(run->bundle_);
    STITCH_ASSIGN(TemporaryDirectory folder, tensor_folder());
    run->folder_.emplace(std::move(folder));
    run->math_ = task.math;
    Result<verify::OracleProgram> opened =
        run->oracle().open(oracle_source(task, device, kPublicSeed, run->folder_->path().string()));
    if (run->step_oracle_.has_value() && !run->step_oracle_->why_not().empty()) {
      PublicSubject whole = asked;
      whole.step.reset();
      STITCH_ASSIGN(auto of_program, begin(job, tools, subject, device, whole));
      of_program->why_whole_ = run->step_oracle_->why_not();
      return of_program;
    }
    STITCH_ASSIGN(run->program_, std::move(opened));
    return run;
  }

  // Builds for `device` and runs so many draws there. What it finds ends the check.
  Result<void> check(DeviceKind device, int draws, PublicCheck& check) {
    check.shape = shape_;
    check.why_whole = why_whole_;
    STITCH_ASSIGN(const CompileReport compiled, build_bundle(job_, tools_, bundle_, device, "", authors_));
    if (!compiled.ok) {
      const Finding failed = evaluate::build_failed(compiled, shape_);
      tell(failed, check);
      return {};
    }
    STITCH_ASSIGN(const auto candidate, start(device, compiled.library));
    verify::RegimeJudge judge(math_, verify::Asked::kRefusal);
    std::vector<Compared> compared;
    for (int number = 0; number < draws; ++number) {
      STITCH_ASSIGN(const verify::OracleDraw draw, oracle().draw(program_, verify::kAsGiven, number));
      if (draw.dropped.has_value()) {
        continue;
      }
      STITCH_ASSIGN(const evaluate::RunResult result, evaluate::run_draw(*candidate, draw, {}));
      if (const auto* finding = std::get_if<Finding>(&result)) {
        tell(*finding, check);
        return {};
      }
      const auto& got = std::get<std::vector<HostTensor>>(result);
      const std::string label = std::to_string(number);
      compared.push_back({number, draw, got});
      if (const auto refused = judge.add_draw(label, draw.outputs, got); refused.has_value()) {
        return tell(*candidate, *refused, compared, check);
      }
    }
    const auto refused = judge.finish();
    return refused.has_value() ? tell(*candidate, *refused, compared, check) : Result<void>();
  }

 private:
  struct Compared {
    int number;
    verify::OracleDraw draw;
    std::vector<HostTensor> got;
  };

  PublicRun(Job& job, const toolchain::Toolchain& tools) : job_(job), tools_(tools), whole_(oracle_client(job)) {}

  verify::Oracle& oracle() { return step_oracle_.has_value() ? static_cast<verify::Oracle&>(*step_oracle_) : whole_; }

  Result<std::unique_ptr<evaluate::Candidate>> start(DeviceKind device, const std::string& library) {
    evaluate::RunnerOptions options;
    options.timeout_ms = call_timeout_ms(job_);
    options.cage = tools_.confinement.mode;
    if (device == DeviceKind::kCuda) {
      options.library_folders = library_folders(job_);
    }
    return job_.run_candidates()(options)({device, library});
  }

  static void tell(const Finding& finding, PublicCheck& check) {
    check.outcome = outcome_of(finding.kind);
    check.report = public_text(finding.evidence.empty() ? finding.reason : finding.evidence);
  }

  static Result<void> tell(evaluate::Candidate& candidate, const verify::RefusedOutput& refused,
                           const std::vector<Compared>& compared, PublicCheck& check) {
    check.outcome = PublicOutcome::kWrong;
    for (const Compared& one : compared) {
      for (size_t i = 0; i < one.draw.outputs.size(); ++i) {
        if (one.draw.outputs[i].name == refused.output && std::to_string(one.number) == refused.draw) {
          STITCH_ASSIGN(const WrongPlaces places, places_of(candidate, one, i));
          check.places = places.first;
          check.wrong_elements = places.count;
        }
      }
    }
    return {};
  }

  // Called some more times, to tell what was computed wrongly from what was not computed at all: memory that nobody
  // writes may hold the same in two calls.
  static Result<WrongPlaces> places_of(evaluate::Candidate& candidate, const Compared& one, size_t output) {
    const verify::OutputReference& reference = one.draw.outputs[output];
    WrongPlaces unsteady;
    for (int call = 0; call < kMoreCalls && unsteady.count == 0 && !one.draw.stays(); ++call) {
      STITCH_ASSIGN(const evaluate::RunResult result, evaluate::run_draw(candidate, one.draw, {}));
      if (const auto* again = std::get_if<std::vector<HostTensor>>(&result); again != nullptr) {
        unsteady = first_unsteady_places(reference, one.got[output], (*again)[output], one.number, kMaxPublicPlaces);
      }
    }
    return unsteady.count > 0 ? unsteady : first_wrong_places(reference, one.got[output], one.number, kMaxPublicPlaces);
  }

  Job& job_;
  const toolchain::Toolchain& tools_;
  verify::OracleClient whole_;
  std::optional<verify::StepOracle> step_oracle_;
  std::optional<TemporaryDirectory> folder_;
  std::string shape_;
  std::string why_whole_;
  SourceBundle bundle_;
  toolchain::Authors authors_;
  MathMode math_ = MathMode::kFp32;
  verify::OracleProgram program_;
};

}  // namespace

const char* to_string(PublicOutcome outcome) {
  switch (outcome) {
    case PublicOutcome::kPassed:
      return "passed";
    case PublicOutcome::kBuildFailed:
      return "build_failed";
    case PublicOutcome::kCrashed:
      return "crashed";
    case PublicOutcome::kTimedOut:
      return "timed_out";
    case PublicOutcome::kWrong:
      return "wrong";
    case PublicOutcome::kRefused:
      return "refused";
  }
  return "";
}

Json to_json(const PublicCheck& check) {
  Json places = Json::array();
  for (const WrongPlace& place : check.places) {
    places.push_back({{"draw", place.draw},
                      {"output", place.output},
                      {"index", place.index},
                      {"got", place.is_steady ? Json(fmt::format("{:.9g}", place.got)) : Json()},
                      {"expected", fmt::format("{:.9g}", place.expected)}});
  }
  return {{"schema", "stitchcuda.public_check/1"},
          {"seed", kPublicSeed},
          {"draws", kPublicDraws},
          {"shape", check.shape},
          {"why_whole", check.why_whole},
          {"outcome", to_string(check.outcome)},
          {"report", check.report},
          {"places", places},
          {"wrong_elements", check.wrong_elements}};
}

std::string describe(const PublicCheck& check) {
  std::string text =
      fmt::format("public check, {} draws at {}: {}", kPublicDraws, check.shape, to_string(check.outcome));
  if (!check.why_whole.empty()) {
    text += fmt::format("\n{} The whole program with the step in it was checked.", check.why_whole);
  }
  for (const WrongPlace& place : check.places) {
    const std::string got = place.is_steady ? fmt::format("got {:.9g}", place.got)
                                            : "got another value in each call (never written, or a race)";
    text +=
        fmt::format("\ndraw {}, {}{}: {}, expected {:.9g}", place.draw, place.output, place.index, got, place.expected);
  }
  if (check.wrong_elements > static_cast<int64_t>(check.places.size())) {
    text += fmt::format("\n{} elements in all", check.wrong_elements);
  }
  return check.report.empty() ? text : text + "\n" + check.report;
}

Result<PublicCheck> check_publicly(Job& job, const toolchain::Toolchain& tools, const PublicSubject& subject) {
  PublicCheck check;
  const bool has_sanitizers = tools.supports(DeviceKind::kChecked).has_value();
  if (subject.checked != nullptr && has_sanitizers) {
    STITCH_ASSIGN(const auto beside, PublicRun::begin(job, tools, *subject.checked, DeviceKind::kChecked, subject));
    STITCH_TRY(beside->check(DeviceKind::kChecked, 1, check));
  }
  if (check.outcome != PublicOutcome::kPassed) {
    return check;
  }
  STITCH_ASSIGN(const auto run, PublicRun::begin(job, tools, subject.subject, subject.device, subject));
  if (subject.device == DeviceKind::kEmulated && has_sanitizers) {
    STITCH_TRY(run->check(DeviceKind::kChecked, 1, check));
  }
  if (check.outcome == PublicOutcome::kPassed) {
    STITCH_TRY(run->check(subject.device, kPublicDraws, check));
  }
  return check;
}

}  // namespace stitch::driver
