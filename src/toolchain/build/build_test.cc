// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/build.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/fs/files.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/build_key.h"
#include "toolchain/build/prelude.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStep =
    "#include \"kernels/twice.cuh\"\n"
    "extern \"C\" int stitch_program_v1(float* data, cudaStream_t stream) {\n"
    "  twice<<<1, 32, 0, stream>>>(data);\n"
    "  return cudaGetLastError();\n"
    "}\n";
constexpr const char* kOtherStep = "extern \"C\" int step_01() { return 1; }\n";
constexpr const char* kKernel = "#pragma once\n__global__ void twice(float* data) { data[threadIdx.x] *= 2.0f; }\n";

class BuildTest : public testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 0);
    auto found = find_toolchain(
        {.emulator_include = fs::path(STITCH_SOURCE_DIR) / "emulator/include", .cache = folder.path() / "cache"});
    ASSERT_TRUE(found.has_value());
    tools = *found;
    if (const auto supported = tools.supports(GetParam()); !supported.has_value()) {
      GTEST_SKIP() << supported.error().message;
    }
    request.device = GetParam();
    request.bundle.name = "example";
    request.bundle.files = {
        {"steps/00_twice.cu", kStep}, {"steps/01_one.cu", kOtherStep}, {"runtime/kernels/twice.cuh", kKernel}};
    request.bundle.units = {"steps/00_twice.cu", "steps/01_one.cu"};
  }

  // For what is not about the cache: units that several tests have are compiled once for all of them. Not from run to
  // run: what an earlier build has compiled says nothing of this one.
  void share_cache() {
    static const TemporaryDirectory shared = TemporaryDirectory::make("stitchcuda-build-test").value();
    tools.cache = shared.path();
  }

  CompileReport build_now() {
    const auto report = build(request, tools);
    EXPECT_TRUE(report.has_value()) << (report.has_value() ? "" : report.error().message);
    return report.has_value() ? *report : CompileReport{};
  }

  std::vector<fs::path> cache_files(const std::string& suffix) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "cache")) {
      if (entry.path().extension() == suffix) {
        files.push_back(entry.path());
      }
    }
    return files;
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-build-test").value();
  Toolchain tools;
  BuildRequest request;
};

TEST_P(BuildTest, SourcesTakeInNothingThatLiesOutside) {
  const auto layers = sandbox::machine_layers();
  ASSERT_TRUE(layers.has_value()) << layers.error().message;
  if (!layers->has(sandbox::Layer::kFiles) && !layers->has(sandbox::Layer::kLandlock)) {
    GTEST_SKIP() << "neither a root folder of its own nor Landlock here";
  }
  const fs::path secret = folder.path() / "secret.h";
  ASSERT_TRUE(write_file(secret, "#define STOLEN 1\n").has_value());
  request.bundle.units = {"steps/01_one.cu"};
  for (const std::string& line : {"#include \"" + secret.string() + "\"\n", std::string("#include \"/etc/passwd\"\n"),
                                  // As a macro hides it from the rewriter, which takes no assembly it sees.
                                  "#define J(a, b) a##b\nJ(as, m)(\".incbin \\\"" + secret.string() + "\\\"\");\n"}) {
    request.bundle.files["steps/01_one.cu"] = line + kOtherStep;
    const CompileReport report = build_now();
    EXPECT_FALSE(report.ok) << line;
    ASSERT_FALSE(report.diagnostics.empty());
    const std::string& said = report.diagnostics[0].message;
    EXPECT_TRUE(said.find("No such file") != std::string::npos || said.find("ermission denied") != std::string::npos ||
                said.find("file not found") != std::string::npos)
        << line << said;
  }
}

TEST_P(BuildTest, WhatTheDeviceLacksIsNamedWithItsLine) {
  if (request.device == DeviceKind::kCuda) {
    GTEST_SKIP() << "a GPU has it";
  }
  share_cache();
  request.bundle.files["steps/01_one.cu"] = "\n\n__global__ void barrier() { asm volatile(\"bar.sync 0;\"); }\n";
  const CompileReport report = build_now();
  EXPECT_FALSE(report.ok);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_EQ(report.diagnostics[0].file, "steps/01_one.cu");
  EXPECT_EQ(report.diagnostics[0].line, 3);
  const std::string& said = report.diagnostics[0].message;
  EXPECT_TRUE(said.starts_with("inline PTX is not supported")) << said;
  EXPECT_TRUE(report.is_beyond_device);
}

TEST_P(BuildTest, NoSourceSaysOfItselfWhatTheDeviceLacks) {
  share_cache();
  const std::string said = "inline PTX is not supported on the emulated device";
  request.bundle.files["steps/01_one.cu"] = "#error " + said + "\nstatic_assert(false, \"" + said + "\");\n";
  const CompileReport report = build_now();
  EXPECT_FALSE(report.ok);
  EXPECT_FALSE(report.is_beyond_device);
}

