// SPDX-License-Identifier: Apache-2.0
#include "tools/arguments/check_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/error/check.h"
#include "base/guard/guarded.h"
#include "base/json/json.h"

namespace stitch::tools {
namespace {

constexpr size_t kMaxFaults = 8;

// valijson reads the library's own type alone, whose keys are sorted.
using Sorted = nlohmann::json;

// "seconds" of {"<root>", "[seconds]"}.
std::string argument_in(const std::vector<std::string>& context) {
  std::string name;
  for (size_t i = 1; i < context.size(); ++i) {
    const std::string& part = context[i];
    name += part.size() > 2 && part.front() == '[' ? (name.empty() ? "" : ".") + part.substr(1, part.size() - 2) : part;
  }
  return name;
}

std::vector<std::string> names_in(const Json& properties) {
  std::vector<std::string> names;
  for (const auto& [name, property] : properties.items()) {
    names.push_back(name);
  }
  return names;
}

// In our own words, since they are for somebody who has to call again: names that are not known, and those missing.
std::vector<std::string> faults_of_names(const Json& schema, const Json& arguments) {
  std::vector<std::string> faults;
  const std::vector<std::string> known = names_in(schema["properties"]);
  for (const auto& [name, value] : arguments.items()) {
    if (!schema["properties"].contains(name) && faults.size() < kMaxFaults) {
      faults.push_back(fmt::format("there is no argument '{}': the arguments are {}", name.substr(0, 80),
                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
  }
  for (const Json& name : schema.value("required", Json::array())) {
    if (!arguments.contains(name.get<std::string>())) {
      faults.push_back(fmt::format("the argument '{}' is missing", name.get<std::string>()));
    }
  }
  return faults;
}

// What is allowed, as the schema says it: "math: one of fp32, tf32".
std::string allowed_of(const Json& schema, const std::string& argument) {
  const auto found = schema["properties"].find(argument);
  if (found == schema["properties"].end()) {
    return "";
  }
  if (found->contains("enum")) {
    std::vector<std::string> words;
    for (const Json& word : (*found)["enum"]) {
      words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    }
    return fmt::format("one of {}", fmt::join(words, ", "));
  }
  std::string text = found->contains("type") ? (*found)["type"].get<std::string>() : "a value";
  text += found->contains("minimum") ? fmt::format(" from {}", (*found)["minimum"].dump()) : "";
  text += found->contains("maximum") ? fmt::format(" to {}", (*found)["maximum"].dump()) : "";
  text += found->contains("minLength") ? " that is not empty" : "";
  text += found->contains("maxLength") ? fmt::format(" of at most {} characters", (*found)["maxLength"].dump()) : "";
  return text;
}

std::vector<std::string> faults_of_values(const Json& schema, const Json& arguments) {
  const Sorted sorted_schema = Sorted::parse(schema.dump());
  const Sorted sorted = Sorted::parse(arguments.dump(-1, ' ', false, Json::error_handler_t::replace));
  valijson::Schema rules;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(sorted_schema), rules);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::vector<std::string> faults;
  if (validator.validate(rules, valijson::adapters::NlohmannJsonAdapter(sorted), &results)) {
    return faults;
  }
  std::string last;
  for (const valijson::ValidationResults::Error& error : results) {
    const std::string argument = argument_in(error.context);
    if (argument.empty() || argument == last || faults.size() == kMaxFaults) {
      continue;  // of the object as a whole, which says no more; one sentence an argument
    }
    last = argument;
    const std::string allowed = allowed_of(schema, argument);
    faults.push_back(allowed.empty() ? fmt::format("the argument '{}' cannot be taken: {}", argument, error.description)
                                     : fmt::format("the argument '{}' has to be {}", argument, allowed));
  }
  if (faults.empty()) {
    faults.push_back("the arguments do not go together: " +
                     (results.numErrors() > 0 ? results.begin()->description : std::string("see the tool's schema")));
  }
  return faults;
}

}  // namespace

std::vector<std::string> faults_of_arguments(const Json& schema, const Json& arguments) {
  if (!arguments.is_object()) {
    return {"the arguments have to be one JSON object"};
  }
  std::vector<std::string> faults = faults_of_names(schema, arguments);
  if (!faults.empty()) {
    return faults;
  }
  auto checked = guarded([&] { return faults_of_values(schema, arguments); }, ErrorCode::kInternal, "valijson");
  STITCH_CHECK(checked.has_value()) << checked.error().message;
  return std::move(checked).value();
}

}  // namespace stitch::tools
