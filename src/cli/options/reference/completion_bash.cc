// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/options/reference/completion.h"

namespace stitch::cli {
namespace {

// What does not depend on the tables. bash breaks "--device=gpu" into three words; "sm_80,sm_9" stays one.
constexpr const char* kBegin = R"(# Completion of stitchcuda for bash, as `stitchcuda completion bash` prints it.
_stitchcuda_words() {
  local before=""
  case "$current" in *,*) before="${current%,*}," ;; esac
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}
_stitchcuda_files() {
  compopt -o filenames 2>/dev/null
  case "$1" in
    DIR) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *.py) mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.py' -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
_stitchcuda() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" verb="stitchcuda" word
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case "$verb $word" in
)";

constexpr const char* kEnd = R"(  esac
}
complete -F _stitchcuda stitchcuda
)";

// The command that offers values of this kind; empty where nothing can be offered.
std::string offer(const OptionReference& option, const VerbReference& program) {
  switch (value_kind(option)) {
    case ValueKind::kChoice:
      return fmt::format("_stitchcuda_words \"{}\"", fmt::join(option.choices(), " "));
    case ValueKind::kProgram:
      return "_stitchcuda_files .py";
    case ValueKind::kFile:
      return "_stitchcuda_files FILE";
    case ValueKind::kFolder:
      return "_stitchcuda_files DIR";
    case ValueKind::kRun:
      return "_stitchcuda_words \"$(stitchcuda runs list --ids 2>/dev/null)\"";
    case ValueKind::kVerb: {
      std::string names;
      for (const VerbReference& verb : program.verbs) {
        names += (names.empty() ? "" : " ") + verb.name;
      }
      return fmt::format("_stitchcuda_words \"{}\"", names);
    }
    case ValueKind::kNone:
      break;
  }
  return "";
}

struct Tables {
  std::vector<std::string> verbs;                          // "stitchcuda optimize"
  std::map<std::string, std::vector<std::string>> values;  // what offers them -> "stitchcuda optimize --device"
  std::string words;                                       // one branch a verb: its options, or what it takes
};

void collect(const VerbReference& verb, const std::string& path, const VerbReference& program, Tables* tables) {
  std::vector<std::string> names;
  std::vector<std::string> below;
  std::string positional;
  for (const OptionReference& option : verb.options) {
    for (const std::string& name : option.names) {
      names.push_back(name);
      if (!option.value.empty()) {
        const std::string offered = offer(option, program);
        tables->values[offered.empty() ? ":" : offered].push_back(fmt::format("\"{} {}\"", path, name));
      }
    }
    positional = option.is_positional() ? offer(option, program) : positional;
  }
  for (const VerbReference& deeper : verb.verbs) {
    below.push_back(deeper.name);
    tables->verbs.push_back(fmt::format("\"{} {}\"", path, deeper.name));
    collect(deeper, path + " " + deeper.name, program, tables);
  }
  if (!below.empty()) {
    positional = fmt::format("_stitchcuda_words \"{}\"", fmt::join(below, " "));
  }
  tables->words += fmt::format(
      "    \"{}\")\n      case \"$current\" in\n        -*) _stitchcuda_words \"{}\" ;;\n        *) {} ;;\n      esac "
      ";;\n",
      path, fmt::join(names, " "), positional.empty() ? ":" : positional);
}

}  // namespace

std::string bash_completion(const VerbReference& program) {
  Tables tables;
  collect(program, program.name, program, &tables);
  std::string text = kBegin;
  text += fmt::format("      {}) verb=\"$verb $word\" ;;\n    esac\n  done\n", fmt::join(tables.verbs, " | "));
  text += "  case \"$verb $previous\" in\n";
  for (const auto& [offered, patterns] : tables.values) {
    text += fmt::format("    {})\n      {}\n      return ;;\n", fmt::join(patterns, " | "), offered);
  }
  return text + "  esac\n  case \"$verb\" in\n" + tables.words + kEnd;
}

}  // namespace stitch::cli