TEST_P(BuildTest, StepsThatDifferInNamesAloneAreOneFunctionUnderTwoNames) {
  if (request.device != DeviceKind::kEmulated) {
    GTEST_SKIP() << "what is compiled for it does not load here";
  }
  const auto step = [](const std::string& number, const std::string& name, const std::string& made) {
    return "extern \"C\" int step_" + number + "(int at) {\n  const int " + name + " = at * 3;\n  return " + made +
           ";\n}\n";
  };
  request.bundle.files["steps/00.cu"] = step("0", "fc1", "fc1 + 1");
  request.bundle.files["steps/01.cu"] = step("1", "fc2", "fc2 + 1");
  request.bundle.files["steps/02.cu"] = step("2", "fc3", "fc3 + 2");
  request.bundle.files["program.cu"] =
      "extern \"C\" {\nint step_0(int);\nint step_1(int);\nint step_2(int);\n"
      "int stitch_program_v1() { return step_0(1) * 100 + step_1(2) * 10 + step_2(1); }\n}\n";
  request.bundle.units = {"steps/00.cu", "steps/01.cu", "steps/02.cu", "program.cu"};
  request.joins_equal_steps = true;
  const CompileReport report = build_now();
  ASSERT_TRUE(report.ok) << (report.diagnostics.empty() ? "" : report.diagnostics[0].message);
  EXPECT_EQ(report.units_compiled, 3);
  void* library = ::dlopen(report.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto program = reinterpret_cast<int (*)()>(::dlsym(library, "stitch_program_v1"));
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program(), 4 * 100 + 7 * 10 + 5);
  ::dlclose(library);

  request.joins_equal_steps = false;
  const CompileReport apart = build_now();
  EXPECT_EQ(apart.units_compiled, 1);
  EXPECT_NE(apart.build_key, report.build_key);
}

// Units of a stranger's program that are as we emitted them are those of ours: nothing is compiled anew for them.
TEST_P(BuildTest, OnlyStrangersUnitsAreBuiltAsStrangers) {
  if (GetParam() != DeviceKind::kChecked) {
    GTEST_SKIP() << "the macros are of checked builds alone";
  }
  request.joins_equal_steps = true;
  const std::string asks =
      "#ifdef __SANITIZE_ADDRESS__\nconstexpr int kTold = 1;\n#else\nconstexpr int kTold = 0;\n#endif\n";
  for (const char* number : {"00", "01"}) {
    request.bundle.files[fmt::format("steps/{}.cu", number)] =
        asks + fmt::format("extern \"C\" int step_{}(int) {{ return kTold; }}\n", number);
  }
  request.bundle.files["program.cu"] =
      "extern \"C\" {\nint step_00(int);\nint step_01(int);\n"
      "int stitch_program_v1() { return step_00(0) * 10 + step_01(0); }\n}\n";
  request.bundle.units = {"steps/00.cu", "steps/01.cu", "program.cu"};
  ASSERT_TRUE(build_now().ok);
  request.authors = {.has_strangers = true, .emitted = {"steps/00.cu", "program.cu"}};
  const CompileReport report = build_now();
  ASSERT_TRUE(report.ok);
  EXPECT_EQ(report.units_compiled, 1);
  EXPECT_EQ(report.units_from_cache, 2);
  request.authors.emitted.clear();
  EXPECT_EQ(build_now().units_compiled, 2);
}

TEST_P(BuildTest, CompilesOnceAndThenComesFromTheCache) {
  std::vector<BuildProgress> progress;
  request.progress = [&](const BuildProgress& step) { progress.push_back(step); };
  const CompileReport first = build_now();
  ASSERT_TRUE(first.ok) << (first.diagnostics.empty() ? "" : first.diagnostics[0].message);
  EXPECT_EQ(first.units_compiled, 2);
  EXPECT_TRUE(fs::exists(first.library));
  ASSERT_EQ(progress.size(), 2u);
  EXPECT_EQ(progress[1].done, 2);
  EXPECT_EQ(progress[1].total, 2);

  const CompileReport second = build_now();
  EXPECT_EQ(second.units_compiled, 0);
  EXPECT_EQ(second.units_from_cache, 2);
  EXPECT_EQ(second.library, first.library);

  for (const char* suffix : {".o", ".so"}) {  // damage all entries: they are seen and made again
    for (const fs::path& path : cache_files(suffix)) {
      std::ofstream(path, std::ios::app) << "x";
    }
  }
  const CompileReport third = build_now();
  EXPECT_TRUE(third.ok);
  EXPECT_EQ(third.units_compiled, 2);
  EXPECT_EQ(third.build_key, first.build_key);
}

TEST_P(BuildTest, MessagesNameTheBundlesFileAndLine) {
  request.bundle.files["steps/01_one.cu"] = "int a;\nint b = missing_name;\n";
  const CompileReport report = build_now();
  EXPECT_FALSE(report.ok);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_EQ(report.diagnostics[0].file, "steps/01_one.cu");
  EXPECT_EQ(report.diagnostics[0].line, 2);
  EXPECT_NE(report.diagnostics[0].message.find("missing_name"), std::string::npos);
  request.bundle.files["steps/01_one.cu"] = kOtherStep;
  EXPECT_EQ(build_now().units_from_cache, 1);  // the other unit was kept all the same
}

