// SPDX-License-Identifier: Apache-2.0
// A candidate in Python runs once before it is judged, on tensors of zeros and with compilers at hand, so that the
// judged process needs none.
#pragma once

#include <optional>
#include <string>

#include "artifact/report/finding.h"
#include "evaluate/candidate.h"
#include "sandbox/policy/confinement.h"

namespace stitch::driver {

// Leaves what was compiled in host.compiled. Returns a build_failed finding where the compilers refused it. Any other
// failure shows again in the judged run.
Result<std::optional<Finding>> rehearse(const std::string& file, DeviceKind device, const evaluate::PythonHost& host,
                                        sandbox::CageMode cage);

}  // namespace stitch::driver
