// SPDX-License-Identifier: Apache-2.0
#include "bench/ablate/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "bench/data/toml.h"

namespace stitch::bench {
namespace {

constexpr const char* kForTheSuite[] = {"root", "levels", "only", "subset"};

// A list as one value with commas between.
Result<std::string> value_text(const Json& value, const std::string& key) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number()) {
    return value.dump();
  }
  if (!value.is_array()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' is no text, number or list of them", key));
  }
  std::string text;
  for (const Json& each : value) {
    STITCH_ASSIGN(const std::string one, value_text(each, key));
    text += (text.empty() ? "" : ",") + one;
  }
  return text;
}

// Options as members: {system = "stitch", without = ["planner"]}. A flag is true.
Result<std::vector<std::string>> arguments_of(const Json& table) {
  std::vector<std::string> arguments;
  for (const auto& [key, value] : table.items()) {
    if (value.is_boolean()) {
      if (value.get<bool>()) {
        arguments.push_back("--" + key);
      }
      continue;
    }
    STITCH_ASSIGN(const std::string text, value_text(value, key));
    if (!text.empty()) {
      arguments.insert(arguments.end(), {"--" + key, text});
    }
  }
  return arguments;
}

bool is_folder_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find_first_of("/\\ \t\n") == std::string::npos;
}

Result<Arm> arm_of(const Json& json, const std::vector<std::string>& common) {
  STITCH_ASSIGN(const std::string name, json_string(json, "name"));
  if (!is_folder_name(name)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' is no name of a folder", name));
  }
  Json own = json;
  own.erase("name");
  Arm arm{name, common};
  STITCH_ASSIGN(const std::vector<std::string> arguments, arguments_of(own));
  arm.arguments.insert(arm.arguments.end(), arguments.begin(), arguments.end());
  return arm;
}

Result<std::vector<uint64_t>> seeds_of(const Json& table) {
  if (!table.contains("seeds")) {
    return std::vector<uint64_t>{0};
  }
  STITCH_ASSIGN(const std::vector<int64_t> numbers, json_int_list(table, "seeds"));
  std::vector<uint64_t> seeds;
  for (const int64_t number : numbers) {
    if (number < 0 || static_cast<uint64_t>(number) > kLargestSeed) {
      return failure(ErrorCode::kFileInvalid, fmt::format("{} is no seed", number));
    }
    seeds.push_back(static_cast<uint64_t>(number));
  }
  return seeds;
}

Result<Ablation> ablation_of(const Json& table) {
  Ablation ablation;
  STITCH_ASSIGN(ablation.suite, json_string(table, "suite"));
  STITCH_ASSIGN(ablation.seeds, seeds_of(table));
  Json of_suite = Json::object();
  for (const char* key : kForTheSuite) {
    if (table.contains(key)) {
      of_suite[key] = table[key];
    }
  }
  STITCH_ASSIGN(ablation.suite_arguments, arguments_of(of_suite));
  STITCH_ASSIGN(const std::vector<std::string> common, arguments_of(table.value("common", Json::object())));
  STITCH_ASSIGN(const Json* arms, json_array(table, "arm"));
  std::set<std::string> names;
  for (const Json& each : *arms) {
    Result<Arm> arm = arm_of(each, common);
    if (!arm.has_value()) {
      return failure(with_context(arm.error(), fmt::format("arm {}", ablation.arms.size() + 1)));
    }
    if (!names.insert(arm->name).second) {
      return failure(ErrorCode::kFileInvalid, fmt::format("two arms are called {}", arm->name));
    }
    ablation.arms.push_back(std::move(arm).value());
  }
  if (ablation.arms.size() < 2 || ablation.seeds.empty()) {
    return failure(ErrorCode::kFileInvalid, "an ablation needs two arms and a seed", "", "add [[arm]] tables");
  }
  return ablation;
}

}  // namespace

std::string run_name(const Arm& arm, uint64_t seed) { return fmt::format("{}-{}", arm.name, seed); }

Result<Ablation> read_ablation(const std::string& text, const std::string& what) {
  STITCH_ASSIGN(const Json table, json_of_toml(text, what));
  Result<Ablation> ablation = ablation_of(table);
  return ablation.has_value() ? std::move(ablation) : Result<Ablation>(failure(with_context(ablation.error(), what)));
}

}  // namespace stitch::bench
