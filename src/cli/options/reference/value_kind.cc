// SPDX-License-Identifier: Apache-2.0
#include "cli/options/reference/completion.h"

namespace stitch::cli {

ValueKind value_kind(const OptionReference& option) {
  if (!option.choices().empty()) {
    return ValueKind::kChoice;
  }
  if (option.value.starts_with("FILE.py")) {
    return ValueKind::kProgram;
  }
  if (option.value == "FILE" || option.value == "FILE|DIR") {
    return ValueKind::kFile;
  }
  if (option.value == "DIR") {
    return ValueKind::kFolder;
  }
  if (option.value == "ID") {
    return ValueKind::kRun;
  }
  return option.value == "VERB" ? ValueKind::kVerb : ValueKind::kNone;
}

std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return quoted + "'";
}

}  // namespace stitch::cli
