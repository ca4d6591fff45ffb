// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

constexpr const char* kRecipeGroup = "Recipe";

void add_step(CLI::App* train, CommandLine* line, const char* name, const char* text, const char* example) {
  CLI::App* verb = train->add_subcommand(name, text);
  verb->add_option("--config", line->file, "The configuration, JSON (docs/training.md)")->required()->type_name("FILE");
  verb->footer(example);
}

}  // namespace

void add_train(CLI::App* application, CommandLine* line) {
  CLI::App* train =
      application->add_subcommand("train", "Train a model for the Coder: fine-tune it, reward it, draw from it");
  train->group(kAgentVerbs);
  train->require_subcommand(0, 1);
  add_common(train, line);
  train
      ->add_flag("--dry-run", line->dry_run,
                 "Check a recipe, one stage or a chain, and reckon what it takes; nothing is loaded")
      ->group(kRecipeGroup);
  train->add_option("--config", line->file, "With --dry-run: the recipe (configs/)")
      ->type_name("FILE")
      ->group(kRecipeGroup);
  train->footer(
      "stitchcuda train sft --config sft.json # on lessons that `stitchcuda harvest` wrote\n"
      "stitchcuda train grpo --config grpo.json # by rewards of `stitchcuda serve`\n"
      "stitchcuda train sample --config draw.json # what it answers now\n"
      "stitchcuda train --dry-run --config configs/stitchcuda-grpo.json # keys, memory, tokens");
  add_step(train, line, "sft", "Fine-tune a model on answers that are given; goes on with a run that was ended",
           "stitchcuda train sft --config sft.json # prints one JSON object");
  add_step(train, line, "grpo",
           "Learn from rewards, within groups of answers to one prompt; goes on where it was ended",
           "stitchcuda train grpo --config grpo.json # prints one JSON object, and a line a step on stderr");
  add_step(train, line, "ppo", "Learn from rewards, beside a critic that learns too; goes on where it was ended",
           "stitchcuda train ppo --config ppo.json # prints one JSON object, and a line a step on stderr");
  add_step(train, line, "sample", "Draw a model's answers to prompts",
           "stitchcuda train sample --config draw.json # prints one JSON object");
}

}  // namespace stitch::cli
