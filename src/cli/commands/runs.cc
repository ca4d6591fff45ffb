// SPDX-License-Identifier: Apache-2.0
// runs list, show, diff, rm: the records that optimize and tune leave of themselves; resume, replay, export: of agents.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <ctime>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/agents/agents_runs.h"
#include "cli/commands/commands.h"
#include "cli/runs/program_digest.h"
#include "cli/runs/remove_run.h"
#include "cli/runs/run_diff.h"
#include "cli/runs/run_text.h"
#include "runs/query/condition.h"
#include "runs/record/program_record.h"
#include "runs/store/run_store.h"

namespace stitch::cli {
namespace {

using runs::ProgramRecord;
using runs::RunRecord;
using runs::RunStore;
using runs::RunSummary;

// Null where the run did not come so far as to make a program, or an older stitchcuda kept none.
Result<Json> program_of(const RunStore& store, const RunRecord& record) {
  const Result<std::string> text = read_file(store.folder_of(record.id) / kProgramFile);
  return text.has_value() ? parse_json(*text, kProgramFile) : Result<Json>(Json());
}

// As a record; what is wrong with it names the file and a way out.
Result<ProgramRecord> program_record(const RunStore& store, const RunRecord& record, const Result<Json>& program) {
  Result<ProgramRecord> found =
      program.has_value() ? runs::program_record_from_json(*program) : Result<ProgramRecord>(failure(program.error()));
  if (!found.has_value()) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("what was kept of the program of {} is altered: {}", record.id, found.error().message),
                   (store.folder_of(record.id) / kProgramFile).string(),
                   fmt::format("forget that run: stitchcuda runs rm {}", record.id));
  }
  return found;
}

// Lines that a person is shown without having asked for more.
constexpr std::optional<int64_t> kShown = 1000;

// Whole records, each read from its folder; one that has gone since is left out.
Json as_json(const RunStore& store, const std::vector<RunSummary>& found) {
  Json rows = Json::array();
  for (const RunSummary& run : found) {
    const Result<RunRecord> record = runs::read_record(store.folder_of(run.id));
    if (record.has_value()) {
      rows.push_back(runs::to_json(*record));
    }
  }
  return rows;
}

std::string nothing_found(const std::string& condition) {
  return condition.empty() ? "no runs are remembered; 'stitchcuda optimize FILE.py' makes one"
                           : "no run that is remembered fits " + condition;
}

Result<int> list(Invocation& invocation, const RunStore& store) {
  const CommandLine& line = invocation.line();
  runs::Condition condition;
  if (!line.where.empty()) {
    Result<runs::Condition> read = runs::parse_condition(line.where);
    condition = read.has_value() ? std::move(read).value() : runs::Condition();
    if (!read.has_value()) {
      return failure(with_context(read.error(), "--where"));
    }
  }
  const bool is_for_people = !line.ids_only && !line.json && !line.list_limit.has_value();
  STITCH_ASSIGN(const std::vector<RunSummary> found,
                store.list(condition, std::time(nullptr), is_for_people ? kShown : line.list_limit));
  if (line.ids_only) {
    std::string text;
    for (const RunSummary& run : found) {
      text += run.id + "\n";
    }
    fmt::print("{}", text);
    return 0;
  }
  const Terminal terminal = find_terminal(STDOUT_FILENO, line.color);
  const bool is_cut = is_for_people && static_cast<int64_t>(found.size()) == *kShown;
  const std::string more = is_cut ? fmt::format("\nthese are the newest {}; --limit COUNT shows more", *kShown) : "";
  invocation.reporter().result(
      line.json ? Json{{"schema", "stitchcuda.runs/1"}, {"runs", as_json(store, found)}} : Json(),
      (found.empty() ? nothing_found(line.where) : list_text(found, std::time(nullptr), terminal)) + more);
  return 0;
}

Result<int> show_graph(Invocation& invocation, const RunStore& store, const RunRecord& record) {
  STITCH_ASSIGN(const std::string text, routes_of_run(store.folder_of(record.id)));
  invocation.reporter().result(Json{{"schema", "stitchcuda.routes/1"}, {"run", record.id}, {"text", text}}, text);
  return 0;
}

Result<int> replay(Invocation& invocation, const RunStore& store) {
  STITCH_ASSIGN(const RunRecord record, store.read(invocation.line().words.front()));
  STITCH_ASSIGN(const Replayed replayed, replay_run(store.folder_of(record.id), record.id));
  STITCH_ASSIGN(const Json json, parse_json(replayed.json, "a replay"));
  invocation.reporter().result(json, replayed.text);
  return 0;
}

Result<int> export_samples(Invocation& invocation, const RunStore& store) {
  STITCH_ASSIGN(const RunRecord record, store.read(invocation.line().words.front()));
  const Result<driver::Resources> resources = driver::find_resources();
  const std::filesystem::path rubric =
      resources.has_value() ? resources->rubrics() / invocation.line().rubric : std::filesystem::path();
  STITCH_ASSIGN(const std::string lines, export_run(store.folder_of(record.id), record.id, rubric));
  fmt::print("{}", lines);
  return 0;
}

