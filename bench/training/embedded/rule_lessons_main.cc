// SPDX-License-Identifier: Apache-2.0
// Lessons for a small Coder without a run of agents: of each program the steps as the expert writes them, asked as
// prompts/compact asks, and what mends those of its texts that a mistake was put into. Nothing is compiled: that the
// texts are right is what everything else here tests. Half a second for a program.
//
//     stitchcuda-rule-lessons TASKS PROGRAMS > lessons.jsonl
//
// TASKS is synth's tasks.jsonl, or lines with `id`, `family` and `split`; PROGRAMS/ID.py is the program of one. A
// program that cannot be planned gives no lesson and a line on stderr.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "agents/ask/expert_model.h"
#include "agents/planner/expert_planner.h"
#include "agents/prompts/bare_code.h"
#include "agents/prompts/prompts.h"
#include "agents/roles/compact_context.h"
#include "agents/slow/slow_text.h"
#include "agents/verifier/expert_verifier.h"
#include "agents/verifier/fingerprint.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "bench/training/embedded/mistakes.h"
#include "bench/training/embedded/text_bench.h"
#include "driver/import/batch.h"
#include "driver/job/unwatched.h"
#include "driver/time/planned_by.h"

namespace stitch::lessons {
namespace {

using agents::Outcome;

struct Taught {
  std::string id;
  std::string family;
  std::string split;
};

// A program as the expert plans and writes it.
Result<TextBench> expert_bench(const std::string& file, driver::Job& job) {
  Task task;
  task.file = file;
  STITCH_ASSIGN(const driver::ImportedProgram imported, driver::import_program(job, task));
  STITCH_ASSIGN(const driver::BatchAxes axes, driver::find_batch_axes(job, task));
  STITCH_ASSIGN(const plan::ProgramBatches batches, driver::import_batches(job, task, axes, imported.graph));
  STITCH_ASSIGN(plan::Plan made, driver::planner_of(job, batches, task.math)({}, {}));
  STITCH_ASSIGN(driver::EmittedProgram program, driver::emit_again(job, std::move(made)));
  return TextBench(std::move(program.plan), std::move(program.bundle));
}

// The questions about one step, and their answers.
class Step {
 public:
  Step(const TextBench& bench, const agents::Prompts& prompts, const agents::SubTask& sub_task)
      : bench_(bench), prompts_(prompts), sub_task_(sub_task) {
    state_.task = {.name = "lesson", .digest = "d", .device = "emulated", .math = "fp32"};
    state_.plans = {{.sub_tasks = {sub_task}}};
    state_.begun_sub_tasks = 1;
    printed_ = *bench.text_by_rule(sub_task, 0);
    text_ = agents::bare_code(printed_);
  }

  const std::string& printed() const { return printed_; }  // by codegen
  const std::string& text() const { return text_; }        // the same without comments
  std::string file() const { return "steps/" + bench_.ground_of(sub_task_).step + ".cu"; }

  Json scratch() { return asked("coder_draft", {.bench = bench_}, text_, "scratch"); }

  Json mended(const Mistake& mistake) {
    fail(mistake.is_built ? Outcome::kWrong : Outcome::kNotCompiled, mistake.first);
    return asked("coder_repair", {.bench = bench_, .last_code = mistake.text, .told = mistake.told}, text_,
                 "refinement");
  }

  Json bettered(const std::string& slow, double us) {
    state_.attempts = {{.outcome = Outcome::kRight, .step = agents::Time{.us = us}}};
    state_.feedback = {agents::expert_feedback({{.step = bench_.ground_of(sub_task_).step, .us = us}})};
    state_.feedback.back().attempt = 1;
    return asked("coder_optimize", {.bench = bench_, .last_code = slow}, text_, "refinement");
  }

 private:
  void fail(Outcome outcome, const std::string& error) {
    const std::string first = agents::fingerprint(error);
    state_.attempts = {{.outcome = outcome, .fingerprint = first}};
    state_.feedback = {agents::expert_feedback(outcome, first)};
    state_.feedback.back().attempt = 1;
  }

