// SPDX-License-Identifier: Apache-2.0
// What a shell sources to complete our verbs and options.
#include "cli/options/reference/completion.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/application.h"

namespace stitch::cli {

Result<int> run_completion(Invocation& invocation) {
  const VerbReference program = command_reference();
  const std::string& shell = invocation.line().words.front();
  fmt::print("{}", shell == "zsh"    ? zsh_completion(program)
                   : shell == "fish" ? fish_completion(program)
                                     : bash_completion(program));
  return 0;
}

}  // namespace stitch::cli
