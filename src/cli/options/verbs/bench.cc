// SPDX-License-Identifier: Apache-2.0
// Runs over whole suites: bench, bench compare, bench ablate, bench audit, leaderboard, harvest.
#include <CLI/App.hpp>
#include <limits>

#include "cli/options/agent_options.h"
#include "cli/options/byte_size.h"
#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

constexpr const char* kTasksGroup = "Tasks";
constexpr const char* kRunGroup = "Run";
constexpr const char* kLimitsGroup = "Limits";

void add_which_tasks(CLI::App* verb, BenchOptions* bench) {
  verb->add_option("suite", bench->suite, "kernelbench, problems, a folder of programs, or a task list (FILE.jsonl)")
      ->type_name("SUITE");
  verb->add_option("--root", bench->root, "Of kernelbench: its checkout")->type_name("DIR")->group(kTasksGroup);
  verb->add_option("--levels", bench->levels, "Levels alone, with commas between")
      ->delimiter(',')
      ->check(CLI::Range(1, 99))
      ->type_name("LEVEL")
      ->group(kTasksGroup);
  verb->add_option("--only", bench->only, "These tasks alone: level1/3, a file's name, or a part of it with *")
      ->delimiter(',')
      ->type_name("TASK")
      ->group(kTasksGroup);
  verb->add_option("--subset", bench->subset, "A subset that papers report: stitchcuda (20, 20 and 10 of kernelbench)")
      ->type_name("NAME")
      ->group(kTasksGroup);
  verb->add_option("--candidates", bench->candidates, "Judge the answers in this folder instead of making any")
      ->type_name("DIR")
      ->group(kTasksGroup);
}

