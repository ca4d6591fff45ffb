// SPDX-License-Identifier: Apache-2.0
#include "agents/planner/agent_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/embedded.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr const char* kSchema = "stitchcuda.agent_plan/1";
constexpr const char* kPlansSchema = "stitchcuda.agent_plans/1";

class Reader {
 public:
  Complaints complaints;

  void complain(const std::string& sentence) {
    if (complaints.size() < kMaxComplaints) {
      complaints.push_back(sentence);
    }
  }
  const Json* member(const Json& object, const std::string& place, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
      complain(fmt::format("{} has no \"{}\"", place, key));
      return nullptr;
    }
    return &*found;
  }
  std::string text(const Json& object, const std::string& place, const char* key) {
    const Json* found = member(object, place, key);
    if (found != nullptr && !found->is_string()) {
      complain(fmt::format("\"{}\" of {} is no text", key, place));
    }
    return found != nullptr && found->is_string() ? found->get<std::string>() : "";
  }
  std::vector<std::string> texts(const Json& object, const std::string& place, const char* key) {
    const Json* found = member(object, place, key);
    const bool is_good = found != nullptr && found->is_array() &&
                         std::all_of(found->begin(), found->end(), [](const Json& each) { return each.is_string(); });
    if (found != nullptr && !is_good) {
      complain(fmt::format("\"{}\" of {} is no list of texts", key, place));
    }
    return is_good ? found->get<std::vector<std::string>>() : std::vector<std::string>();
  }
  void check_known(const Json& object, const std::string& place, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        complain(fmt::format("{} has a member \"{}\", which no plan has", place, key));
      }
    }
  }
};

SubTask sub_task_from(const Json& json, const std::string& place, Reader& reader) {
  SubTask sub_task;
  if (!json.is_object()) {
    reader.complain(place + " is no JSON object");
    return sub_task;
  }
  reader.check_known(json, place, {"name", "kind", "nodes", "contract", "hint", "expected_gain", "risk"});
  sub_task.name = reader.text(json, place, "name");
  const std::string kind = reader.text(json, place, "kind");
  const std::optional<SubTaskKind> named = from_string<SubTaskKind>(kind);
  if (!named.has_value() || named == SubTaskKind::kModule) {  // which is asked for by option alone
    reader.complain(fmt::format("the kind of {} is \"{}\", neither step nor host", place, kind));
  }
  sub_task.kind = named == SubTaskKind::kHost ? SubTaskKind::kHost : SubTaskKind::kStep;
  sub_task.nodes = reader.texts(json, place, "nodes");
  sub_task.contract = reader.texts(json, place, "contract");
  sub_task.hint = reader.text(json, place, "hint");
  sub_task.expected_gain = reader.text(json, place, "expected_gain");
  sub_task.risk = reader.text(json, place, "risk");
  return sub_task;
}

PlanVersion plan_from(const Json& object, const std::string& place, Reader& reader) {
  PlanVersion plan;
  if (!object.is_object()) {
    reader.complain(place + " is no JSON object");
    return plan;
  }
  if (reader.text(object, place, "schema") != kSchema) {
    reader.complain(fmt::format("the schema of {} is not \"{}\"", place, kSchema));
  }
  reader.check_known(object, place, {"schema", "summary", "sub_tasks", "bottlenecks", "risks"});
  plan.summary = reader.text(object, place, "summary");
  plan.bottlenecks = reader.texts(object, place, "bottlenecks");
  plan.risks = reader.texts(object, place, "risks");
  const Json* sub_tasks = reader.member(object, place, "sub_tasks");
  if (sub_tasks != nullptr && !sub_tasks->is_array()) {
    reader.complain(fmt::format("\"sub_tasks\" of {} is no list", place));
  } else if (sub_tasks != nullptr) {
    for (const Json& each : *sub_tasks) {
      const std::string inside = fmt::format("sub-task {}", plan.sub_tasks.size() + 1);
      plan.sub_tasks.push_back(sub_task_from(each, inside, reader));
    }
  }
  return plan;
}

}  // namespace

std::variant<std::vector<PlanVersion>, Complaints> agent_plans_from_text(const std::string& answer) {
  const std::optional<EmbeddedObject> found = embedded_object(answer, "schema");
  if (!found.has_value()) {
    const bool has_begun = answer.find('{') != std::string::npos;
    return Complaints{has_begun ? "the answer holds no whole JSON object with a schema: it is cut, or written wrongly"
                                : "the answer holds no JSON object"};
  }
  const Json& object = found->object;
  Reader reader;
  std::vector<PlanVersion> plans;
  const bool has_several = object["schema"] == kPlansSchema;
  const Json* several = has_several ? reader.member(object, "the answer", "plans") : nullptr;
  if (!has_several) {
    plans.push_back(plan_from(object, "the plan", reader));
  } else if (several != nullptr && (!several->is_array() || several->empty() || several->size() > kMaxPlans)) {
    reader.complain(fmt::format("\"plans\" of the answer is no list of one to {} plans", kMaxPlans));
  } else if (several != nullptr) {
    for (const Json& each : *several) {
      plans.push_back(plan_from(each, fmt::format("plan {}", plans.size() + 1), reader));
    }
  }
  if (!reader.complaints.empty()) {
    return std::move(reader.complaints);
  }
  return plans;
}

Json agent_plan_to_json(const PlanVersion& plan) {
  Json sub_tasks = Json::array();
  for (const SubTask& each : plan.sub_tasks) {
    sub_tasks.push_back({{"name", each.name},
                         {"kind", to_string(each.kind)},
                         {"nodes", each.nodes},
                         {"contract", each.contract},
                         {"hint", each.hint},
                         {"expected_gain", each.expected_gain},
                         {"risk", each.risk}});
  }
  return {{"schema", kSchema},
          {"summary", plan.summary},
          {"sub_tasks", std::move(sub_tasks)},
          {"bottlenecks", plan.bottlenecks},
          {"risks", plan.risks}};
}

Json agent_plans_to_json(const std::vector<PlanVersion>& plans) {
  Json list = Json::array();
  for (const PlanVersion& each : plans) {
    list.push_back(agent_plan_to_json(each));
  }
  return {{"schema", kPlansSchema}, {"plans", std::move(list)}};
}

}  // namespace stitch::agents
