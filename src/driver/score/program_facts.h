// SPDX-License-Identifier: Apache-2.0
// What the rubric marks of a program of ours, whoever wrote its steps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"
#include "evaluate/verify/verify_report.h"
#include "plan/plan.h"
#include "rubric/facts/facts.h"

namespace stitch::driver {

// The CUDA of a program, by file, without what all programs have alike. Empty where it is longer than anybody reads.
std::map<std::string, std::string> cuda_text_of(const SourceBundle& bundle);

// `judged` is null for a program that was not; `launches` where they were listed. Without what its text says.
rubric::Facts program_facts(const plan::Plan& plan, const evaluate::VerifyReport* judged,
                            std::optional<ListedLaunches> launches);

// `stitchcuda.facts/1` as text, with what its text says.
std::string facts_text(const plan::Plan& plan, const SourceBundle& sources, const evaluate::VerifyReport& judged,
                       std::optional<ListedLaunches> launches);

}  // namespace stitch::driver
