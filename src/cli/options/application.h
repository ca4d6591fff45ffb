// SPDX-License-Identifier: Apache-2.0
// The parser's tables: every verb with its options, texts and examples. Each verb's are in a file of options/verbs.
#pragma once

#include <memory>

#include "cli/options/reference/reference.h"

namespace CLI {
class App;
}

namespace stitch::cli {

struct CommandLine;

// Parsing writes into `line`, which must live as long.
std::unique_ptr<CLI::App> make_application(CommandLine* line);

VerbReference command_reference();

}  // namespace stitch::cli
