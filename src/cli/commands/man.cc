// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/application.h"
#include "cli/options/reference/man_page.h"

namespace stitch::cli {

Result<int> run_man(Invocation&) {
  fmt::print("{}", man_page(command_reference()));
  return 0;
}

}  // namespace stitch::cli
