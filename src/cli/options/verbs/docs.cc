// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>

#include "cli/options/command_line.h"
#include "cli/options/nearest.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"
#include "knowledge/fetch/guides.h"
#include "knowledge/index/index.h"

namespace stitch::cli {
namespace {

constexpr const char* kQueryGroup = "What is looked for";
constexpr const char* kFetchGroup = "Guides";

CLI::App* add_docs_verb(CLI::App* docs, const char* name, const char* text, const char* examples) {
  CLI::App* verb = docs->add_subcommand(name, text);
  verb->footer(examples);
  return verb;
}

CLI::Validator known_guide(const std::vector<std::string>& names) {
  return CLI::Validator(
      [names](std::string& given) -> std::string {
        const bool is_known = std::find(names.begin(), names.end(), given) != names.end();
        return is_known ? "" : fmt::format("'{}' is no guide{}", given, did_you_mean(given, names));
      },
      "");
}

void add_search(CLI::App* docs, CommandLine* line) {
  CLI::App* verb =
      add_docs_verb(docs, "search", "The passages that answer a question, an error or a profile, best first",
                    "stitchcuda docs search shared memory bank conflicts # words\n"
                    "stitchcuda docs search --error build.log # what a compiler said\n"
                    "stitchcuda docs search --bound memory --kind softmax # what a profile found");
  verb->add_option("words", line->words, "A question, or names of functions and instructions")->type_name("WORDS");
  verb->add_option("--error", line->error_log, "What a compiler, a sanitizer or a run said; - reads stdin")
      ->type_name("FILE")
      ->group(kQueryGroup);
  const std::vector<std::string> bounds = {"memory", "compute", "latency", "host"};
  add_choice(
      verb, "--bound", bounds, [bounds, line](size_t chosen) { line->bound = bounds[chosen]; }, "What limits a step")
      ->group(kQueryGroup);
  verb->add_option("--kind", line->step_kind, "The kind of step, as gemm, conv, softmax, norm, reduce")
      ->type_name("KIND")
      ->group(kQueryGroup);
  verb->add_option("--dtype", line->dtype, "Its element type, as f32 or bf16")->type_name("TYPE")->group(kQueryGroup);
  verb->add_option("--architecture", line->architecture, "The GPU, as sm_90a")->type_name("NAME")->group(kQueryGroup);
  verb->add_option("--limit", line->limit, "At most so many passages (default: 8)")
      ->check(CLI::Range(1, knowledge::kMaxPassages).description(""))
      ->type_name("N")
      ->group(kOutputGroup);
  add_common(verb, line);
}

void add_fetch(CLI::App* docs, CommandLine* line) {
  CLI::App* verb =
      add_docs_verb(docs, "fetch", "Bring NVIDIA's guides into your own index, once you accept their licence",
                    "stitchcuda docs fetch # all of them; the licence is shown, and you are asked\n"
                    "stitchcuda docs fetch hopper-tuning --accept-licence # one, by name");
  std::vector<std::string> names;
  for (const knowledge::Guide& guide : knowledge::known_guides()) {
    names.emplace_back(guide.name);
  }
  verb->add_option("guides", line->words, fmt::format("Any of {} (default: all)", fmt::join(names, ", ")))
      ->check(known_guide(names))
      ->type_name("GUIDE");
  verb->add_flag("--accept-licence", line->accepts_licence, "You have read the licence, and accept it")
      ->group(kFetchGroup);
  verb->add_option("--from", line->mirror, "Another server with the same paths, as a mirror")
      ->type_name("URL")
      ->group(kFetchGroup);
  add_common(verb, line);
}

}  // namespace

void add_docs(CLI::App* application, CommandLine* line) {
  CLI::App* docs =
      application->add_subcommand("docs", "What is known: cards of advice, CUDA's headers, your documents");
  docs->group(kMachineVerbs);
  docs->require_subcommand(1);
  docs->footer(
      "stitchcuda docs search cp.async pipeline # words, or names of functions\n"
      "stitchcuda docs show card:memory/coalescing # one passage, whole");

  add_search(docs, line);
  CLI::App* show =
      add_docs_verb(docs, "show", "One passage, whole", "stitchcuda docs show header:cudaMemcpyAsync # by its id");
  show->add_option("passage", line->words, "Its id, as docs search names it")
      ->required()
      ->expected(1)
      ->type_name("PASSAGE");
  add_common(show, line);

  CLI::App* index = add_docs_verb(docs, "index", "Build the index, with folders of your own",
                                  "stitchcuda docs index # what is in it\n"
                                  "stitchcuda docs index ~/notes # Markdown, HTML, PDF and text below it, from now on\n"
                                  "stitchcuda docs index --forget ~/notes # no more");
  index->add_option("folders", line->words, "Folders of documents to add")->type_name("DIR");
  index->add_flag("--forget", line->forget, "Take these folders out of the index")->group(kQueryGroup);
  add_common(index, line);
  add_fetch(docs, line);
}

}  // namespace stitch::cli
