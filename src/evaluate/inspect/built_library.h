// SPDX-License-Identifier: Apache-2.0
// Inspects a library that we built from a stranger's sources, before anything loads it.
#pragma once

#include <string>

#include "base/error/result.h"
#include "evaluate/inspect/library_check.h"
#include "toolchain/build/build.h"

namespace stitch::evaluate {

// `library` is what `request` built. On a GPU the CUDA runtime is linked in and opens libraries and sockets itself, so
// the facts are those of the same objects without it: what the sources themselves ask for.
Result<LibraryCheck> check_built_library(toolchain::BuildRequest request, const std::string& library,
                                         const toolchain::Toolchain& tools);

}  // namespace stitch::evaluate
