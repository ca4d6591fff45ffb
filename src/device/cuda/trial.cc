// SPDX-License-Identifier: Apache-2.0
#include "device/trial.h"

namespace stitch::device {

void lend(std::span<const Memory>) {}

CallTrialScope::CallTrialScope(std::span<const Memory>, CallTrial, const LaunchRecord*) {}
CallTrialScope::~CallTrialScope() = default;

}  // namespace stitch::device
