// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/device_reset.h"

#include <gtest/gtest.h>

namespace stitch::evaluate {
namespace {

std::string told(const std::string& import, VerdictKind kind,
                 const std::string& reason = "run: the program was killed by signal 11 (draw 4)") {
  elf::LibraryFacts library;
  library.imports = {{"cudaDeviceSynchronize", ""}, {import, ""}};
  verify::Findings findings;
  findings.add(Finding{Stage::kDraws, kind, reason});
  tell_device_reset(library, findings);
  return findings.list.front().reason;
}

TEST(DeviceReset, IsNamedWhereAProgramCrashed) {
  EXPECT_EQ(told("cudaDeviceReset", VerdictKind::kCrashed),
            "run: the program was killed by signal 11 (draw 4); it calls cudaDeviceReset(), which ends the context in "
            "which its caller works, too");
  EXPECT_NE(told("cuDevicePrimaryCtxReset_v2", VerdictKind::kCrashed).find("cuDevicePrimaryCtxReset_v2()"),
            std::string::npos);
}

TEST(DeviceReset, IsNotNamedElsewhere) {
  EXPECT_EQ(told("cudaDeviceReset", VerdictKind::kWrong).find("cudaDeviceReset"), std::string::npos);
  EXPECT_EQ(told("cudaDeviceReset", VerdictKind::kCrashed, "cudaDeviceReset() ends it"), "cudaDeviceReset() ends it");
  EXPECT_EQ(told("cudaDeviceGetLimit", VerdictKind::kCrashed).find("calls"), std::string::npos);
}

}  // namespace
}  // namespace stitch::evaluate
