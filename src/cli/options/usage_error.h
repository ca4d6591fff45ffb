// SPDX-License-Identifier: Apache-2.0
// What CLI11 says of a command line that cannot be taken, as a sentence with a way out.
#pragma once

#include "base/error/result.h"

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace stitch::cli {

Unexpected usage_error(const CLI::App& application, const CLI::Error& error);

}  // namespace stitch::cli
