// SPDX-License-Identifier: Apache-2.0
// Scripts that complete verbs, options and their values in a shell.
#pragma once

#include <string>
#include <vector>

#include "cli/options/reference/reference.h"

namespace stitch::cli {

std::string bash_completion(const VerbReference& program);
std::string zsh_completion(const VerbReference& program);
std::string fish_completion(const VerbReference& program);

// What completes a value, by the name that the tables give it.
enum class ValueKind {
  kNone,
  kChoice,   // "auto|gpu|emulated"
  kFile,     // "FILE"
  kProgram,  // "FILE.py[:Name]": a Python file
  kFolder,   // "DIR"
  kRun,      // "ID": what `stitchcuda runs list --ids` prints
  kVerb,     // "VERB": a verb of ours
};
ValueKind value_kind(const OptionReference& option);

// `text` as one word of a shell, whatever stands in it.
std::string in_single_quotes(const std::string& text);

}  // namespace stitch::cli
