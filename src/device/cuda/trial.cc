// SPDX-License-Identifier: Apache-2.0
#include "device/trial.h"

namespace stitch::device {

Trial::Trial(std::span<const Memory>, CallTrial, const LaunchRecord*) {}
Trial::~Trial() = default;

}  // namespace stitch::device
