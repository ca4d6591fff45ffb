// SPDX-License-Identifier: Apache-2.0
// Judges what optimize left in a folder, as it is now.
#pragma once

#include "driver/judge/folder.h"
#include "driver/judge/judge.h"

namespace stitch::driver {

// Judges at the folder's own sizes and hidden ones, or one step alone where `step` names one: kProgramInvalid where the
// reference cannot run that one by itself. `launches` receives what a call ran.
Result<evaluate::EvaluateReport> judge_folder(Job& job, const toolchain::Toolchain& tools, const Folder& folder,
                                              DeviceKind device, std::optional<int> step = {},
                                              std::shared_ptr<evaluate::LaunchLedger> launches = nullptr);

}  // namespace stitch::driver