TEST_P(BuildTest, AHeaderErrorNamesTheHeader) {
  share_cache();
  request.bundle.files["runtime/kernels/twice.cuh"] = std::string(kKernel) + "int b = missing_name;\n";
  const CompileReport report = build_now();
  EXPECT_FALSE(report.ok);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_NE(report.diagnostics[0].file.find("kernels/twice.cuh"), std::string::npos);
  EXPECT_EQ(report.diagnostics[0].line, 3);
}

TEST_P(BuildTest, EqualUnitsCompileOnce) {
  request.bundle.files["steps/02_static.cu"] = "static int unused;\n";
  request.bundle.files["steps/03_static.cu"] = "static int unused;\n";
  request.bundle.units = {"steps/00_twice.cu", "steps/02_static.cu", "steps/03_static.cu"};
  const CompileReport report = build_now();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.units_compiled, 2);
}

TEST_P(BuildTest, KeysFollowContentOnly) {
  const Target target{request.device, "sm_80"};
  const std::string key = unit_key(request.bundle, "steps/00_twice.cu", target, tools);
  request.bundle.files["runtime/kernels/unrelated.cuh"] = "int z;";
  EXPECT_EQ(unit_key(request.bundle, "steps/00_twice.cu", target, tools), key);
  request.bundle.files["steps/09_copy.cu"] = kStep;
  EXPECT_EQ(unit_key(request.bundle, "steps/09_copy.cu", target, tools), key);
  request.bundle.files["runtime/kernels/twice.cuh"] += " ";
  EXPECT_NE(unit_key(request.bundle, "steps/00_twice.cu", target, tools), key);
  Toolchain newer = tools;
  newer.host_compiler->identity += "newer";
  EXPECT_NE(unit_key(request.bundle, "steps/01_one.cu", target, newer),
            unit_key(request.bundle, "steps/01_one.cu", target, tools));
}

TEST_P(BuildTest, ADamagedPreludeIsMadeAgain) {
  if (request.device == DeviceKind::kCuda) {
    GTEST_SKIP() << "nvcc has none";
  }
  tools.prebuilt.clear();
  const Target target{request.device, ""};
  const fs::path header = find_prelude(target, tools).value();
  const fs::path parsed = header.string() + ".gch";
  ASSERT_TRUE(fs::exists(parsed));
  const auto half = fs::file_size(parsed) / 2;
  fs::resize_file(parsed, half);
  EXPECT_EQ(find_prelude(target, tools).value(), header);
  EXPECT_GT(fs::file_size(parsed), half);
  Toolchain newer = tools;
  newer.emulator_identity += "newer";
  EXPECT_NE(find_prelude(target, newer).value(), header);
  EXPECT_TRUE(build_now().ok);
}

TEST_P(BuildTest, ObjectsMadeBeforeComeFromWhereTheyLie) {
  share_cache();
  request.objects_only = true;
  EXPECT_EQ(build_now().library, "");
  request.objects_only = false;
  tools.prebuilt = tools.cache;
  tools.cache = folder.path() / "other";
  const CompileReport report = build_now();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.units_from_cache, 2);
}

// The CUDA runtime opens libraries and sockets; the sources here do not.
TEST_P(BuildTest, OwnCodeAloneHoldsNothingOfTheCudaRuntime) {
  share_cache();
  const CompileReport whole = build_now();
  request.own_code_alone = true;
  const CompileReport own = build_now();
  ASSERT_TRUE(whole.ok && own.ok);
  EXPECT_EQ(own.units_compiled, 0);
  EXPECT_NE(whole.build_key, own.build_key);
  EXPECT_EQ(read_file(own.library)->find("dlopen"), std::string::npos);
  const bool has_runtime = request.device == DeviceKind::kCuda;
  EXPECT_EQ(read_file(whole.library)->find("dlopen") != std::string::npos, has_runtime);
}

// An honest program that scans or sorts by CUB asks the loader for nothing.
TEST_P(BuildTest, CubOpensNoLibraries) {
  share_cache();
  request.bundle.files["steps/02_scans.cu"] = "#include <cub/cub.cuh>\n";
  request.bundle.units.push_back("steps/02_scans.cu");
  request.own_code_alone = true;
  const CompileReport own = build_now();
  ASSERT_TRUE(own.ok);
  EXPECT_EQ(read_file(own.library)->find("dlopen"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, BuildTest,
                         testing::Values(DeviceKind::kEmulated, DeviceKind::kChecked, DeviceKind::kCuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(BuildErrorTest, AMissingToolIsASentenceWithARemedy) {
  Toolchain none;
  BuildRequest request;
  request.bundle.units = {"a.cu"};
  for (const DeviceKind device : {DeviceKind::kEmulated, DeviceKind::kCuda}) {
    request.device = device;
    const auto report = build(request, none);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::kEnvironment);
    EXPECT_FALSE(report.error().remedy.empty());
  }
}

}  // namespace
}  // namespace stitch::toolchain
