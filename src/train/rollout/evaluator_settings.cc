// SPDX-License-Identifier: Apache-2.0
#include "train/rollout/evaluator_settings.h"

#include <utility>

namespace stitch::train {
namespace {

constexpr double kMaxSeconds = 1e6;
constexpr double kMaxPoints = 1e9;

void read_rules(Section& section, rewards::RuleSettings& settings) {
  constexpr int64_t kMaxCount = int64_t{1} << 30;
  section.require("rules");
  auto rules = section.children("rules");
  for (Section& each : rules) {
    rewards::Rule rule;
    each.require("find");
    each.read("find", rule.find);
    rule.name = rule.find;
    each.read("name", rule.name);
    each.read("points", rule.points, -kMaxPoints, kMaxPoints);
    each.read("most", rule.most, 1, kMaxCount);
    each.read("task", rule.task);
    each.read("is_hack", rule.is_hack);
    each.read("is_needed", rule.is_needed);
    if (rule.find.empty()) {
      each.refuse("find", "is empty, which is found everywhere");
    }
    settings.rules.push_back(std::move(rule));
  }
  section.add_all("rules", std::move(rules));
  section.read("pass_at", settings.pass_at, -kMaxPoints, kMaxPoints);
  section.read("is_hack_zeroed", settings.is_hack_zeroed);
  if (settings.rules.empty()) {
    section.refuse("rules", "has no rule");
  }
}

void read_service(Section& section, EvaluatorSettings& settings) {
  section.require("url");
  section.read("url", settings.service.url);
  section.read("token_file", settings.token_file);
  section.read("profile", settings.service.profile);
  section.read("stages", settings.service.stages);
  section.read("gpu", settings.service.gpu);
  section.read("cache", settings.service.cache);
  size_t earned = 0;
  section.read("reward", earned, {"value", "rule", "milestone"});
  settings.service.earned = static_cast<rewards::Earned>(earned);
  section.read("deadline_s", settings.service.deadline_s, 1, kMaxSeconds);
}

void read_command(Section& section, rewards::CommandSettings& settings) {
  section.require("command");
  section.read("command", settings.arguments);
  section.read("timeout_s", settings.timeout_s, 0.1, kMaxSeconds);
  if (settings.arguments.empty()) {
    section.refuse("command", "names no program");
  }
}

}  // namespace

void read_evaluator_settings(Section& parent, EvaluatorSettings& settings) {
  parent.require("evaluator");
  Section section = parent.child("evaluator");
  size_t kind = 0;
  section.require("kind");
  section.read("kind", kind, {"service", "command", "rule"});
  settings.kind = static_cast<EvaluatorSettings::Kind>(kind);
  section.read("most_unjudged", settings.most_unjudged, 0, 1);
  switch (settings.kind) {
    case EvaluatorSettings::Kind::kService:
      read_service(section, settings);
      break;
    case EvaluatorSettings::Kind::kCommand:
      read_command(section, settings.command);
      break;
    case EvaluatorSettings::Kind::kRule:
      read_rules(section, settings.rule);
      break;
  }
  parent.add(std::move(section));
}

Result<std::unique_ptr<rewards::Evaluator>> make_evaluator(const EvaluatorSettings& settings,
                                                           const std::filesystem::path& base) {
  if (settings.kind == EvaluatorSettings::Kind::kRule) {
    return rewards::rule_evaluator(settings.rule);
  }
  if (settings.kind == EvaluatorSettings::Kind::kCommand) {
    rewards::CommandSettings command = settings.command;
    command.working_directory = base;
    return rewards::command_evaluator(command);
  }
  rewards::ServiceSettings service = settings.service;
  const std::string file = settings.token_file.empty() ? "" : (base / settings.token_file).string();
  STITCH_ASSIGN(service.token, rewards::service_token(file));
  return rewards::service_evaluator(service);
}

}  // namespace stitch::train
