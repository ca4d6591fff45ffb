// SPDX-License-Identifier: Apache-2.0
// Flags that decide how numbers are rounded are the same for everyone, and none of them trades accuracy for speed.
#include "toolchain/build/commands.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stitch::toolchain {
namespace {

bool has(const std::vector<std::string>& flags, const std::string& word) {
  return std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) { return flag.find(word) == 0; });
}

TEST(CompileFlags, NobodyIsCompiledWithFastMath) {
  for (const DeviceKind device : {DeviceKind::kCuda, DeviceKind::kEmulated, DeviceKind::kChecked}) {
    const std::vector<std::string> flags = compile_flags({.device = device, .architecture = "sm_80,sm_90a"});
    for (const char* fast : {"--use_fast_math", "-use_fast_math", "-ffast-math", "-Ofast", "-ftz", "--ftz", "-prec-div",
                             "--prec-div", "-prec-sqrt", "--prec-sqrt", "-funsafe-math", "-fassociative-math"}) {
      EXPECT_FALSE(has(flags, fast)) << fast;
    }
  }
}

TEST(CompileFlags, DependOnTheTargetAloneAndNotOnWhoWroteTheSource) {
  const Target target{.device = DeviceKind::kCuda, .architecture = "sm_90a"};
  Toolchain tools;
  tools.nvcc.emplace();
  tools.host_compiler.emplace();
  const auto ours = compile_command(target, tools, "ours", "steps/01.cu", "a.o");
  const auto theirs = compile_command(target, tools, "theirs", "model_new.cu", "b.o");
  for (const std::string& flag : compile_flags(target)) {
    EXPECT_NE(std::find(ours.begin(), ours.end(), flag), ours.end()) << flag;
    EXPECT_NE(std::find(theirs.begin(), theirs.end(), flag), theirs.end()) << flag;
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

}  // namespace
}  // namespace stitch::toolchain
