// SPDX-License-Identifier: Apache-2.0
#include "agents/run/kept_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/prompts/quote.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxPromptBytes = 8'000;  // of one message that was sent
constexpr size_t kMaxAnswerBytes = 32'000;
constexpr size_t kMaxKeptCodeBytes = 128'000;

// Texts by number, each once: the same prompts come again and again.
class Texts {
 public:
  Json number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, list_.size());
    if (is_new) {
      list_.push_back(text);
    }
    return found->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::map<std::string, size_t> numbers_;
  Json list_ = Json::array();
};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

Json shortened(const Json& sample, Texts& texts) {
  Json question = Json::object();
  for (const char* name : {"role", "model", "activity", "question", "skill", "finish", "usage"}) {
    question[name] = sample.value(name, Json());
  }
  const Json became = sample.value("verdict", Json());
  question["attempt"] = became.is_object() ? became.value("attempt", Json()) : Json();
  question["messages"] = Json::array();
  for (const Json& message : sample.at("messages")) {
    const std::string content = text_of(message.value("content", Json()));
    question["messages"].push_back({{"role", message.value("role", Json())},
                                    {"bytes", content.size()},
                                    {"text", texts.number_of(cut_in_the_middle(content, kMaxPromptBytes))},
                                    {"tool_calls", message.value("tool_calls", Json::array())}});
  }
  for (const char* name : {"answer", "reasoning"}) {
    question[name] = cut_in_the_middle(text_of(sample.value(name, Json())), kMaxAnswerBytes);
  }
  question["tool_calls"] = sample.value("tool_calls", Json::array());
  return question;
}

// The expert's text of a step that an attempt changed; of a step that the attempt brought, those of the steps whose
// place it takes.
std::string text_before(const std::string& step, const Attempt& attempt,
                        const std::map<std::string, std::string>& expert) {
  if (const auto found = expert.find(step); found != expert.end()) {
    return found->second;
  }
  std::string text;
  for (const std::string& each : attempt.replaced) {
    const auto found = expert.find(each);
    text += found != expert.end() ? found->second : "";
  }
  return text;
}

}  // namespace

Result<Json> kept_texts(const Journal& journal, const Scoring& scoring, const State& state,
                        const std::map<std::string, std::string>& expert) {
  Json code = Json::object();
  Json told = Json::object();
  Json replaced = Json::object();
  for (const Attempt& each : state.attempts) {
    if (!each.digest.empty()) {
      STITCH_ASSIGN(const std::string text, scoring.folder.code(each.digest));
      code[each.digest] = cut_in_the_middle(text, kMaxKeptCodeBytes);
    }
    if (std::string text = scoring.folder.told(each.number); !text.empty()) {
      told[std::to_string(each.number)] = std::move(text);
    }
    for (const std::string& step : each.changed) {
      if (std::string text = text_before(step, each, expert); !text.empty()) {
        replaced[step] = cut_in_the_middle(std::move(text), kMaxKeptCodeBytes);
      }
    }
  }
  Texts texts;
  Json questions = Json::array();
  Json marks = Json::object();
  STITCH_ASSIGN(const std::vector<Json> all, samples(journal, "", &scoring));
  for (const Json& sample : all) {
    questions.push_back(shortened(sample, texts));
    if (const Json& scored = sample.at("marks"); scored.is_object()) {
      marks[sample.at("verdict").at("attempt").dump()] = {{"marks", scored}, {"rewards", sample.at("rewards")}};
    }
  }
  return Json{{"code", std::move(code)},   {"expert", std::move(replaced)}, {"told", std::move(told)},
              {"marks", std::move(marks)}, {"texts", texts.take()},         {"questions", std::move(questions)}};
}

}  // namespace stitch::agents
