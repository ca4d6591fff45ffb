// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <limits>

#include "cli/options/agent_options.h"
#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

CLI::App* add_runs_verb(CLI::App* runs, const char* name, const char* text, const char* example) {
  CLI::App* verb = runs->add_subcommand(name, text);
  verb->footer(example);
  return verb;
}

// `count`: how many runs must be named; negative: at least one.
void add_ids(CLI::App* verb, CommandLine* line, int count) {
  verb->add_option("runs", line->words, "A run's id, or its beginning")->required()->expected(count)->type_name("ID");
}

}  // namespace

void add_runs(CLI::App* application, CommandLine* line) {
  CLI::App* runs = application->add_subcommand("runs", "What was run: list, show, compare and forget runs");
  runs->group(kMachineVerbs);
  runs->require_subcommand(1);
  runs->footer(
      "stitchcuda runs list # newest first\n"
      "stitchcuda runs diff 20261121-1304 20261121-1418 # two runs by the beginnings of their ids");

  CLI::App* list =
      add_runs_verb(runs, "list", "Every run of optimize and tune that is remembered, newest first",
                    "stitchcuda runs list # id, when, program, verdict, time, device, folder\n"
                    "stitchcuda runs list --where 'verdict=verified and math=tf32'\n"
                    "stitchcuda runs list --where 'program~mlp and not (age>7d or time_us=none)' --limit 5");
  add_color(list, line);
  list->add_option("--where", line->where,
                   "Those alone that fit: FIELD = != < > <= >= ~ VALUE, and, or, not, ( ); a wrong field is told all")
      ->type_name("CONDITION")
      ->group(kOutputGroup);
  list->add_option("--limit", line->list_limit,
                   "The newest alone, so many (default: 1000 where people read it, else all)")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->type_name("COUNT")
      ->group(kOutputGroup);
  list->add_flag("--ids", line->ids_only, "The ids alone, one a line")->group(kOutputGroup);

  CLI::App* show = add_runs_verb(runs, "show", "Everything about one run",
                                 "stitchcuda runs show 20261121-1304 # the beginning of an id is enough");
  add_ids(show, line, 1);

  show->add_flag("--graph", line->with_graph, "Of a run of agents: the table of routes, with how often each was taken")
      ->group(kOutputGroup);

  CLI::App* resume = add_runs_verb(runs, "resume", "Go on with a run of agents that was paused, stopped or killed",
                                   "stitchcuda runs resume 20261121-1304 # nothing that was answered is asked again\n"
                                   "stitchcuda runs resume 20261121-1304 --from 12 --model large --llm URL # another "
                                   "run, from its first 12 events on");
  add_ids(resume, line, 1);
  resume->add_option("--from", line->from, "Leave that run as it is, and go on from so many of its events in another")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("COUNT")
      ->group(kOutputGroup);
  add_models(resume, line);

  CLI::App* replay = add_runs_verb(runs, "replay", "Tell a run of agents its events again, offline: the same decisions",
                                   "stitchcuda runs replay 20261121-1304");
  add_ids(replay, line, 1);

  CLI::App* exported = add_runs_verb(runs, "export", "What a run of agents asked and was answered, for training",
                                     "stitchcuda runs export 20261121-1304 > run.jsonl # a JSON object a line");
  add_ids(exported, line, 1);

  CLI::App* diff = add_runs_verb(runs, "diff", "What differs between two runs: options, steps, times, verdict, sources",
                                 "stitchcuda runs diff 20261121-1304 20261121-1418 # from the first to the second");
  add_ids(diff, line, 2);

  CLI::App* remove = add_runs_verb(runs, "rm", "Forget runs",
                                   "stitchcuda runs rm 20261121-1304 # the record\n"
                                   "stitchcuda runs rm --out 20261121-1304 # the record, and the folder it left");
  add_ids(remove, line, -1);
  remove->add_flag("--out", line->with_folder, "Remove the folder that the run wrote, too")->group(kOutputGroup);
  for (CLI::App* verb : {list, show, resume, replay, diff, remove}) {
    verb->add_flag("--json", line->json, "Print one JSON object on stdout")->group(kOutputGroup);
  }
}

}  // namespace stitch::cli
