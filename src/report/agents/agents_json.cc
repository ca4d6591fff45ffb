// SPDX-License-Identifier: Apache-2.0
#include "report/agents/agents_json.h"

#include <fmt/format.h>

#include <map>

#include "base/json/json.h"
#include "report/agents/text_diff.h"

namespace stitch::report {
namespace {

constexpr const char* kStateFile = "evidence/agents.json";
constexpr const char* kTextsFile = "evidence/agents_texts.json";

// Somebody may have altered the files: a member of another kind is as one that is not there.
Json object_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_object() ? *found : Json::object();
}
Json list_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_array() ? *found : Json::array();
}
std::string text_at(const Json& json, const std::string& key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Json read_file_of(const FolderTexts& folder, const char* name, std::vector<std::string>& notes) {
  const auto found = folder.find(name);
  if (found == folder.end()) {
    return {};
  }
  Result<Json> parsed = parse_json(found->second, name);
  if (!parsed.has_value() || !parsed->is_object()) {
    notes.push_back(fmt::format("{} cannot be read (cut or altered): what agents did cannot all be shown.", name));
    return {};
  }
  return std::move(*parsed);
}

// The texts that attempts replace, by what they change: the expert's at first, then those that were taken.
class Replaced {
 public:
  explicit Replaced(const Json& texts) : code_(object_at(texts, "code")), expert_(object_at(texts, "expert")) {}

  // The diff of one attempt; null where its text is not there. Attempts come in order.
  Json diff_of(const Json& attempt) {
    const std::string text = text_at(code_, text_at(attempt, "digest"));
    const Json changed = list_at(attempt, "changed");
    if (text.empty()) {
      return {};
    }
    const auto taken = taken_.find(changed.dump());
    const std::string before = taken != taken_.end() ? taken->second.second : expert_text(changed);
    const TextDiff diff = text_diff(before, text);
    Json json = {{"base", taken != taken_.end() ? taken->second.first : Json("expert")},
                 {"added", diff.added},
                 {"removed", diff.removed},
                 {"hunks", Json::array()}};
    for (const DiffHunk& hunk : diff.hunks) {
      json["hunks"].push_back({{"old", hunk.old_line}, {"new", hunk.new_line}, {"lines", hunk.lines}});
    }
    if (const auto won = attempt.find("replaced_incumbent"); won != attempt.end() && *won == true) {
      taken_[changed.dump()] = {attempt.value("number", Json()), text};
    }
    return json;
  }

 private:
  std::string expert_text(const Json& changed) const {
    std::string text;
    for (const Json& step : changed) {
      text += step.is_string() ? text_at(expert_, step.get<std::string>()) : "";
    }
    return text;
  }

  Json code_;
  Json expert_;
  std::map<std::string, std::pair<Json, std::string>> taken_;  // number of the attempt, and its text
};

// Of a score what is read at a glance; null where the attempt has none.
Json marks_in_short(const Json& scored) {
  const Json marks = object_at(scored, "marks");
  if (marks.empty()) {
    return {};
  }
  Json json = {{"rubric", text_at(marks, "rubric")},
               {"total", marks.value("total", Json())},
               {"dimensions", Json::array()},
               {"rewards", Json::array()}};
  for (const Json& each : list_at(marks, "dimensions")) {
    if (each.is_object()) {
      json["dimensions"].push_back(
          {{"name", text_at(each, "name")}, {"points", each.value("points", Json())}, {"note", text_at(each, "note")}});
    }
  }
  for (const Json& each : list_at(scored, "rewards")) {
    if (each.is_object()) {
      json["rewards"].push_back({{"profile", text_at(each, "profile")},
                                 {"reward", each.value("reward", Json())},
                                 {"reason", text_at(each, "reason")}});
    }
  }
  return json;
}

Json only(Json list, bool (Json::*is_kind)() const noexcept) {
  Json kept = Json::array();
  for (Json& each : list) {
    kept.push_back((each.*is_kind)() ? std::move(each) : Json::object());
  }
  return kept;
}

Json attempts_json(const Json& state, const Json& texts) {
  Json attempts = Json::array();
  Replaced replaced(texts);
  const Json told = object_at(texts, "told");
  const Json marks = object_at(texts, "marks");
  for (const Json& each : only(list_at(state, "attempts"), &Json::is_object)) {
    Json attempt = each;
    attempt["diff"] = replaced.diff_of(each);
    const std::string number = each.value("number", Json()).dump();
    attempt["told"] = text_at(told, number);
    attempt["marks"] = marks_in_short(object_at(marks, number.c_str()));
    attempts.push_back(std::move(attempt));
  }
  return attempts;
}

}  // namespace

Json agents_json(const FolderTexts& folder, std::vector<std::string>& notes) {
  const Json state = read_file_of(folder, kStateFile, notes);
  if (state.is_null()) {
    return {};
  }
  const Json texts = read_file_of(folder, kTextsFile, notes);
  if (!folder.contains(kTextsFile)) {
    notes.push_back(fmt::format("{} is not in the folder: what agents wrote and said cannot be shown.", kTextsFile));
  }
  Json json = Json::object();
  for (const char* name : {"task", "limits", "incumbent"}) {
    json[name] = object_at(state, name);
  }
  for (const char* name : {"plans", "profiles", "feedback", "ledger", "decisions", "notes"}) {
    json[name] = list_at(state, name);
  }
  json["attempts"] = attempts_json(state, texts);
  json["about"] = {{"run", text_at(texts, "run")},           {"system", text_at(texts, "system")},
                   {"without", list_at(texts, "without")},   {"roles", object_at(texts, "roles")},
                   {"prompts", object_at(texts, "prompts")}, {"start", object_at(texts, "start")}};
  json["questions"] = only(list_at(texts, "questions"), &Json::is_object);
  json["texts"] = only(list_at(texts, "texts"), &Json::is_string);
  return json;
}

Json step_writers(const Json& result) {
  Json writers;
  for (const Json& each : list_at(object_at(result, "agents"), "steps")) {
    const std::string step = text_at(each, "step");
    const std::string author = text_at(each, "author");
    if (!step.empty() && !author.empty()) {
      writers[step] = author;
    }
  }
  return writers;
}

}  // namespace stitch::report
