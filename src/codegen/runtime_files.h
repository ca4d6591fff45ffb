// SPDX-License-Identifier: Apache-2.0
// The part of runtime/ that travels with a program: what its sources include, the host layer, the example, the project.
#pragma once

#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"

namespace stitch::codegen {

// `architectures`: what the project builds for, as "sm_90a"; empty: a choice of ours.
Result<void> add_runtime_files(const std::string& runtime_folder, const std::vector<std::string>& architectures,
                               SourceBundle& bundle);

}  // namespace stitch::codegen
