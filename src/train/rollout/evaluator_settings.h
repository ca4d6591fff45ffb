// SPDX-License-Identifier: Apache-2.0
// "evaluator" of a configuration: who judges what a run draws.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "rewards/command.h"
#include "rewards/rule.h"
#include "rewards/service.h"
#include "train/settings/section.h"

namespace stitch::train {

struct EvaluatorSettings {
  enum class Kind { kService, kCommand, kRule } kind = Kind::kService;
  rewards::RuleSettings rule{};
  rewards::CommandSettings command{};
  rewards::ServiceSettings service{};  // its token is read by make_evaluator()
  std::string token_file{};
  double most_unjudged = 0.05;  // share of a step's answers without a reward from which on the run stops
};

void read_evaluator_settings(Section& parent, EvaluatorSettings& settings);

// Paths are relative to `base`. kUsage where an address or a token is missing.
Result<std::unique_ptr<rewards::Evaluator>> make_evaluator(const EvaluatorSettings& settings,
                                                           const std::filesystem::path& base);

}  // namespace stitch::train
