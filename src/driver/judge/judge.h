// SPDX-License-Identifier: Apache-2.0
// Build and verify a program at its declared and hidden sizes, with the user's own PyTorch as the reference.
#pragma once

#include <memory>

#include "base/fs/files.h"
#include "driver/judge/subjects.h"
#include "evaluate/pipeline/evaluate.h"
#include "evaluate/processes/call_budget.h"
#include "verify/oracle/oracle_client.h"

namespace stitch::driver {

// The device asked for; "auto" is a GPU where there is one. kEnvironment when this machine cannot build for it.
Result<DeviceKind> choose_device(Job& job, const toolchain::Toolchain& tools);

Result<evaluate::EvaluateReport> judge(Job& job, const toolchain::Toolchain& tools, const SubjectSet& set,
                                       DeviceKind device);

// How verification draws: where tensors lie, which device the reference runs on.
verify::OracleSource oracle_source(const Task& task, DeviceKind device, uint64_t seed, const std::string& folder);
// A new folder for tensors, in memory where there is one.
Result<TemporaryDirectory> tensor_folder();
// How long one call of a candidate may take, and all calls of one from outside together.
int64_t call_timeout_ms(const Job& job);
std::shared_ptr<evaluate::CallBudget> call_budget(const Job& job);
// The Python process as an oracle.
verify::OracleClient oracle_client(Job& job);
Result<evaluate::EvaluateReport> evaluate_with(Job& job, const toolchain::Toolchain& tools,
                                               evaluate::EvaluateRequest request, DeviceKind device,
                                               verify::Oracle& oracle);

// The result of a verdict, for people: "verified", or what is wrong.
std::string verdict_text(const evaluate::VerifyReport& report);

}  // namespace stitch::driver
