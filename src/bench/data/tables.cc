// SPDX-License-Identifier: Apache-2.0
#include "bench/data/tables.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json/members.h"
#include "bench/data/toml.h"

namespace stitch::bench {
namespace {

struct TableText {
  const char* name;
  const char* text;
};
constexpr TableText kTables[] = {
#define STITCH_TEXT(name, text) {name, text},
#include "bench/data/texts.def"
#undef STITCH_TEXT
};

Result<Json> table_named(std::string_view name) {
  for (const TableText& table : kTables) {
    if (name == table.name) {
      return json_of_toml(table.text, fmt::format("bench/{}.toml", name));
    }
  }
  return failure(ErrorCode::kInternal, fmt::format("the table {} was not built in", name));
}

template <typename T>
void take(const Json& object, const char* key, std::optional<T>& into) {
  if (object.contains(key) && object[key].is_number()) {
    into = object[key].get<T>();
  }
}

void take(const Json& object, const char* key, std::string& into) {
  if (object.contains(key) && object[key].is_string()) {
    into = object[key].get<std::string>();
  }
}

Result<PublishedFigure> figure_of(const Json& json) {
  PublishedFigure figure;
  STITCH_ASSIGN(figure.system, json_string(json, "system"));
  STITCH_ASSIGN(figure.suite, json_string(json, "suite"));
  STITCH_ASSIGN(figure.baseline, json_string(json, "baseline"));
  STITCH_ASSIGN(figure.levels, json_int_list(json, "levels"));
  take(json, "source", figure.source);
  take(json, "subset", figure.subset);
  take(json, "hardware", figure.hardware);
  take(json, "math", figure.math);
  take(json, "mean", figure.mean);
  take(json, "note", figure.note);
  take(json, "tasks", figure.tasks);
  take(json, "tolerance", figure.tolerance);
  take(json, "speedup", figure.speedup);
  take(json, "fast_1_percent", figure.fast_1_percent);
  for (const Json& bound : json.value("correct_percent", Json::array())) {
    if (!bound.is_number()) {
      return failure(ErrorCode::kFileInvalid, "correct_percent has a member that is no number");
    }
    figure.correct_percent.push_back(bound.get<double>());
  }
  return figure;
}

}  // namespace

Result<KnownTasks> known_tasks() {
  STITCH_ASSIGN(const Json table, table_named("kernelbench"));
  KnownTasks known;
  STITCH_ASSIGN(const Json* subsets, json_object(table, "subset"));
  for (const auto& [name, tasks] : subsets->items()) {
    STITCH_ASSIGN(known.subsets[name], json_string_list(*subsets, name.c_str()));
  }
  STITCH_ASSIGN(const Json* families, json_object(table, "family"));
  for (const auto& [name, tasks] : families->items()) {
    STITCH_ASSIGN(const std::vector<std::string> ids, json_string_list(*families, name.c_str()));
    for (const std::string& id : ids) {
      known.families[id] = name;
    }
  }
  STITCH_ASSIGN(const Json* standings, json_array(table, "standing"));
  for (const Json& each : *standings) {
    KnownStanding standing;
    STITCH_ASSIGN(const std::string status, json_string(each, "status"));
    STITCH_ASSIGN(standing.standing, standing_from_string(status));
    STITCH_ASSIGN(standing.why, json_string(each, "why"));
    STITCH_ASSIGN(const std::vector<std::string> ids, json_string_list(each, "tasks"));
    for (const std::string& id : ids) {
      known.standings[id] = standing;
    }
  }
  return known;
}

Result<std::vector<PublishedFigure>> read_published(const std::string& text, const std::string& what) {
  STITCH_ASSIGN(const Json table, json_of_toml(text, what));
  STITCH_ASSIGN(const Json* figures, json_array(table, "figure"));
  std::vector<PublishedFigure> read;
  for (const Json& each : *figures) {
    Result<PublishedFigure> figure = figure_of(each);
    if (!figure.has_value()) {
      return failure(with_context(figure.error(), fmt::format("{}, figure {}", what, read.size() + 1)));
    }
    read.push_back(std::move(figure).value());
  }
  return read;
}

Result<std::vector<PublishedFigure>> published_figures() {
  for (const TableText& table : kTables) {
    if (std::string_view(table.name) == "published") {
      return read_published(table.text, "bench/published.toml");
    }
  }
  return failure(ErrorCode::kInternal, "the table of published figures was not built in");
}

}  // namespace stitch::bench