  Json asked(const char* prompt, const agents::Material& material, const std::string& answer, const char* skill) {
    const std::string system = prompts_.fill("compact/coder");
    const std::string user = prompts_.fill(std::string("compact/") + prompt, agents::compact_places(state_, material));
    return {{"schema", "stitchcuda.lesson/1"},
            {"id", sha256_hex(user + '\0' + answer)},
            {"skill", skill},
            {"activity", prompt},
            {"messages", {{{"role", "system"}, {"content", system}}, {{"role", "user"}, {"content", user}}}},
            {"answer", agents::fenced(answer)},
            {"is_positive", true}};
  }

  const TextBench& bench_;
  const agents::Prompts& prompts_;
  const agents::SubTask& sub_task_;
  agents::State state_{.task = {}, .limits = {}, .incumbent = {}};
  std::string printed_;
  std::string text_;
};

std::vector<Json> lessons_of(const TextBench& bench, const agents::Prompts& prompts, const std::string& seed) {
  std::vector<Json> made;
  const agents::PlanVersion version = agents::expert_agent_plan(bench.plan());
  for (const agents::SubTask& sub_task : version.sub_tasks) {
    if (!bench.text_by_rule(sub_task, 0).has_value()) {
      continue;
    }
    Step step(bench, prompts, sub_task);
    made.push_back(step.scratch());
    for (const Mistake& mistake : mistakes_in(step.text(), step.file(), seed)) {
      made.push_back(step.mended(mistake));
    }
    if (const auto slow = agents::slow_text(step.printed(), agents::Slowness::kNaiveKernel); slow.has_value()) {
      made.push_back(step.bettered(agents::bare_code(*slow), 1000 + static_cast<double>(seed.size()) * 137.5));
    }
  }
  return made;
}

Result<void> teach(const Taught& task, const std::string& programs, const agents::Prompts& prompts, driver::Job& job) {
  STITCH_ASSIGN(const TextBench bench, expert_bench(fmt::format("{}/{}.py", programs, task.id), job));
  for (Json& lesson : lessons_of(bench, prompts, task.id)) {
    lesson["task"] = task.id;
    lesson["family"] = task.family;
    lesson["split"] = task.split;
    fmt::print("{}\n", lesson.dump());
  }
  std::fflush(stdout);
  return {};
}

int run(const char* tasks, const std::string& programs) {
  driver::Unwatched unwatched;
  Result<driver::Resources> resources = driver::find_resources();
  const Result<agents::Prompts> prompts = agents::Prompts::load({});
  if (!resources.has_value() || !prompts.has_value()) {
    fmt::print(stderr, "{}\n", resources.has_value() ? prompts.error().message : resources.error().message);
    return 4;
  }
  const driver::Services services{*resources, unwatched};
  std::ifstream lines(tasks);
  if (!lines) {
    fmt::print(stderr, "stitchcuda-rule-lessons: cannot read {}: name synth's tasks.jsonl\n", tasks);
    return 3;
  }
  std::optional<driver::Job> job;  // one for many programs: its Python takes seconds to load
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> read = parse_json(line, tasks);
    if (!read.has_value()) {
      fmt::print(stderr, "{}\n", read.error().message);
      return 3;
    }
    const Taught task{read->value("id", ""), read->value("family", ""), read->value("split", "")};
    if (!job.has_value()) {
      job.emplace(driver::Options{}, services);
    }
    if (const Result<void> taught = teach(task, programs, *prompts, *job); !taught.has_value()) {
      job.reset();  // whatever that program left there
      fmt::print(stderr, "{}: {}\n", task.id, taught.error().message);
    }
  }
  return 0;
}

}  // namespace
}  // namespace stitch::lessons

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "stitchcuda-rule-lessons TASKS PROGRAMS\n");
    return 2;
  }
  return stitch::lessons::run(words[1], words[2]);
}