void add_how_to_run(CLI::App* verb, BenchOptions* bench) {
  verb->add_option("--baseline", bench->baselines, "PyTorch beside ours, each timed in turns (default: eager on a GPU)")
      ->delimiter(',')
      ->check(CLI::IsMember({"eager", "compile", "graph", "off"}))
      ->type_name("NAME")
      ->group(kRunGroup);
  verb->add_option("--samples", bench->samples, "Answers to each task (default: 1, or as many as --candidates has)")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->group(kRunGroup);
  verb->add_option("--jobs", bench->jobs, "Tasks side by side (default: half of the processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("COUNT")
      ->group(kRunGroup);
  verb->add_option("--resume", bench->resume, "Go on with a run: nothing that had ended is run again")
      ->type_name("ID")
      ->group(kRunGroup);
  verb->add_option("--need", bench->need, "Exit status 1 where less than this share of sound tasks is right")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE")
      ->group(kRunGroup);
  verb->add_option("--store", bench->store,
                   "Workers take the tasks from this store of jobs (sqlite:FILE, redis://HOST)")
      ->type_name("URL")
      ->group(kRunGroup);
  verb->add_option("--artefacts", bench->artefacts, "The folder that workers share with us (default: FILE.artefacts)")
      ->type_name("DIR")
      ->group(kRunGroup);
  verb->add_flag("--no-admit", bench->no_admit, "Do not ask what each task is worth (stitchcuda admit)")
      ->group(kRunGroup);
}

void add_limits(CLI::App* verb, BenchOptions* bench) {
  const auto is_size = [](std::string& given) -> std::string {
    const Result<uint64_t> bytes = parse_bytes(given);
    return bytes.has_value() ? "" : bytes.error().message + ": " + bytes.error().remedy;
  };
  verb->add_option("--task-seconds", bench->task_seconds, "How long one sample of a task may take (default: 900)")
      ->check(CLI::Range(1.0, 1e6))
      ->type_name("SECONDS")
      ->group(kLimitsGroup);
  verb->add_option("--task-memory", bench->task_memory, "How much memory its processes may take (default: 8G)")
      ->check(CLI::Validator(is_size, ""))
      ->type_name("SIZE")
      ->group(kLimitsGroup);
  verb->add_option("--suite-seconds", bench->suite_seconds, "No task begins after it")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->group(kLimitsGroup);
  verb->add_option("--suite-cost", bench->suite_dollars, "No task begins once all together have cost so much")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("DOLLARS")
      ->group(kLimitsGroup);
  verb->add_option("--suite-tokens", bench->suite_tokens, "Likewise")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->type_name("COUNT")
      ->group(kLimitsGroup);
}

void add_compare(CLI::App* bench, CommandLine* line) {
  CLI::App* verb = bench->add_subcommand("compare", "Two runs task by task: who is right, who is faster, how sure");
  verb->add_option("runs", line->words, "Two runs, by id or folder")->required()->expected(2)->type_name("RUN");
  add_common(verb, line);
  verb->footer("stitchcuda bench compare 20261126-2104 20261127-0900 # success, times, and who won what");
}

void add_ablate(CLI::App* bench, CommandLine* line) {
  CLI::App* verb = bench->add_subcommand("ablate", "Several systems over one suite, side by side, paired by task");
  add_file(verb, line, "FILE.toml", "What is compared (bench/ablations/*.toml)")->required();
  add_out(verb, line, "DIR", "Folder of all runs (default: ablations/NAME under the folder of runs)");
  verb->add_option("--jobs", line->bench.jobs, "Tasks side by side (default: half of the processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("COUNT")
      ->group(kRunGroup);
  add_common(verb, line);
  verb->footer("stitchcuda bench ablate bench/ablations/loop.toml # the same again goes on where it was stopped");
}

void add_audit(CLI::App* bench, CommandLine* line) {
  CLI::App* verb = bench->add_subcommand("audit", "Keep what a person found in an answer: RUN TASK CLASS WHY");
  verb->add_option("finding", line->words, "The run, the task, clean, partial_hack or total_hack, and why")
      ->required()
      ->expected(4)
      ->type_name("WORD");
  verb->add_option("--sample", line->bench.sample, "Of several samples, which (default: 0)")
      ->check(CLI::Range(0, 999))
      ->type_name("N")
      ->group(kTasksGroup);
  add_common(verb, line);
  verb->footer("stitchcuda bench audit 20261126-2104 level1/3 partial_hack \"calls cuBLAS for the product\"");
}

void add_leaderboard(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("leaderboard", "Runs of benches as pages that need no network");
  verb->group(kMainVerbs);
  verb->add_option("runs", line->words, "Runs, by id or folder")->required()->expected(-1)->type_name("RUN");
  add_out(verb, line, "DIR", "Folder to write (default: leaderboard)");
  add_common(verb, line);
  verb->footer("stitchcuda leaderboard 20261126-2104 20261127-0900 --out board # then open board/index.html");
}

void add_harvest(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("harvest", "Lessons for training a Coder, from benches that agents ran");
  verb->group(kAgentVerbs);
  verb->add_option("runs", line->words, "Runs, by id or folder")->required()->expected(-1)->type_name("RUN");
  add_out(verb, line, "DIR", "Folder to write (default: lessons)");
  constexpr const char* kCopiesGroup = "Copies";
  verb->add_option("--against", line->synth.all_against,
                   "Programs to measure by, of whose copies no lessons come: a folder or a file; more than once")
      ->type_name("DIR")
      ->group(kCopiesGroup);
  verb->add_flag("--no-graphs", line->synth.without_graphs, "Import nothing of these: quicker, and fewer copies found")
      ->group(kCopiesGroup);
  verb->add_option("--jobs", line->synth.jobs, "Python processes, 0.4 GB each (default: 2)")
      ->check(CLI::Range(1, 64))
      ->type_name("COUNT")
      ->group(kCopiesGroup);
  add_common(verb, line);
  verb->footer(
      "stitchcuda bench tasks/tasks.jsonl --scale small --model expert:faults=0.3 # tasks that synth made, by rule\n"
      "stitchcuda harvest 20261126-2104 --out lessons # train.jsonl, validation.jsonl, test.jsonl");
}

}  // namespace

void add_bench(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("bench", "Many programs: how many are right, how fast, each figure named");
  verb->group(kMainVerbs);
  verb->require_subcommand(0, 1);
  add_which_tasks(verb, &line->bench);
  add_how_to_run(verb, &line->bench);
  add_limits(verb, &line->bench);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_scale(verb, line);
  add_seed(verb, line, "Seed of all draws (default: drawn by chance, kept with the run)");
  add_math(verb, line);
  add_libraries(verb, line);
  add_device(verb, line);
  add_target(verb, line);
  add_tuning(verb, line);
  add_agents(verb, line);
  add_out(verb, line, "DIR", "Folder of the run (default: bench/ID under the folder of runs)");
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda bench problems --device emulated --jobs 2 # the programs of problems/, by the expert\n"
      "stitchcuda bench kernelbench --root KernelBench --subset stitchcuda --scale small # the papers' 50 tasks\n"
      "stitchcuda bench kernelbench --root KernelBench --candidates runs/mine # answers that you have\n"
      "stitchcuda bench problems --device emulated --store sqlite:jobs.db # by workers (stitchcuda work)\n"
      "stitchcuda bench --resume 20261126-2104 # goes on with a run that was stopped");
  add_compare(verb, line);
  add_ablate(verb, line);
  add_audit(verb, line);
  add_leaderboard(application, line);
  add_harvest(application, line);
}

}  // namespace stitch::cli
