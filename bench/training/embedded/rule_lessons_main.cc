// SPDX-License-Identifier: Apache-2.0
// Lessons for a small Coder without a run of agents: of each program the steps as the expert writes them, asked as
// prompts/compact asks, and what mends those of its texts that a mistake was put into. Nothing is compiled: that the
// texts are right is what everything else here tests. Half a second for a program.
//
//     stitchcuda-rule-lessons TASKS PROGRAMS [MISTAKES] > lessons.jsonl
//
// TASKS is synth's tasks.jsonl, or lines with `id`, `family` and `split`; PROGRAMS/ID.py is the program of one. A
// program that cannot be planned gives no lesson and a line on stderr. With MISTAKES, a line each with `task`, `step`,
// `code`, `told` and `is_built`, what mends these is all that is given.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "agents/ask/expert_model.h"
#include "agents/planner/expert_planner.h"
#include "agents/prompts/bare_code.h"
#include "agents/prompts/prompts.h"
#include "agents/roles/compact_context.h"
#include "agents/slow/slow_text.h"
#include "agents/verifier/expert_verifier.h"
#include "agents/verifier/fingerprint.h"
#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/filled_lines.h"
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

using MistakesByStep = std::multimap<std::string, Mistake>;  // by "steps/00_relu.cu"

std::vector<Json> lessons_of_mistakes(Step& step, const MistakesByStep& mistakes) {
  std::vector<Json> made;
  const auto [first, last] = mistakes.equal_range(step.file());
  std::for_each(first, last, [&](const auto& each) {
    if (each.second.text != step.text()) {
      made.push_back(step.mended(each.second));
    }
  });
  return made;
}

std::vector<Json> lessons_by_rule(Step& step, const std::string& seed) {
  std::vector<Json> made{step.scratch()};
  for (const Mistake& mistake : mistakes_in(step.text(), step.file(), seed)) {
    made.push_back(step.mended(mistake));
  }
  if (const auto slow = agents::slow_text(step.printed(), agents::Slowness::kNaiveKernel); slow.has_value()) {
    made.push_back(step.bettered(agents::bare_code(*slow), 1000 + static_cast<double>(seed.size()) * 137.5));
  }
  return made;
}

// `mistakes` is null where there are to be those by rule.
std::vector<Json> lessons_of(const TextBench& bench, const agents::Prompts& prompts, const std::string& seed,
                             const MistakesByStep* mistakes) {
  std::vector<Json> made;
  const agents::PlanVersion version = agents::expert_agent_plan(bench.plan());
  for (const agents::SubTask& sub_task : version.sub_tasks) {
    if (!bench.text_by_rule(sub_task, 0).has_value()) {
      continue;
    }
    Step step(bench, prompts, sub_task);
    std::vector<Json> of_step =
        mistakes == nullptr ? lessons_by_rule(step, seed) : lessons_of_mistakes(step, *mistakes);
    std::move(of_step.begin(), of_step.end(), std::back_inserter(made));
  }
  return made;
}

// What is taught of all tasks.
struct Lore {
  std::string programs;
  agents::Prompts prompts;
  std::optional<std::map<std::string, MistakesByStep>> mistakes;  // by task
};

Result<std::map<std::string, MistakesByStep>> read_mistakes(const char* path) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  std::map<std::string, MistakesByStep> mistakes;
  STITCH_TRY(for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    STITCH_ASSIGN(const Json read, parse_json(std::string(line), fmt::format("{}:{}", path, number)));
    const std::string told = read.value("told", "");
    const bool is_built = read.value("is_built", false);
    const size_t log = is_built ? std::string::npos : told.find('\n');  // behind the line on the check itself
    mistakes[read.value("task", "")].emplace(
        fmt::format("steps/{}.cu", read.value("step", "")),
        Mistake{read.value("code", ""), told, log == std::string::npos ? told : told.substr(log + 1), is_built});
    return {};
  }));
  return mistakes;
}

Result<void> teach(const Taught& task, const Lore& lore, driver::Job& job) {
  const bool is_by_rule = !lore.mistakes.has_value();
  if (!is_by_rule && !lore.mistakes->contains(task.id)) {
    return {};
  }
  STITCH_ASSIGN(const TextBench bench, expert_bench(fmt::format("{}/{}.py", lore.programs, task.id), job));
  const MistakesByStep* mistakes = is_by_rule ? nullptr : &lore.mistakes->at(task.id);
  for (Json& lesson : lessons_of(bench, lore.prompts, task.id, mistakes)) {
    lesson["task"] = task.id;
    lesson["family"] = task.family;
    lesson["split"] = task.split;
    fmt::print("{}\n", lesson.dump());
  }
  std::fflush(stdout);
  return {};
}

Result<Lore> lore_of(const char* programs, const char* mistakes) {
  STITCH_ASSIGN(agents::Prompts prompts, agents::Prompts::load({}));
  Lore lore{programs, std::move(prompts), {}};
  if (mistakes != nullptr) {
    STITCH_ASSIGN(lore.mistakes, read_mistakes(mistakes));
  }
  return lore;
}

int run(const char* tasks, const Lore& lore) {
  driver::Unwatched unwatched;
  Result<driver::Resources> resources = driver::find_resources();
  if (!resources.has_value()) {
    fmt::print(stderr, "{}\n", resources.error().message);
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
    if (const Result<void> taught = teach(task, lore, *job); !taught.has_value()) {
      job.reset();  // whatever that program left there
      fmt::print(stderr, "{}: {}\n", task.id, taught.error().message);
    }
  }
  return 0;
}

}  // namespace
}  // namespace stitch::lessons

int main(int count, char** words) {
  if (count != 3 && count != 4) {
    fmt::print(stderr, "stitchcuda-rule-lessons TASKS PROGRAMS [MISTAKES]\n");
    return 2;
  }
  const auto lore = stitch::lessons::lore_of(words[2], count == 4 ? words[3] : nullptr);
  if (!lore.has_value()) {
    fmt::print(stderr, "{}\n", lore.error().message);
    return 4;
  }
  return stitch::lessons::run(words[1], *lore);
}
