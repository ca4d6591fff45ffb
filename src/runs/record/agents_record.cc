// SPDX-License-Identifier: Apache-2.0
#include "runs/record/agents_record.h"

#include <fmt/format.h>

#include <utility>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

// Members of one object, by name: read where they are there, and the first of another kind is the problem.
class Members {
 public:
  Members(const Json& object, std::string& problem) : object_(object), problem_(problem) {
    if (!object.is_object()) {
      refuse("it");
    }
  }

  void take(const char* name, std::string& into) {
    take_if(name, &Json::is_string, [&](const Json& found) { into = found.get<std::string>(); });
  }
  void take(const char* name, bool& into) {
    take_if(name, &Json::is_boolean, [&](const Json& found) { into = found.get<bool>(); });
  }
  void take(const char* name, double& into) {
    take_if(name, &Json::is_number, [&](const Json& found) { into = found.get<double>(); });
  }
  void take(const char* name, int64_t& into) {
    take_if(name, &Json::is_number_integer, [&](const Json& found) {
      const bool fits = !found.is_number_unsigned() || std::in_range<int64_t>(found.get<uint64_t>());
      if (fits) {
        into = found.get<int64_t>();
      } else {
        refuse(name);
      }
    });
  }
  template <typename T>
  void take(const char* name, std::optional<T>& into) {
    if (at(name) != nullptr) {
      take(name, into.emplace());
    }
  }
  void take(const char* name, std::vector<std::string>& into) {
    each(name, [&](const Json& one) {
      if (one.is_string()) {
        into.push_back(one.get<std::string>());
      } else {
        refuse(name);
      }
    });
  }
  void take(const char* name, std::map<std::string, std::string>& into) {
    take_if(name, &Json::is_object, [&](const Json& found) {
      for (const auto& [key, value] : found.items()) {
        if (value.is_string()) {
          into[key] = value.get<std::string>();
        } else {
          refuse(name);
        }
      }
    });
  }
  // `read` fills one value from the members of its object.
  template <typename T>
  void take(const char* name, T& into, void (*read)(Members, T&)) {
    take_if(name, &Json::is_object, [&](const Json& found) { read(Members(found, problem_), into); });
  }
  template <typename T>
  void take(const char* name, std::optional<T>& into, void (*read)(Members, T&)) {
    if (at(name) != nullptr) {
      take(name, into.emplace(), read);
    }
  }
  template <typename T>
  void take(const char* name, std::vector<T>& into, void (*read)(Members, T&)) {
    each(name, [&](const Json& one) { read(Members(one, problem_), into.emplace_back()); });
  }

