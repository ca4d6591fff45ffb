// SPDX-License-Identifier: Apache-2.0
// Judges what optimize left in a folder, as it is now.
#pragma once

#include "cli/stages/folder.h"
#include "cli/stages/judge.h"

namespace stitch::cli {

// At its own sizes and hidden ones; or one step alone, where the command line names one.
Result<evaluate::EvaluateReport> judge_folder(Session& session, const toolchain::Toolchain& tools, const Folder& folder,
                                              DeviceKind device);

}  // namespace stitch::cli
