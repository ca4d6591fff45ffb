// SPDX-License-Identifier: Apache-2.0
#include "agents/coder/host_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/embedded.h"
#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr const char* kSchema = "stitchcuda.host/1";
constexpr const char* kMembers[] = {"schema", "order", "streams", "graph"};
constexpr size_t kMaxQuoted = 80;  // characters of what was written

bool are_texts(const Json& list) {
  return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& each) { return each.is_string(); });
}

bool is_stream(const Json& number) {
  return number.is_number_integer() && number >= 0 && number <= plan::kMaxSideStreams;
}

// Why the object is none; empty where it is one.
std::string fault_of(const Json& object) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return fmt::format("host choices have no member \"{}\"", printable_line(name, kMaxQuoted));
    }
  }
  for (const char* name : kMembers) {
    if (!object.contains(name)) {
      return fmt::format("the host choices lack \"{}\"", name);
    }
  }
  if (object["schema"] != kSchema) {
    return fmt::format("the schema of the host choices is not \"{}\"", kSchema);
  }
  if (!are_texts(object["order"])) {
    return "\"order\" is no list of names of steps";
  }
  if (!object["streams"].is_object() || !std::all_of(object["streams"].begin(), object["streams"].end(), is_stream)) {
    return fmt::format("\"streams\" is no object of step to stream, 0 (that of the call) to {}", plan::kMaxSideStreams);
  }
  return object["graph"].is_boolean() ? "" : "\"graph\" is neither true nor false";
}

}  // namespace

std::string host_text(const plan::HostPlan& host) {
  const Json json = {
      {"schema", kSchema}, {"order", host.order}, {"streams", host.choices.streams}, {"graph", host.choices.replays}};
  return json.dump(1) + "\n";
}

std::variant<plan::HostPlan, std::string> host_from_text(const std::string& text) {
  const Result<Json> read = parse_json(text, "the host choices");
  if (!read.has_value() || !read->is_object()) {
    return "the host choices are no JSON object";
  }
  if (std::string fault = fault_of(*read); !fault.empty()) {
    return fault;
  }
  plan::HostPlan host;
  host.order = (*read)["order"].get<std::vector<std::string>>();
  host.choices.streams = (*read)["streams"].get<std::map<std::string, int>>();
  std::erase_if(host.choices.streams, [](const auto& each) { return each.second == 0; });
  host.choices.replays = (*read)["graph"].get<bool>();
  return host;
}

CoderAnswer host_answer_from_text(const std::string& answer) {
  const std::optional<EmbeddedObject> found = embedded_object(answer, "schema");
  if (!found.has_value()) {
    CoderAnswer other = coder_answer_from_text(answer);
    return std::holds_alternative<CannotWrite>(other)
               ? other
               : CoderAnswer(NoCode{"the answer holds no whole JSON object with a schema, and no \"cannot, because\""});
  }
  const auto read = host_from_text(found->object.dump());
  if (const auto* fault = std::get_if<std::string>(&read); fault != nullptr) {
    return NoCode{*fault};
  }
  return StepCode{host_text(std::get<plan::HostPlan>(read))};
}

}  // namespace stitch::agents
