// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/workspace_coder.h"

#include <fmt/format.h>

#include "agents/ask/asker.h"
#include "agents/workspace/drawn_groups.h"
#include "agents/workspace/own_step.h"
#include "base/hash/sha256.h"
#include "driver/improve/candidate.h"
#include "driver/written/step_nodes.h"

namespace stitch::agents {
namespace {

constexpr size_t kTriesOfStep = 2;  // as the session left it, then as `verify` last found it right

// What a text for the sub-task is known by to the session, and where it goes.
struct Target {
  std::string name{};                   // of the answer; empty: it was no session's to write
  std::string step{};                   // that it will be
  std::vector<std::string> replaced{};  // of a group: steps of the incumbent that it takes nodes from
  std::string why_fixed{};              // why no text can be tried; empty: one can
};

// Answers are known by what the steps were when the session began: a group that was adopted meanwhile renumbers them.
Target target_of(const SubTask& sub_task, const SessionRecord& record, const Bench& bench) {
  if (std::string group = group_of(sub_task, record); !group.empty()) {
    const Ground ground = bench.ground_of(sub_task);
    return {std::move(group), ground.step, ground.replaced, ground.why_fixed};
  }
  const OwnStep own = own_step_of(bench, sub_task);
  const std::optional<size_t> first =
      sub_task.kind == SubTaskKind::kStep ? driver::step_with_nodes(bench.plan(), sub_task.nodes) : std::nullopt;
  const bool is_known = !own.step.empty() && first.has_value();
  return {is_known ? driver::key_of_step(bench.plan(), *first) : own.step, own.step, {}, own.why_fixed};
}

}  // namespace

WorkspaceCoder::WorkspaceCoder(std::string name, std::unique_ptr<Session> session, Journal& journal, RunFolder folder,
                               Pristine pristine, bool is_offline)
    : name_(std::move(name)),
      session_(std::move(session)),
      journal_(journal),
      folder_(std::move(folder)),
      pristine_(std::move(pristine)),
      is_offline_(is_offline) {}

Result<SessionRecord> WorkspaceCoder::run_session(const State& state, const Material& material) {
  WorkFolder work(folder_.path() / "session", folder_, pristine_);
  STITCH_ASSIGN(SessionEnd end, session_->run(state, material, work));
  SessionRecord record{.why = std::move(end.why),
                       .turns = end.turns,
                       .strays = static_cast<int64_t>(work.strays()),
                       .altered = static_cast<int64_t>(work.altered()),
                       .number = number_of_question(state, 0),
                       .spent = std::move(end.spent)};
  for (const auto& [step, path] : work.pristine().answers) {
    if (work.is_changed(step, work.text_of(step))) {
      STITCH_ASSIGN(record.texts[step], folder_.keep_code(work.text_of(step)));
    }
    const auto verified = end.verified.find(step);
    if (verified != end.verified.end() && work.is_changed(step, verified->second)) {
      STITCH_ASSIGN(record.verified[step], folder_.keep_code(verified->second));
    }
  }
  for (const auto& [group, nodes] : work.pristine().groups) {
    if (record.texts.contains(group)) {
      record.groups[group] = nodes;
    }
  }
  work.remove();
  return record;
}

Result<void> WorkspaceCoder::find_record(const State& state, const Material& material) {
  Sha256 program;
  for (const auto& [path, text] : pristine_.files) {
    program.update_field(path);
    program.update_field(text);
  }
  const std::string body = "session\n" + name_ + "\n" + program.finish();
  const std::string key = request_key(Role::kTools, body, 0);
  STITCH_ASSIGN(const std::optional<std::string> known, journal_.answer_to(key));
  if (known.has_value()) {
    STITCH_ASSIGN(record_, session_record_from_text(*known));
    return {};
  }
  if (is_offline_) {
    return failure(ErrorCode::kFileInvalid, "the journal lacks the session in the workspace", "",
                   "resume the run instead: stitchcuda runs resume ID");
  }
  STITCH_ASSIGN(record_, run_session(state, material));
  return journal_.keep_answer(key, Role::kTools, body, to_text(*record_));
}

Result<Done> WorkspaceCoder::answer(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  const Target target = target_of(sub_task, *record_, material.bench);
  const auto last = record_->texts.find(target.name);
  if (target.name.empty() || last == record_->texts.end()) {
    return Done{Declined{fmt::format("{} was left as it was; the session: {}", sub_task.name, record_->why)}};
  }
  if (!target.why_fixed.empty()) {
    return Done{Declined{fmt::format("{} cannot be written anew: {}", sub_task.name, target.why_fixed)}};
  }
  const auto attempts = current_attempts(state);
  const auto verified = record_->verified.find(target.name);
  const bool is_first = attempts.empty();
  const bool has_another = attempts.size() < kTriesOfStep && !is_first && !attempts.back()->replaced_incumbent &&
                           verified != record_->verified.end() && verified->second != last->second;
  if (!is_first && !has_another) {
    return Done{Declined{fmt::format("{} has no other text; the session: {}", sub_task.name, record_->why)}};
  }
  STITCH_ASSIGN(std::string text, folder_.code(is_first ? last->second : verified->second));
  return Done{.body = Written{.digest = "", .changed = {target.step}, .replaced = target.replaced},
              .code = std::move(text)};
}

Result<Done> WorkspaceCoder::write(const State& state, const Material& material) {
  if (!record_.has_value()) {
    STITCH_TRY(find_record(state, material));
  }
  Done done;
  if (has_new_groups(state, *record_)) {
    done.body = Planned{plan_with_groups(state, *record_, material.bench.plan().graph)};
  } else {
    STITCH_ASSIGN(done, answer(state, material));
  }
  if (record_->number == number_of_question(state, 0)) {
    done.spent = record_->spent;
  }
  return done;
}

}  // namespace stitch::agents
