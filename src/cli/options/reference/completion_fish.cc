// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/reference/completion.h"

namespace stitch::cli {
namespace {

// What `complete` is told of a value; -f: no file names beside it.
std::string value_words(const OptionReference& option, const VerbReference& program) {
  switch (value_kind(option)) {
    case ValueKind::kChoice:
      return fmt::format(" -f -a {}", in_single_quotes(fmt::format("{}", fmt::join(option.choices(), " "))));
    case ValueKind::kProgram:
      return " -F";
    case ValueKind::kFile:
      return " -F";
    case ValueKind::kFolder:
      return " -f -a '(__fish_complete_directories)'";
    case ValueKind::kRun:
      return " -f -a '(stitchcuda runs list --ids 2>/dev/null)'";
    case ValueKind::kVerb: {
      std::vector<std::string> names;
      for (const VerbReference& verb : program.verbs) {
        names.push_back(verb.name);
      }
      return fmt::format(" -f -a {}", in_single_quotes(fmt::format("{}", fmt::join(names, " "))));
    }
    case ValueKind::kNone:
      break;
  }
  return " -f";
}

void add(const VerbReference& verb, const std::string& condition, const VerbReference& program, std::string* text) {
  std::vector<std::string> below;
  for (const VerbReference& deeper : verb.verbs) {
    below.push_back(deeper.name);
  }
  const std::string here = below.empty() ? condition
                                         : fmt::format("{}{}not __fish_seen_subcommand_from {}", condition,
                                                       condition.empty() ? "" : "; and ", fmt::join(below, " "));
  const std::string begin = fmt::format("complete -c {} -n {}", program.name, in_single_quotes(here));
  for (const OptionReference& option : verb.options) {
    if (option.is_positional()) {
      *text += begin + value_words(option, program) + "\n";
      continue;
    }
    *text += begin;
    for (const std::string& name : option.names) {
      *text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    *text += (option.value.empty() ? "" : " -r" + value_words(option, program)) + " -d " +
             in_single_quotes(option.text) + "\n";
  }
  for (const VerbReference& deeper : verb.verbs) {
    *text += fmt::format("{} -a {} -d {}\n", begin, deeper.name, in_single_quotes(deeper.text));
    const std::string seen = "__fish_seen_subcommand_from " + deeper.name;
    add(deeper, condition.empty() ? seen : condition + "; and " + seen, program, text);
  }
}

}  // namespace

std::string fish_completion(const VerbReference& program) {
  std::string text = "# Completion of stitchcuda for fish, as `stitchcuda completion fish` prints it.\n";
  text += fmt::format("complete -c {} -f\n", program.name);
  add(program, "", program, &text);
  return text;
}

}  // namespace stitch::cli
