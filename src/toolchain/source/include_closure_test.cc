// SPDX-License-Identifier: Apache-2.0
#include "toolchain/source/include_closure.h"

#include <gtest/gtest.h>

namespace stitch::toolchain {
namespace {

SourceBundle example() {
  SourceBundle bundle;
  bundle.name = "example";
  bundle.files = {
      {"steps/00_a.cu", "#include \"kernels/a.cuh\"\n  #  include <stdint.h>\n"},
      {"steps/01_b.cu", "// #include \"kernels/a.cuh\" is not here\n"},
      {"runtime/kernels/a.cuh", "#include \"shared.cuh\"\n#include \"kernels/a.cuh\"\n#include <stitch/step.h>"},
      {"runtime/kernels/shared.cuh", "int x;\n"},
      {"runtime/kernels/other.cuh", "int y;\n"},
      {"runtime/include/stitch/step.h", "int z;\n"}};
  bundle.units = {"steps/00_a.cu", "steps/01_b.cu"};
  return bundle;
}

TEST(IncludeClosureTest, FollowsIncludesThroughTheFolders) {
  EXPECT_EQ(
      include_closure(example(), "steps/00_a.cu"),
      (std::set<std::string>{"runtime/kernels/a.cuh", "runtime/kernels/shared.cuh", "runtime/include/stitch/step.h"}));
  EXPECT_TRUE(include_closure(example(), "steps/01_b.cu").empty());
}

TEST(IncludeClosureTest, AMacroMayNameAnyFile) {
  SourceBundle bundle = example();
  bundle.files["runtime/kernels/shared.cuh"] = "# include OTHER\n";
  const std::set<std::string> closure = include_closure(bundle, "steps/00_a.cu");
  EXPECT_EQ(closure.size(), bundle.files.size() - 1);
  EXPECT_TRUE(closure.contains("runtime/kernels/other.cuh"));
  EXPECT_FALSE(closure.contains("steps/00_a.cu"));
  EXPECT_EQ(included_names("#include OTHER\n"), std::vector<std::string>{});
}

TEST(CheckBundlePathsTest, PathsThatLeaveTheBundleAreRefused) {
  EXPECT_TRUE(check_bundle_paths(example()).has_value());
  for (const char* name : {"/etc/passwd", "../a.cu", "a/../../b.cu", "./a.cu", ""}) {
    SourceBundle bundle = example();
    bundle.files[name] = "";
    EXPECT_FALSE(check_bundle_paths(bundle).has_value()) << name;
  }
  SourceBundle bundle = example();
  bundle.units.emplace_back("steps/02_c.cu");
  EXPECT_FALSE(check_bundle_paths(bundle).has_value());
}

}  // namespace
}  // namespace stitch::toolchain
