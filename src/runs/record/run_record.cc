// SPDX-License-Identifier: Apache-2.0
#include "runs/record/run_record.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

constexpr const char* kSchema = "stitchcuda.run/2";
constexpr const char* kOlderSchema = "stitchcuda.run/1";
constexpr std::array kStates = {RunState::kRunning, RunState::kVerified,    RunState::kNotVerified,
                                RunState::kFailed,  RunState::kInterrupted, RunState::kKilled};

template <typename T>
Json nullable(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json nullable(const std::string& text) { return text.empty() ? Json() : Json(text); }

// What is absent or null is empty: a record may be older or newer than we are.
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// A number that its place cannot hold is no number of ours: to convert it would be undefined.
template <typename T>
Result<std::optional<T>> number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) {
    return std::optional<T>();
  }
  bool fits = true;
  if constexpr (std::is_integral_v<T>) {
    fits = found->is_number_unsigned() ? std::in_range<T>(found->template get<uint64_t>())
                                       : found->is_number_integer() && std::in_range<T>(found->template get<int64_t>());
  }
  if (!fits) {
    return failure(ErrorCode::kFileInvalid,
                   "the record of a run has " + found->dump() + " as its '" + key + "', which is no number for it");
  }
  return std::optional<T>(found->template get<T>());
}

Result<void> read_process(const Json& json, ProcessIdentity* process) {
  const auto found = json.find("process");
  if (found != json.end() && found->is_object()) {
    STITCH_ASSIGN(const std::optional<pid_t> pid, number_of<pid_t>(*found, "pid"));
    STITCH_ASSIGN(const std::optional<uint64_t> ticks, number_of<uint64_t>(*found, "start_ticks"));
    process->pid = pid.value_or(0);
    process->start_ticks = ticks.value_or(0);
    process->boot = text_of(*found, "boot");
  }
  return {};
}

void read_stage(const Json& json, RunRecord* record) {
  const auto found = json.find("stage");
  if (found != json.end() && found->is_object()) {
    record->stage = text_of(*found, "name");
    record->stage_message = text_of(*found, "sentence");
  }
}

void read_asked(const Json& json, RunRecord* record) {
  record->folder = text_of(json, "folder");
  record->file = text_of(json, "file");
  record->task = text_of(json, "task");
  record->out = text_of(json, "out");
  const auto command = json.find("command");
  if (command != json.end() && command->is_array()) {
    for (const Json& word : *command) {
      record->command.push_back(word.is_string() ? word.get<std::string>() : std::string());
    }
  }
  const auto options = json.find("options");
  if (options != json.end() && options->is_object()) {
    for (const auto& [name, value] : options->items()) {
      record->options[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
}

}  // namespace

const char* to_string(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return "running";
    case RunState::kVerified:
      return "verified";
    case RunState::kNotVerified:
      return "not verified";
    case RunState::kFailed:
      return "failed";
    case RunState::kInterrupted:
      return "interrupted";
    case RunState::kKilled:
      return "killed";
  }
  return "failed";
}

Result<RunState> state_from_string(const std::string& name) {
  const auto found =
      std::find_if(kStates.begin(), kStates.end(), [&](RunState state) { return name == to_string(state); });
  if (found == kStates.end()) {
    return failure(ErrorCode::kFileInvalid, "the record of a run has the unknown state '" + name + "'");
  }
  return *found;
}

Json to_json(const RunRecord& record) {
  Json json = {{"schema", kSchema},
               {"id", record.id},
               {"verb", record.verb},
               {"command", record.command},
               {"folder", record.folder},
               {"file", record.file},
               {"task", record.task},
               {"options", record.options},
               {"out", nullable(record.out)},
               {"started", record.started},
               {"state", to_string(record.state)},
               {"ended", nullable(record.ended)},
               {"seconds", record.seconds},
               {"error", nullable(record.error)},
               {"verdict", nullable(record.verdict)},
               {"seed", nullable(record.seed)},
               {"modelled_us", nullable(record.modelled_us)},
               {"measured_us", nullable(record.measured_us)},
               {"device", nullable(record.device)},
               {"math", nullable(record.math)},
               {"steps", nullable(record.steps)},
               {"operators", nullable(record.operators)}};
  json["process"] = {
      {"pid", record.process.pid}, {"start_ticks", record.process.start_ticks}, {"boot", record.process.boot}};
  json["stage"] = {{"name", record.stage}, {"sentence", record.stage_message}};
  json["agents"] = record.agents.has_value() ? to_json(*record.agents) : Json();
  return json;
}

Result<RunRecord> run_record_from_json(const Json& json) {
  const std::string schema = json.is_object() ? text_of(json, "schema") : "";
  if (schema != kSchema && schema != kOlderSchema) {
    return failure(ErrorCode::kFileInvalid, "this is no record of a run");
  }
  RunRecord record;
  STITCH_ASSIGN(record.id, json_string(json, "id"));
  STITCH_ASSIGN(record.started, json_string(json, "started"));
  STITCH_ASSIGN(const std::string state, json_string(json, "state"));
  STITCH_ASSIGN(record.state, state_from_string(state));
  record.verb = text_of(json, "verb");
  read_asked(json, &record);
  STITCH_TRY(read_process(json, &record.process));
  read_stage(json, &record);
  record.ended = text_of(json, "ended");
  STITCH_ASSIGN(const std::optional<double> seconds, number_of<double>(json, "seconds"));
  record.seconds = seconds.value_or(0);
  record.error = text_of(json, "error");
  record.verdict = text_of(json, "verdict");
  STITCH_ASSIGN(record.seed, number_of<uint64_t>(json, "seed"));
  STITCH_ASSIGN(record.modelled_us, number_of<double>(json, "modelled_us"));
  STITCH_ASSIGN(record.measured_us, number_of<double>(json, "measured_us"));
  record.device = text_of(json, "device");
  record.math = text_of(json, "math");
  STITCH_ASSIGN(record.steps, number_of<int>(json, "steps"));
  STITCH_ASSIGN(record.operators, number_of<int>(json, "operators"));
  if (const auto agents = json.find("agents"); agents != json.end() && !agents->is_null()) {
    STITCH_ASSIGN(record.agents, agents_record_from_json(*agents));
  }
  return record;
}

}  // namespace stitch::runs
