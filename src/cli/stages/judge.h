// SPDX-License-Identifier: Apache-2.0
// Build and verify a program at its declared and hidden sizes, with the user's own PyTorch as the reference.
#pragma once

#include "cli/stages/subjects.h"
#include "evaluate/pipeline/evaluate.h"

namespace stitch::cli {

// The device asked for; "auto" is a GPU where there is one. kEnvironment when this machine cannot build for it.
Result<DeviceKind> choose_device(Session& session, const toolchain::Toolchain& tools);

Result<evaluate::EvaluateReport> judge(Session& session, const toolchain::Toolchain& tools, const SubjectSet& set,
                                       DeviceKind device);

// The result of a verdict, for people: "verified", or what is wrong.
std::string verdict_text(const evaluate::VerifyReport& report);

}  // namespace stitch::cli
