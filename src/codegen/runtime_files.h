// SPDX-License-Identifier: Apache-2.0
// The part of runtime/ that travels with a program: what its sources include, the host layer, the example, the project.
#pragma once

#include <string>

#include "artifact/source/source_bundle.h"

namespace stitch::codegen {

Result<void> add_runtime_files(const std::string& runtime_folder, SourceBundle& bundle);

}  // namespace stitch::codegen
