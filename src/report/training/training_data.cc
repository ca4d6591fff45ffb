// SPDX-License-Identifier: Apache-2.0
#include "report/training/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "report/training/curves.h"

namespace stitch::report {
namespace {

// A stage as it is told: what it was to do, what it did, what that took.
struct Stage {
  std::string name{};
  Json config{};
  StepLines lines{};
  double offset = 0;
  double done() const { return lines.steps.empty() ? 0 : number_in(lines.steps.back(), "step").value_or(0); }
  std::optional<double> planned() const { return number_in(config, "steps"); }
};

// By the keys that one verb alone has.
std::string verb_of(const Json& config) {
  const auto has = [&](const char* key) { return config.is_object() && config.contains(key); };
  return !config.is_object() ? ""
         : has("value")      ? "value"
         : has("keep")       ? "rft"
         : has("ppo")        ? "ppo"
         : has("algo")       ? "grpo"
                             : "sft";
}

// A critic may be good enough before its last step.
bool has_ended(const Stage& stage) {
  return stage.planned().has_value() && (stage.done() >= *stage.planned() || verb_of(stage.config) == "value");
}

std::string steps_text(const Stage& stage) {
  return stage.planned().has_value() ? fmt::format("{:.0f} of {:.0f}", stage.done(), *stage.planned())
                                     : fmt::format("{:.0f}", stage.done());
}

// Of costs.jsonl: seconds by what they went into, and tokens; of a run that has none, those of its metrics.
Json costs_of(const RunRecords& records, const Stage& stage) {
  std::map<std::string, double> seconds;
  double tokens = 0;
  const std::vector<Json> lines = objects_of_lines(records.costs);
  for (const Json& line : lines) {
    if (const Json* parts = object_in(line, "seconds"); parts != nullptr) {
      for (const auto& [part, value] : parts->items()) {
        seconds[part] += number_in(*parts, part).value_or(0);
      }
    }
    tokens += number_in(line, "tokens").value_or(0);
  }
  double learned = 0;
  for (const Json& line : stage.lines.steps) {
    learned += number_in(line, "tokens").value_or(0);
  }
  const bool draws = !lines.empty();
  return {{"seconds", seconds},
          {"drawn_tokens", draws ? Json(tokens) : Json()},
          {"step_tokens", learned > 0 ? Json(learned) : Json()}};
}

// What was there when it began: answers that were drawn, and how many of them are learned from.
std::string began_with(const Json& begin) {
  std::string text;
  if (const auto drawn = number_in(begin, "drawn.samples"); drawn.has_value()) {
    text = fmt::format("{:.0f} answers drawn", *drawn);
    if (const auto pass = number_in(begin, "drawn.pass"); pass.has_value()) {
      text += fmt::format(", {:.1f} % pass", 100 * *pass);
    }
  }
  if (const auto kept = number_in(begin, "kept.kept"); kept.has_value()) {
    text += fmt::format("{}{:.0f} kept", text.empty() ? "" : ", ", *kept);
  }
  for (const auto& [path, what] : {std::pair{"data.train.records", "records"}, {"prompts.train.prompts", "prompts"}}) {
    if (const auto count = number_in(begin, path); count.has_value()) {
      text += fmt::format("{}{:.0f} {}", text.empty() ? "" : ", ", *count, what);
    }
  }
  return text;
}

// The loss of a policy says nothing by itself.
bool verb_has_rewards(const Stage& stage) {
  const std::string verb = verb_of(stage.config);
  return verb == "grpo" || verb == "ppo";
}

double mean_of(const std::vector<double>& values, size_t first, size_t count) {
  double sum = 0;
  for (size_t i = first; i < first + count; ++i) {
    sum += values[i] / static_cast<double>(count);
  }
  return sum;
}

struct Figure {
  const char* name;
  const char* path;
  bool is_share;
};
constexpr Figure kFigures[] = {{"Reward", "reward", false},
                               {"Pass", "pass", true},
                               {"Pass, held out", "held_out.pass", true},
                               {"Hacks", "hack", true},
                               {"Loss", "loss", false},
                               {"Loss, held out", "held_out_loss", false},
                               {"Entropy", "entropy", false},
                               {"Length", "length", false},
                               {"Explained variance", "critic.explained_variance", false}};

// Of the last stage: what it ended with and what it began with, over up to ten steps of which single ones are noise.
Json figures_of(const Stage& stage) {
  Json figures = Json::array();
  for (const Figure& figure : kFigures) {
    std::vector<double> values;
    for (const Json& line : stage.lines.steps) {
      if (const auto value = number_in(line, figure.path); value.has_value()) {
        values.push_back(*value);
      }
    }
    const bool is_of_policy = std::string_view(figure.path) == "loss" && verb_has_rewards(stage);
    if (values.empty() || is_of_policy) {
      continue;
    }
    const size_t count = std::clamp<size_t>(values.size() / 4, 1, 10);
    const auto text = [&](double value) {
      return figure.is_share ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.3g}", value);
    };
    const std::string over = count > 1 ? fmt::format(", means of {} steps", count) : "";
    figures.push_back({{"name", figure.name},
                       {"value", text(mean_of(values, values.size() - count, count))},
                       {"more", fmt::format("{} at first{}", text(mean_of(values, 0, count)), over)}});
  }
  return figures;
}

Json headline_of(const std::vector<Stage>& stages) {
  const Stage& last = stages.back();
  std::string told = steps_text(last) + " steps.";
  if (stages.size() > 1) {
    told = fmt::format("{} stages; {}: {}", stages.size(), last.name, told);
  }
  return {{"standing", "recorded"},
          {"verdict", told},
          {"time", ""},
          {"limits", has_ended(last) ? "" : "It has not come to its end."}};
}

void add_notes(const std::vector<Stage>& stages, const CurveCounts& counts, Json& notes) {
  for (const Stage& stage : stages) {
    if (stage.lines.unreadable > 0) {
      notes.push_back(fmt::format(
          "{} of metrics.jsonl of {} could not be read.",
          stage.lines.unreadable == 1 ? std::string("A line") : fmt::format("{} lines", stage.lines.unreadable),
          stage.name));
    }
  }
  if (counts.is_thinned) {
    notes.push_back("Long curves are drawn by means over steps that follow each other; metrics.jsonl has each step.");
  }
  if (counts.left_out > 0) {
    notes.push_back(
        fmt::format("{} curves are left out of plots that have many; metrics.jsonl has them.", counts.left_out));
  }
}

}  // namespace