 private:
  const Json* at(const char* name) const {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  template <typename Read>
  void take_if(const char* name, bool (Json::*is_kind)() const noexcept, const Read& read) {
    if (const Json* found = at(name); found != nullptr) {
      if ((found->*is_kind)()) {
        read(*found);
      } else {
        refuse(name);
      }
    }
  }
  template <typename Read>
  void each(const char* name, const Read& read) {
    take_if(name, &Json::is_array, [&](const Json& found) {
      for (const Json& one : found) {
        read(one);
      }
    });
  }
  void refuse(const char* name) {
    problem_ = problem_.empty() ? fmt::format("{} is not of the kind that we write", name) : problem_;
  }

  const Json& object_;
  std::string& problem_;
};

Json to_json(const std::optional<AgentsTime>& time) {
  return time.has_value() ? Json{{"kind", time->kind}, {"us", time->us}} : Json();
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json to_json(const AgentsLimits& limits) {
  return {{"tokens", or_null(limits.tokens)},
          {"dollars", or_null(limits.dollars)},
          {"gpu_seconds", or_null(limits.gpu_seconds)},
          {"seconds", or_null(limits.seconds)},
          {"rounds", limits.rounds},
          {"rounds_per_sub_task", limits.rounds_per_sub_task},
          {"repairs", limits.repairs},
          {"replans", limits.replans}};
}

Json to_json(const AgentsSpending& spent) {
  return {{"requests", spent.requests},
          {"prompt_tokens", spent.prompt_tokens},
          {"answer_tokens", spent.answer_tokens},
          {"tokens_are_estimated", spent.is_estimated},
          {"dollars", spent.dollars},
          {"gpu_seconds", spent.gpu_seconds},
          {"seconds", spent.seconds}};
}

Json plans_json(const AgentsRecord& record) {
  Json plans = Json::array();
  for (const AgentsPlan& each : record.plans) {
    plans.push_back({{"version", each.version},
                     {"author", each.author},
                     {"trigger", each.trigger},
                     {"summary", each.summary},
                     {"sub_tasks", each.sub_tasks}});
  }
  return plans;
}

Json attempts_json(const AgentsRecord& record) {
  Json attempts = Json::array();
  for (const AgentsAttempt& each : record.attempts) {
    attempts.push_back({{"number", each.number},
                        {"plan", each.plan},
                        {"sub_task", each.sub_task},
                        {"activity", each.activity},
                        {"outcome", each.outcome},
                        {"digest", each.digest},
                        {"program", to_json(each.program)},
                        {"replaced_incumbent", each.replaced_incumbent}});
  }
  return attempts;
}

Json writers_json(const AgentsRecord& record) {
  Json writers = Json::array();
  for (const StepWriter& each : record.writers) {
    writers.push_back({{"step", each.step}, {"author", each.author}, {"attempt", each.attempt}});
  }
  return writers;
}

void read_time(Members members, AgentsTime& time) {
  members.take("kind", time.kind);
  members.take("us", time.us);
}

void read_limits(Members members, AgentsLimits& limits) {
  members.take("tokens", limits.tokens);
  members.take("dollars", limits.dollars);
  members.take("gpu_seconds", limits.gpu_seconds);
  members.take("seconds", limits.seconds);
  members.take("rounds", limits.rounds);
  members.take("rounds_per_sub_task", limits.rounds_per_sub_task);
  members.take("repairs", limits.repairs);
  members.take("replans", limits.replans);
}

void read_spending(Members members, AgentsSpending& spent) {
  members.take("requests", spent.requests);
  members.take("prompt_tokens", spent.prompt_tokens);
  members.take("answer_tokens", spent.answer_tokens);
  members.take("tokens_are_estimated", spent.is_estimated);
  members.take("dollars", spent.dollars);
  members.take("gpu_seconds", spent.gpu_seconds);
  members.take("seconds", spent.seconds);
}

void read_plan(Members members, AgentsPlan& plan) {
  members.take("version", plan.version);
  members.take("author", plan.author);
  members.take("trigger", plan.trigger);
  members.take("summary", plan.summary);
  members.take("sub_tasks", plan.sub_tasks);
}

void read_attempt(Members members, AgentsAttempt& attempt) {
  members.take("number", attempt.number);
  members.take("plan", attempt.plan);
  members.take("sub_task", attempt.sub_task);
  members.take("activity", attempt.activity);
  members.take("outcome", attempt.outcome);
  members.take("digest", attempt.digest);
  members.take("program", attempt.program, read_time);
  members.take("replaced_incumbent", attempt.replaced_incumbent);
}

void read_writer(Members members, StepWriter& writer) {
  members.take("step", writer.step);
  members.take("author", writer.author);
  members.take("attempt", writer.attempt);
}

void read_record(Members members, AgentsRecord& record) {
  members.take("system", record.system);
  members.take("without", record.without);
  members.take("roles", record.roles);
  members.take("prompts", record.prompts);
  members.take("limits", record.limits, read_limits);
  members.take("spent", record.spent, read_spending);
  members.take("activity", record.activity);
  members.take("sub_task", record.sub_task);
  members.take("reason", record.reason);
  members.take("paused_by", record.paused_by);
  members.take("replans", record.replans);
  members.take("plans", record.plans, read_plan);
  members.take("attempts", record.attempts, read_attempt);
  members.take("first", record.first, read_time);
  members.take("incumbent", record.incumbent, read_time);
  members.take("writers", record.writers, read_writer);
}

}  // namespace

Json to_json(const AgentsRecord& record) {
  return {
      {"system", record.system},           {"without", record.without},        {"roles", record.roles},
      {"prompts", record.prompts},         {"limits", to_json(record.limits)}, {"spent", to_json(record.spent)},
      {"activity", record.activity},       {"sub_task", record.sub_task},      {"reason", record.reason},
      {"paused_by", record.paused_by},     {"replans", record.replans},        {"plans", plans_json(record)},
      {"attempts", attempts_json(record)}, {"first", to_json(record.first)},   {"incumbent", to_json(record.incumbent)},
      {"writers", writers_json(record)}};
}

Result<AgentsRecord> agents_record_from_json(const Json& json) {
  AgentsRecord record;
  std::string problem;
  read_record(Members(json, problem), record);
  if (!problem.empty()) {
    return failure(ErrorCode::kFileInvalid, "what the record of a run says of its agents cannot be read: " + problem);
  }
  return record;
}

}  // namespace stitch::runs
