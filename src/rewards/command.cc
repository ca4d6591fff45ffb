// SPDX-License-Identifier: Apache-2.0
#include "rewards/command.h"

#include <cmath>
#include <sstream>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "base/process/child.h"
#include "base/process/environment.h"
#include "base/text/printable.h"
#include "rewards/members.h"

namespace stitch::rewards {
namespace {

std::string line_of(const Candidate& candidate) {
  const Json line = {{"task", candidate.task}, {"skill", to_string(candidate.skill)}, {"text", candidate.text},
                     {"step", candidate.step}, {"prompt", candidate.prompt},          {"sample", candidate.sample},
                     {"turn", candidate.turn}};
  return json_line(line);
}

bool has_flag(const Json& line, const char* key) { return line.value(key, Json()) == Json(true); }

Result<Judgement> read_judgement(const std::string& text) {
  STITCH_ASSIGN(const Json line, parse_json(text, "the command's answer"));
  if (!line.is_object() || !line.contains("reward")) {
    return failure(ErrorCode::kFileInvalid, "a line of the command's answer has no \"reward\"");
  }
  const Json& reward = line["reward"];
  if (reward.is_null()) {
    return no_verdict(text_in(line, "sentence"));
  }
  if (!reward.is_number() || !std::isfinite(reward.get<double>())) {
    return failure(ErrorCode::kFileInvalid, "a reward of the command's answer is neither a finite number nor null");
  }
  Judgement judgement{.reward = reward.get<double>(),
                      .is_pass = has_flag(line, "pass"),
                      .is_hack = has_flag(line, "hack"),
                      .outcome = text_in(line, "outcome"),
                      .sentence = text_in(line, "sentence"),
                      .feedback = text_in(line, "feedback")};
  if (judgement.outcome.empty()) {
    judgement.outcome = judgement.is_hack ? "hack" : judgement.is_pass ? "ok" : "mismatch";
  }
  add_numbers(line.value("parts", Json()), "", judgement.parts);
  return judgement;
}

class CommandEvaluator final : public Evaluator {
 public:
  explicit CommandEvaluator(CommandSettings settings) : settings_(std::move(settings)) {}

  Result<std::vector<Judgement>> evaluate(std::span<const Candidate> candidates) override {
    if (candidates.empty()) {
      return std::vector<Judgement>();
    }
    auto judgements = run(candidates);
    if (judgements.has_value()) {
      return judgements;
    }
    return std::vector<Judgement>(candidates.size(), no_verdict(judgements.error().message));
  }

 private:
  Result<std::vector<Judgement>> run(std::span<const Candidate> candidates) const {
    STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-rewards"));
    std::string lines;
    for (const Candidate& candidate : candidates) {
      lines += line_of(candidate);
    }
    const auto file = folder.path() / "candidates.jsonl";
    STITCH_TRY(write_file(file, lines));
    ChildOptions options{.arguments = settings_.arguments,
                         .working_directory = settings_.working_directory,
                         .kept_environment = names_of_environment()};  // the user's own, which may ask with a key
    options.arguments.push_back(file.string());
    STITCH_ASSIGN(const ChildOutput output, run_child(options, static_cast<int64_t>(settings_.timeout_s * 1000)));
    if (!output.exit.ok()) {
      constexpr size_t kMaxShown = 200;
      const std::string how = output.exit.timed_out ? "did not end in time"
                              : output.exit.signal != 0
                                  ? "was ended by signal " + std::to_string(output.exit.signal)
                                  : "failed with exit status " + std::to_string(output.exit.exit_code);
      const std::string said = printable_line(output.standard_error, kMaxShown);
      return failure(ErrorCode::kEnvironment, "the command that judges " + how + (said.empty() ? "" : ": " + said));
    }
    return read(output.standard_output, candidates.size());
  }

  static Result<std::vector<Judgement>> read(const std::string& output, size_t wanted) {
    std::vector<Judgement> judgements;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r") != std::string::npos) {
        STITCH_ASSIGN(Judgement judgement, read_judgement(line));
        judgements.push_back(std::move(judgement));
      }
    }
    if (judgements.size() != wanted) {
      return failure(ErrorCode::kFileInvalid, "the command that judges printed " + std::to_string(judgements.size()) +
                                                  " lines for " + std::to_string(wanted) + " answers");
    }
    return judgements;
  }

  CommandSettings settings_;
};

}  // namespace

std::unique_ptr<Evaluator> command_evaluator(const CommandSettings& settings) {
  return std::make_unique<CommandEvaluator>(settings);
}

}  // namespace stitch::rewards
