// SPDX-License-Identifier: Apache-2.0
// What the author of a program in a folder may see of what is wrong with it. No verdict is made, and none is asked.
#pragma once

#include <optional>
#include <string>

#include "driver/judge/public_check.h"

namespace stitch::driver {

struct PublicCheckRequest {
  std::string folder;       // that optimize or emit left, with what was edited there
  std::optional<int> step;  // of its program: that one alone
  Options options;          // `seed` plays no part
};

struct PublicCheckReport {
  DeviceKind device = DeviceKind::kEmulated;
  PublicCheck check;
};

Result<PublicCheckReport> public_check(const PublicCheckRequest& request, const Services& services);

}  // namespace stitch::driver