Json training_data(const std::vector<RunRecords>& records, size_t most_points) {
  std::vector<Stage> stages;
  std::vector<CurveStage> curves;
  Json told = Json::array();
  for (const RunRecords& each : records) {
    Stage stage{each.name, Json::parse(each.config, nullptr, false), read_step_lines(each.metrics)};
    stage.offset = stages.empty() ? 0 : stages.back().offset + stages.back().done();
    told.push_back({{"name", stage.name},
                    {"verb", verb_of(stage.config)},
                    {"steps", steps_text(stage)},
                    {"begin", stage.offset},
                    {"end", stage.offset + stage.done()},
                    {"began_with", began_with(stage.lines.begin)},
                    {"costs", costs_of(each, stage)}});
    curves.push_back({stage.lines.steps, stage.offset});
    stages.push_back(std::move(stage));
  }
  Json data = {{"schema", "stitchcuda.training_page/1"}, {"name", stages.back().name}};
  data["headline"] = headline_of(stages);
  data["figures"] = figures_of(stages.back());
  data["stages"] = std::move(told);
  CurveCounts counts;
  data["plots"] = plots_of(curves, most_points, counts);
  data["notes"] = Json::array();
  add_notes(stages, counts, data["notes"]);
  return data;
}

}  // namespace stitch::report
