// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <string>

#include "cli/options/command_line.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

constexpr const char* kRecipeGroup = "Recipe";
constexpr const char* kServedGroup = "The model";
constexpr const char* kServerGroup = "Where it runs and listens";

struct PassedOn {
  const char* group;
  const char* name;
  const char* type;
  const char* about;
};
constexpr PassedOn kServeModelOptions[] = {
    {kServedGroup, "--model", "PATH", "A folder as transformers writes it, or a GGUF file"},
    {kServedGroup, "--adapter", "DIR", "An adapter as PEFT writes it, which is served beside its base"},
    {kServedGroup, "--name", "NAME", "What clients call it (default: after its file or folder)"},
    {kServedGroup, "--tokenizer", "FILE", "A tokenizer.json or GGUF file (default: the model's own)"},
    {kServedGroup, "--template", "NAME", "chatml, smollm2 or qwen3 (default: the model's own)"},
    {kServerGroup, "--device", "NAME", "cpu, cuda or cuda:1 (default: cpu)"},
    {kServerGroup, "--threads", "COUNT", "Of the processor (default: all but one, 16 at most)"},
    {kServerGroup, "--max-batch", "COUNT",
     "Answers drawn at once, which share each pass over the weights (default: 8)"},
    {kServerGroup, "--listen", "PORT", "A port of loopback, or HOST:PORT (default: any port that is free)"},
    {kServerGroup, "--token-file", "FILE",
     "Who may change adapters: a file of mode 0600, made where there is none (default: serve-model-token in the folder "
     "of state)"}};

void add_step(CLI::App* train, CommandLine* line, const char* name, const char* text, const char* example) {
  CLI::App* verb = train->add_subcommand(name, text);
  verb->add_option("--config", line->file, "The configuration, JSON (docs/training.md)")->required()->type_name("FILE");
  verb->footer(example);
}

// An option that is none of ours: stitchcuda-train gets it as it was given.
CLI::Option* add_passed_on(CLI::App* verb, CommandLine* line, const char* name, const char* type, const char* about) {
  return verb
      ->add_option_function<std::string>(
          name,
          [line, name](const std::string& value) { line->words.insert(line->words.end(), {std::string(name), value}); },
          about)
      ->type_name(type);
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
  add_step(train, line, "rft", "Draw answers, keep those that are right, fine-tune on them; goes on where it was ended",
           "stitchcuda train rft --config rft.json # prints one JSON object; 1: too few answers were kept");
  add_step(train, line, "value", "Train a critic of a policy that stands still, until its gate opens; goes on likewise",
           "stitchcuda train value --config value.json # prints one JSON object; 1: the gate stayed shut");
  add_step(train, line, "grpo",
           "Learn from rewards, within groups of answers to one prompt; goes on where it was ended",
           "stitchcuda train grpo --config grpo.json # prints one JSON object, and a line a step on stderr");
  add_step(train, line, "ppo", "Learn from rewards, beside a critic that learns too; goes on where it was ended",
           "stitchcuda train ppo --config ppo.json # prints one JSON object, and a line a step on stderr");
  add_step(train, line, "chain",
           "Run several stages, each from what those before it left; goes on in the one it was in",
           "stitchcuda train chain --config configs/cuda-agent.json # 1: the gate of a stage is shut");
  add_step(train, line, "sample", "Draw a model's answers to prompts",
           "stitchcuda train sample --config draw.json # prints one JSON object");
  CLI::App* page = train->add_subcommand("report", "Draw the curves of a run again, as one page that needs no network");
  page->add_option("RUN", line->file, "The run's folder, that of a chain's last stage for all of them")
      ->required()
      ->type_name("DIR");
  page->add_option("--out", line->out, "The page (default: report.html in that folder)")->type_name("FILE");
  page->footer("stitchcuda train report runs/tiny-grpo");
}

void add_serve_model(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("serve-model", "A model with its adapter as a server of chats in OpenAI's form");
  verb->group(kAgentVerbs);
  CLI::Option* config =
      add_passed_on(verb, line, "--config", "FILE", "All of it as JSON, and more (docs/serve-model.md)")
          ->group(kServedGroup);
  for (const PassedOn& each : kServeModelOptions) {
    add_passed_on(verb, line, each.name, each.type, each.about)->group(each.group)->excludes(config);
  }
  add_common(verb, line);
  verb->footer(
      "stitchcuda serve-model --model SmolLM2-135M-Instruct.gguf --listen 8941\n"
      "stitchcuda serve-model --model sft/ckpt/step-200 --name coder # what was trained, an adapter with its base too\n"
      "stitchcuda serve-model --config serve.json");
}

}  // namespace stitch::cli
