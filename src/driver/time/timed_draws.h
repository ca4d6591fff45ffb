// SPDX-License-Identifier: Apache-2.0
// What a verified program is timed on: the draws of its verification, and contents mixed of them, of which the user's
// own PyTorch is asked.
#pragma once

#include <optional>

#include "driver/job/job.h"
#include "evaluate/verify/timed_subject.h"
#include "evaluate/verify/verify_report.h"

namespace stitch::driver {

// Returns nothing where no draws were kept. The result must not outlive the job.
std::optional<evaluate::TimedSubject> timed_draws(Job& job, const evaluate::VerifyReport& verified, MathMode math);

}  // namespace stitch::driver
