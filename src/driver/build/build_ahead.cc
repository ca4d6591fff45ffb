// SPDX-License-Identifier: Apache-2.0
#include "driver/build/build_ahead.h"

#include <utility>
#include <vector>

namespace stitch::driver {

BuildAhead::BuildAhead(Job& job, const toolchain::Toolchain& tools, SourceBundle bundle, DeviceKind device) {
  std::vector<DeviceKind> devices = {device};
  if (device == DeviceKind::kEmulated && tools.supports(DeviceKind::kChecked).has_value()) {
    devices.push_back(DeviceKind::kChecked);
  }
  const auto build = [&job, tools, devices, sources = std::move(bundle)]() -> Result<void> {
    for (const DeviceKind each : devices) {
      STITCH_TRY(build_bundle(job, tools, sources, each, "build"));
    }
    return {};
  };
  done_ = std::async(std::launch::async, build);
}

Result<void> BuildAhead::wait() { return done_.get(); }

}  // namespace stitch::driver
