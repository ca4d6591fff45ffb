// SPDX-License-Identifier: Apache-2.0
#include "synth/make/task_process.h"

#include "base/json/json.h"

namespace stitch::synth {
namespace {

constexpr int64_t kTimeoutMs = 90'000;  // Python's own deadline is 30 s; this is for what does not listen
constexpr double kMaxResidentBytes = 800e6;

Json arguments_of(const TaskText& task) {
  Json overrides = Json::object();
  for (const auto& [name, value] : task.sizes) {
    overrides[name] = value;
  }
  return {{"source", task.source}, {"name", task.name}, {"overrides", overrides}};
}

// Of a program's doing: everything that is not the machine's.
bool is_of_the_task(const Error& error) {
  return error.code == ErrorCode::kProgramInvalid || error.code == ErrorCode::kTimeout ||
         error.code == ErrorCode::kInternal || error.code == ErrorCode::kUnsupportedOperator;
}

}  // namespace

driver::Job& TaskProcess::job() {
  if (job_ == nullptr) {
    job_ = std::make_unique<driver::Job>(options_, services_);
  }
  return *job_;
}

Result<Json> TaskProcess::ask(const std::string& verb, const Json& arguments) {
  // Not Job::ask(), which tells of each request: there are thousands.
  STITCH_ASSIGN(JsonChannel * channel, job().python());
  Result<Json> answer = channel->request(verb, arguments, kTimeoutMs);
  if (!answer.has_value() && channel->end().has_value()) {
    job_.reset();
  }
  return answer;
}

Result<TaskFacts> TaskProcess::look(const TaskText& task) {
  const Result<Json> answer = ask("task.look", arguments_of(task));
  if (!answer.has_value() && is_of_the_task(answer.error())) {
    TaskFacts facts;
    facts.failed = answer.error().message;
    return facts;
  }
  STITCH_ASSIGN(const Json json, answer);
  return task_facts_from_json(json);
}

Result<TaskProcess::Fallen> TaskProcess::try_out(const TaskText& task, uint64_t seed,
                                                 const std::vector<std::string>& backends) {
  Json arguments = arguments_of(task);
  arguments["seed"] = seed;
  arguments["backends"] = backends;
  const Result<Json> answer = ask("task.try", arguments);
  if (!answer.has_value() && is_of_the_task(answer.error())) {
    return Fallen{"eager", answer.error().message};
  }
  STITCH_ASSIGN(const Json json, answer);
  Fallen fallen;
  STITCH_ASSIGN(fallen.filter, json_string(json, "failed"));
  STITCH_ASSIGN(fallen.why, json_string(json, "why"));
  STITCH_ASSIGN(const double resident, json_double(json, "resident_bytes"));
  if (resident > kMaxResidentBytes) {
    job_.reset();
  }
  return fallen;
}

Result<TaskProcess::Measured> TaskProcess::measure(const TaskText& task, uint64_t seed) {
  Json arguments = arguments_of(task);
  arguments["seed"] = seed;
  STITCH_ASSIGN(const Json json, ask("task.measure", arguments));
  Measured measured;
  STITCH_ASSIGN(measured.ms, json_double(json, "ms"));
  STITCH_ASSIGN(measured.device, json_string(json, "device"));
  return measured;
}

}  // namespace stitch::synth
