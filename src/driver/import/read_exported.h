// SPDX-License-Identifier: Apache-2.0
// The program in what a PyTorch process exported.
#pragma once

#include "base/json/json_forward.h"
#include "driver/import/import_program.h"

namespace stitch::driver {

// kUnsupportedOperator as of import_program().
Result<ImportedProgram> read_exported(const Json& exported);

}  // namespace stitch::driver
