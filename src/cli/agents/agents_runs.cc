// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agents_runs.h"

#include <fmt/format.h>

#include "agents/journal/journal.h"
#include "agents/routing/routes.h"
#include "agents/run/trajectory.h"
#include "base/json/json.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

Json as_json(const agents::Decision& decision) {
  return {{"from", to_string(decision.from)},
          {"event", to_string(decision.event)},
          {"to", to_string(decision.to)},
          {"reason", decision.reason}};
}

void make_absolute(const runs::RunRecord& record, std::string& path) {
  if (!path.empty()) {
    path = (fs::path(record.folder) / path).lexically_normal().string();
  }
}

Result<void> copy_texts(const fs::path& from, const fs::path& to) {
  for (const char* name : {"code", "told", "documents", "facts"}) {
    std::error_code failed;
    if (fs::exists(from / name, failed)) {
      fs::copy(from / name, to / name, fs::copy_options::recursive, failed);
    }
    if (failed) {
      return failure(ErrorCode::kEnvironment, "what the run had written cannot be copied: " + failed.message(),
                     (to / name).string(), "make room on the disk");
    }
  }
  return {};
}

}  // namespace

Result<std::string> routes_of_run(const fs::path& folder) {
  STITCH_ASSIGN(const agents::Journal journal, agents::Journal::open_to_read(folder));
  STITCH_ASSIGN(const std::optional<agents::State> state, journal.latest());
  return agents::routes_as_text(state.has_value() ? &state->decisions : nullptr);
}

Result<Replayed> replay_run(const fs::path& folder, const std::string& id) {
  STITCH_ASSIGN(const agents::Journal journal, agents::Journal::open_to_read(folder));
  STITCH_ASSIGN(const agents::State state, journal.replay());
  STITCH_ASSIGN(const int64_t events, journal.event_count());
  Json decisions = Json::array();
  Replayed replayed;
  for (const agents::Decision& each : state.decisions) {
    decisions.push_back(as_json(each));
    replayed.text += fmt::format("{} -> {}: {}\n", to_string(each.from), to_string(each.to), each.reason);
  }
  replayed.text += fmt::format("{} events lead to the same {} decisions", events, state.decisions.size());
  replayed.json =
      Json{{"schema", "stitchcuda.replay/1"}, {"run", id}, {"events", events}, {"decisions", std::move(decisions)}}
          .dump();
  return replayed;
}

Result<std::string> export_run(const fs::path& folder, const std::string& id, const fs::path& rubric) {
  STITCH_ASSIGN(const agents::Journal journal, agents::Journal::open_to_read(folder));
  const agents::Scoring scoring{agents::RunFolder(folder), rubric};
  return agents::trajectory(journal, id, rubric.empty() ? nullptr : &scoring);
}

Result<CommandLine> line_of_run(const runs::RunRecord& record, const CommandLine& again) {
  std::vector<const char*> words;
  for (const std::string& word : record.command) {
    words.push_back(word.c_str());
  }
  STITCH_ASSIGN(CommandLine line, parse_command_line(static_cast<int>(words.size()), words.data()));
  if (line.verb != "optimize" || !line.agents.are_asked()) {
    return failure(ErrorCode::kUsage, fmt::format("the run {} is none of the agents", record.id), "",
                   "name a run of `optimize --coder llm`");
  }
  line.file = record.file;
  line.out = record.out;
  for (std::string* path :
       {&line.weights, &line.config, &line.agents.prompts, &line.agents.checkpoint, &line.tuning_database}) {
    make_absolute(record, *path);
  }
  if (!again.agents.url.empty() || !again.agents.model.empty() || again.agents.has_team) {
    line.agents.url = again.agents.url;
    line.agents.model = again.agents.model;
    line.agents.checkpoint = again.agents.checkpoint;
    line.agents.has_team = again.agents.has_team;
    line.team = again.team;
  }
  line.agents.checkpoint = again.agents.checkpoint.empty() ? line.agents.checkpoint : again.agents.checkpoint;
  line.config = again.config.empty() ? line.config : again.config;
  line.agents.prompts = again.agents.prompts.empty() ? line.agents.prompts : again.agents.prompts;
  line.agents.compact = again.agents.compact.has_value() ? again.agents.compact : line.agents.compact;
  line.json = again.json;
  line.goes_on = record.id;
  return line;
}

Result<void> fork_run(const fs::path& from, const fs::path& to, int64_t events) {
  STITCH_ASSIGN(const agents::Journal journal, agents::Journal::open_to_read(from));
  STITCH_ASSIGN(const int64_t there, journal.event_count());
  if (events > there) {
    return failure(ErrorCode::kUsage, fmt::format("the run has {} events, not {}", there, events), "",
                   "see 'stitchcuda runs replay'");
  }
  STITCH_TRY(journal.fork(to, events));
  return copy_texts(from, to);
}

}  // namespace stitch::cli
