// SPDX-License-Identifier: Apache-2.0
// A library that we built of somebody else's sources, looked at before anything loads it.
#pragma once

#include <string>

#include "base/error/result.h"
#include "evaluate/inspect/library_check.h"
#include "toolchain/build/build.h"

namespace stitch::evaluate {

// `library` is what `request` built. On a GPU the CUDA runtime lies in it and opens libraries and sockets itself: what
// the sources ask for is seen in the same objects without it, and is what the facts tell.
Result<LibraryCheck> check_built_library(toolchain::BuildRequest request, const std::string& library,
                                         const toolchain::Toolchain& tools);

}  // namespace stitch::evaluate
