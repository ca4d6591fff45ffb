// SPDX-License-Identifier: Apache-2.0
// The manual page stitchcuda(1), in the man macros of troff.
#pragma once

#include <string>

#include "cli/options/reference/reference.h"

namespace stitch::cli {

std::string man_page(const VerbReference& program);

}  // namespace stitch::cli
