// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/reference/completion.h"

namespace stitch::cli {
namespace {

// _arguments reads [ ] : \ as its own.
std::string escaped_for_zsh(const std::string& text) {
  std::string safe;
  for (const char character : text) {
    safe += std::string("[]:\\").find(character) != std::string::npos ? std::string("\\") + character
                                                                      : std::string(1, character);
  }
  return safe;
}

// ":FILE:_files", as _arguments wants it behind an option or a position.
std::string action(const OptionReference& option, const VerbReference& program) {
  const std::string label = ":" + escaped_for_zsh(option.value) + ":";
  switch (value_kind(option)) {
    case ValueKind::kChoice:
      // _values -s: several of them, with commas between
      return option.is_repeated ? fmt::format(": :_values -s , value {}", fmt::join(option.choices(), " "))
                                : fmt::format(": :({})", fmt::join(option.choices(), " "));
    case ValueKind::kProgram:
      return label + "_files -g \"*.py\"";
    case ValueKind::kFile:
      return label + "_files";
    case ValueKind::kFolder:
      return label + "_files -/";
    case ValueKind::kRun:
      return label + "( ${(f)\"$(stitchcuda runs list --ids 2>/dev/null)\"} )";
    case ValueKind::kVerb: {
      std::vector<std::string> names;
      for (const VerbReference& verb : program.verbs) {
        names.push_back(verb.name);
      }
      return fmt::format("{}({})", label, fmt::join(names, " "));
    }
    case ValueKind::kNone:
      break;
  }
  return label + " ";
}

std::string specification(const OptionReference& option, const VerbReference& program) {
  if (option.is_positional()) {
    return in_single_quotes("*" + action(option, program));
  }
  const std::string text = "[" + escaped_for_zsh(option.text) + "]";
  std::vector<std::string> specifications;
  for (const std::string& name : option.names) {
    specifications.push_back(in_single_quotes(name + text + (option.value.empty() ? "" : action(option, program))));
  }
  return fmt::format("{}", fmt::join(specifications, " "));
}

// A function for each verb, those below it first.
std::string functions(const VerbReference& verb, const std::string& name, const VerbReference& program) {
  std::string text;
  std::string arguments;
  for (const OptionReference& option : verb.options) {
    arguments += fmt::format(" \\\n    {}", specification(option, program));
  }
  if (verb.verbs.empty()) {
    return fmt::format("{}() {{\n  _arguments -s{}\n}}\n", name, arguments);
  }
  std::string described;
  for (const VerbReference& below : verb.verbs) {
    text += functions(below, name + "_" + below.name, program);
    described += " " + in_single_quotes(escaped_for_zsh(below.name) + ":" + escaped_for_zsh(below.text));
  }
  return text + fmt::format(
                    "{0}() {{\n"
                    "  local state line\n"
                    "  typeset -A opt_args\n"
                    "  _arguments -C{1} \\\n    '1: :->verb' '*:: :->rest'\n"
                    "  case $state in\n"
                    "    verb) local -a verbs=({2}); _describe verb verbs ;;\n"
                    "    rest) (( $+functions[{0}_$words[1]] )) && {0}_$words[1] ;;\n"
                    "  esac\n"
                    "}}\n",
                    name, arguments, described);
}

}  // namespace

std::string zsh_completion(const VerbReference& program) {
  return "#compdef stitchcuda\n# Completion of stitchcuda for zsh, as `stitchcuda completion zsh` prints it.\n" +
         functions(program, "_stitchcuda", program) +
         "if [ \"$funcstack[1]\" = \"_stitchcuda\" ]; then\n  _stitchcuda \"$@\"\nelse\n  compdef _stitchcuda "
         "stitchcuda\nfi\n";
}

}  // namespace stitch::cli
