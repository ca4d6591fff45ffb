// SPDX-License-Identifier: Apache-2.0
#include "report/page/fit_agents.h"

#include <fmt/format.h>

#include <string>

#include "base/json/json.h"

namespace stitch::report {
namespace {

void say(Json& data, const std::string& message) { data["notes"].push_back(message); }

// Cuts each text of a list that is longer; whether any was.
bool cut_texts(Json& list, size_t longest, const char* name = nullptr) {
  bool any = false;
  for (Json& each : list) {
    Json& text = name == nullptr ? each : each[name];
    if (text.is_string() && text.get_ref<const std::string&>().size() > longest + 4) {
      text = text.get<std::string>().substr(0, longest) + " ...";
      any = true;
    }
  }
  return any;
}

// What was said to models and by them, of all texts of a run the longest.
bool cut_questions(Json& agents, Json& data, size_t longest) {
  bool any = cut_texts(agents["texts"], longest);
  any = cut_texts(agents["questions"], longest, "answer") || any;
  any = cut_texts(agents["questions"], longest, "reasoning") || any;
  if (any) {
    say(data,
        fmt::format("Messages are cut after {} bytes, to keep this page small; `stitchcuda runs export` has them.",
                    longest));
  }
  return any;
}

bool cut_diffs(Json& agents, Json& data, size_t longest) {
  size_t cut = 0;
  for (Json& attempt : agents["attempts"]) {
    Json& diff = attempt["diff"];
    size_t left = longest;
    Json kept = Json::array();
    if (!diff.is_object()) {
      continue;
    }
    for (Json& hunk : diff["hunks"]) {
      if (hunk["lines"].size() > left) {
        break;
      }
      left -= hunk["lines"].size();
      kept.push_back(std::move(hunk));
    }
    if (kept.size() < diff["hunks"].size()) {
      diff["cut"] = true;
      ++cut;
    }
    diff["hunks"] = std::move(kept);
  }
  if (cut > 0) {
    say(data, fmt::format("What {} attempts changed is not all shown, to keep this page small; "
                          "evidence/agents_texts.json has their texts.",
                          cut));
  }
  return cut > 0;
}

// The first, which began the run, and the last are kept of a long list.
bool shorten(Json& agents, Json& data, const char* name, const char* what) {
  constexpr size_t kMany = 60;
  Json& list = agents[name];
  if (list.size() <= kMany) {
    return false;
  }
  const size_t left_out = list.size() - kMany;
  list.erase(list.begin() + 1, list.begin() + 1 + static_cast<ptrdiff_t>(left_out));
  say(data,
      fmt::format("{} {} are left out, to keep this page small; the last {} are here.", left_out, what, kMany - 1));
  return true;
}

}  // namespace

bool leave_out_long_messages(Json& data) {
  constexpr size_t kLongMessage = 2'000;
  return data["agents"].is_object() && cut_questions(data["agents"], data, kLongMessage);
}

bool leave_out_of_agents(Json& data) {
  constexpr size_t kShortMessage = 300;
  constexpr size_t kManyLines = 200;
  if (!data["agents"].is_object()) {
    return false;
  }
  Json& agents = data["agents"];
  if (cut_diffs(agents, data, kManyLines) || cut_questions(agents, data, kShortMessage) ||
      shorten(agents, data, "questions", "questions to models") || shorten(agents, data, "attempts", "attempts") ||
      shorten(agents, data, "decisions", "decisions") || shorten(agents, data, "ledger", "lines of the ledger") ||
      cut_diffs(agents, data, 0)) {
    return true;
  }
  say(data, "What agents did is left out, to keep this page small; evidence/agents.json has it.");
  data["agents"] = Json();
  return true;
}

}  // namespace stitch::report
