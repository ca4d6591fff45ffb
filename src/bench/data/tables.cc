// SPDX-License-Identifier: Apache-2.0
#include "bench/data/tables.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json/json.h"
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

Result<std::vector<std::string>> texts_of(const Json& list, const std::string& what) {
  std::vector<std::string> texts;
  for (const Json& each : list) {
    if (!each.is_string()) {
      return failure(ErrorCode::kFileInvalid, what + " has a member that is no text");
    }
    texts.push_back(each.get<std::string>());
  }
  return texts;
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
    STITCH_ASSIGN(known.subsets[name], texts_of(tasks, "the subset " + name));
  }
  STITCH_ASSIGN(const Json* families, json_object(table, "family"));
  for (const auto& [name, tasks] : families->items()) {
    STITCH_ASSIGN(const std::vector<std::string> ids, texts_of(tasks, "the family " + name));
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
    STITCH_ASSIGN(const std::vector<std::string> ids, texts_of(each.value("tasks", Json::array()), "a standing"));
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
