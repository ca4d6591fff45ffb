// SPDX-License-Identifier: Apache-2.0
// Judges what optimize left in a folder, as it is now.
#pragma once

#include "cli/stages/folder.h"
#include "cli/stages/judge.h"

namespace stitch::cli {

// At its own sizes and hidden ones; or one step alone, where the command line names one. `launches`: what a call of it
// ran.
Result<evaluate::EvaluateReport> judge_folder(Session& session, const toolchain::Toolchain& tools, const Folder& folder,
                                              DeviceKind device,
                                              std::shared_ptr<evaluate::LaunchLedger> launches = nullptr);

}  // namespace stitch::cli