// A record like that of `record` with an id of its own, and what that run left until after so many events.
Result<RunRecord> forked(const RunStore& store, RunRecord record, int64_t events) {
  const std::filesystem::path from = store.folder_of(record.id);
  record.id = store.new_id(record.task, std::time(nullptr));
  record.started = runs::utc_text(std::time(nullptr));
  record.state = runs::RunState::kInterrupted;
  STITCH_TRY(fork_run(from, store.folder_of(record.id), events));
  STITCH_TRY(store.write(record));
  return record;
}

Result<int> resume(Invocation& invocation, const RunStore& store) {
  const CommandLine& asked = invocation.line();
  STITCH_ASSIGN(RunRecord record, store.read(asked.words.front()));
  if (record.state == runs::RunState::kRunning && !asked.from.has_value()) {
    return failure(ErrorCode::kUsage, fmt::format("the run {} is still running", record.id), "",
                   "wait for it, or go on from an earlier event in another run: --from COUNT");
  }
  STITCH_ASSIGN(CommandLine line, line_of_run(record, asked));
  STITCH_ASSIGN(driver::Resources resources, driver::find_resources());
  if (asked.from.has_value()) {
    STITCH_ASSIGN(record, forked(store, std::move(record), *asked.from));
    line.goes_on = record.id;
  }
  Invocation again(std::move(line), std::move(resources), invocation.reporter(), invocation.run_log(),
                   invocation.services().run_candidates);
  return run_optimize(again);
}

Result<int> show(Invocation& invocation, const RunStore& store) {
  STITCH_ASSIGN(const RunRecord record, store.read(invocation.line().words.front()));
  if (invocation.line().with_graph) {
    return show_graph(invocation, store, record);
  }
  const Result<Json> program = program_of(store, record);
  STITCH_ASSIGN(const ProgramRecord read, program_record(store, record, program));
  Json object = runs::to_json(record);
  object["program"] = *program;
  STITCH_ASSIGN(const std::string later, later_run_in(store, record));
  invocation.reporter().result(object, show_text(record, read, later, std::time(nullptr)));
  return 0;
}

Result<int> diff(Invocation& invocation, const RunStore& store) {
  STITCH_ASSIGN(const RunRecord first, store.read(invocation.line().words.at(0)));
  STITCH_ASSIGN(const RunRecord second, store.read(invocation.line().words.at(1)));
  STITCH_ASSIGN(const ProgramRecord before, program_record(store, first, program_of(store, first)));
  STITCH_ASSIGN(const ProgramRecord after, program_record(store, second, program_of(store, second)));
  const std::vector<RunDifference> found = differences(first, before, second, after);
  invocation.reporter().result(Json{{"schema", "stitchcuda.runs_diff/1"},
                                    {"first", first.id},
                                    {"second", second.id},
                                    {"differences", to_json(found)}},
                               diff_text(first, second, found));
  return 0;
}

// All ids are looked up before anything goes: a mistyped one costs nothing.
Result<int> remove(Invocation& invocation, const RunStore& store) {
  std::vector<RunRecord> records;
  for (const std::string& id : invocation.line().words) {
    STITCH_ASSIGN(RunRecord record, store.read(id));
    if (record.state == runs::RunState::kRunning) {
      return failure(ErrorCode::kUsage, fmt::format("the run {} is still running", record.id), "",
                     fmt::format("stop it first: kill -INT {}", record.process.pid));
    }
    records.push_back(std::move(record));
  }
  std::vector<std::string> gone;
  for (const RunRecord& record : records) {
    STITCH_ASSIGN(const std::vector<std::string> messages, remove_run(store, record, invocation.line().with_folder));
    gone.insert(gone.end(), messages.begin(), messages.end());
  }
  invocation.reporter().result(Json{{"schema", "stitchcuda.runs_rm/1"}, {"removed", gone}},
                               fmt::format("{}", fmt::join(gone, "\n")));
  return 0;
}

}  // namespace

Result<int> run_runs(Invocation& invocation) {
  STITCH_ASSIGN(const std::filesystem::path state, runs::state_folder());
  const RunStore store(state);
  const std::string& action = invocation.line().action;
  constexpr std::pair<const char*, Result<int> (*)(Invocation&, const RunStore&)> kActions[] = {
      {"list", list},
      {"show", show},
      {"diff", diff},
      {"rm", remove},
      {"resume", resume},
      {"replay", replay},
      {"export", export_samples}};
  for (const auto& [name, run] : kActions) {
    if (action == name) {
      return run(invocation, store);
    }
  }
  return failure(ErrorCode::kInternal, "the verb runs " + action + " has no implementation");
}

}  // namespace stitch::cli
