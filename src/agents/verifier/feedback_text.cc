// SPDX-License-Identifier: Apache-2.0
#include "agents/verifier/feedback_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/embedded.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr const char* kFeedbackSchema = "stitchcuda.feedback/1";
constexpr size_t kMinFigures = 3;
constexpr size_t kMaxFigures = 4;
constexpr double kRounding = 0.01;

size_t count_words(const std::string& text) {
  size_t count = 0;
  bool was_space = true;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    count += was_space && !is_space ? 1 : 0;
    was_space = is_space;
  }
  return count;
}

class FeedbackReader {
 public:
  FeedbackReader(const Json& object, const std::vector<Figure>& profile) : object_(object), profile_(profile) {}

  std::vector<std::string> complaints;

  Issue issue() {
    check_known({"schema", "what", "why", "fix"});
    return {text("what", 20), text("why", 35), text("fix", 20)};
  }
  Bottleneck bottleneck() {
    check_known({"schema", "bottleneck", "class", "figures", "system", "kernel", "plan"});
    Bottleneck found{.what = text("bottleneck", 30)};
    const std::string name = text("class", 1);
    const std::optional<Limiter> limiter = from_string<Limiter>(name);
    if (!limiter.has_value() && !name.empty()) {
      complaints.push_back(fmt::format("\"class\" is \"{}\", none of memory, compute, latency, host", name));
    }
    found.limiter = limiter.value_or(Limiter::kMemory);
    found.figures = figures();
    found.system = text("system", 35);
    found.kernel = text("kernel", 35);
    found.plan = text("plan", 35);
    return found;
  }

 private:
  std::string text(const char* key, size_t max_words) {
    const Result<std::string> found = json_string(object_, key);
    if (!found.has_value()) {
      complaints.push_back(found.error().message);
      return "";
    }
    const size_t words = count_words(*found);
    if (words == 0 || words > max_words) {
      complaints.push_back(words == 0 ? fmt::format("\"{}\" is empty", key)
                                      : fmt::format("\"{}\" has {} words, over {}", key, words, max_words));
    }
    return *found;
  }
  void check_known(const std::vector<std::string>& known) {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        complaints.push_back(fmt::format("there is a member \"{}\", which no such feedback has", key));
      }
    }
  }
  std::vector<Figure> figures();
  void check_figure(const Figure& figure);

  const Json& object_;
  const std::vector<Figure>& profile_;
};

void FeedbackReader::check_figure(const Figure& figure) {
  const auto known =
      std::find_if(profile_.begin(), profile_.end(), [&](const Figure& each) { return each.name == figure.name; });
  if (known == profile_.end()) {
    return complaints.push_back(fmt::format("the profile has no figure \"{}\"", figure.name));
  }
  if (!(std::abs(figure.value - known->value) <= kRounding * std::abs(known->value))) {
    complaints.push_back(
        fmt::format("the profile says {:g} for \"{}\", not {:g}", known->value, figure.name, figure.value));
  }
}

std::vector<Figure> FeedbackReader::figures() {
  const Result<const Json*> list = json_object(object_, "figures");
  if (!list.has_value()) {
    complaints.push_back(list.error().message);
    return {};
  }
  std::vector<Figure> found;
  for (const auto& [name, value] : (*list)->items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      complaints.push_back(fmt::format("the figure \"{}\" is no number", name));
      continue;
    }
    found.push_back({.name = name, .value = value.get<double>()});
    check_figure(found.back());
  }
  const size_t least = std::min(kMinFigures, profile_.size());
  if (found.size() < least || found.size() > kMaxFigures) {
    complaints.push_back(fmt::format("{} figures are quoted, not {} to {}", found.size(), least, kMaxFigures));
  }
  return found;
}

}  // namespace

std::variant<Feedback, std::vector<std::string>> feedback_from_text(const std::string& answer,
                                                                    const std::vector<Figure>& profile) {
  const std::optional<EmbeddedObject> found = embedded_object(answer, "schema");
  if (!found.has_value()) {
    return std::vector<std::string>{"the answer holds no whole JSON object with a schema"};
  }
  FeedbackReader reader(found->object, profile);
  Feedback feedback;
  if (found->object.at("schema") != kFeedbackSchema) {
    reader.complaints.push_back(fmt::format("its schema is not \"{}\"", kFeedbackSchema));
  }
  if (profile.empty()) {
    feedback.issue = reader.issue();
  } else {
    feedback.bottleneck = reader.bottleneck();
  }
  if (!reader.complaints.empty()) {
    return std::move(reader.complaints);
  }
  return feedback;
}

Json feedback_to_json(const Feedback& feedback) {
  Json json = {{"schema", kFeedbackSchema}};
  if (feedback.issue.has_value()) {
    json["what"] = feedback.issue->what;
    json["why"] = feedback.issue->why;
    json["fix"] = feedback.issue->fix;
  }
  if (feedback.bottleneck.has_value()) {
    const Bottleneck& found = *feedback.bottleneck;
    json["bottleneck"] = found.what;
    json["class"] = to_string(found.limiter);
    json["figures"] = Json::object();
    for (const Figure& each : found.figures) {
      json["figures"][each.name] = each.value;
    }
    json["system"] = found.system;
    json["kernel"] = found.kernel;
    json["plan"] = found.plan;
  }
  return json;
}

}  // namespace stitch::agents
