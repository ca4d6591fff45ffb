// SPDX-License-Identifier: Apache-2.0
// For tests alone: the programs of testdata/, built and started on every device, and what they take.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/fs/files.h"
#include "base/process/tree.h"
#include "evaluate/runner/program_runner.h"
#include "toolchain/build/build.h"

namespace stitch::evaluate {

namespace fs = std::filesystem;

constexpr int64_t kCount = 1000;

inline HostTensor tensor(const std::string& name, const std::vector<float>& values) {
  TensorSpec spec;
  spec.name = name;
  spec.type.shape = {static_cast<int64_t>(values.size())};
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return HostTensor::from_bytes(spec, std::move(bytes));
}

inline std::vector<float> values_of(const HostTensor& tensor) {
  std::vector<float> values(tensor.bytes().size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

class VectorProgramTest : public testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 0);
    ::setenv("STITCHCUDA_CACHE", STITCH_BINARY_DIR "/test-cache", 0);
    if (GetParam() == DeviceKind::kCuda) {
      auto started = ProgramRunner::start({.binary = {DeviceKind::kCuda, ""}});
      if (!started.has_value()) {
        ASSERT_EQ(std::getenv("STITCH_REQUIRE_GPU"), nullptr) << started.error().message;
        GTEST_SKIP() << started.error().message;
      }
    }
    for (int64_t i = 0; i < kCount; ++i) {
      x.push_back(static_cast<float>(i));
      y.push_back(0.25f * static_cast<float>(i % 7));
      scale.push_back(static_cast<float>(i % 3));
    }
    inputs = {tensor("x", x), tensor("y", y)};
    states = {tensor("calls", {41.0f})};
    parameters = {tensor("scale", scale)};
  }

  // Its cache is that of all suites, kept from run to run: what is judged here is what programs do.
  static const toolchain::Toolchain& tools() {
    static const toolchain::Toolchain found =
        toolchain::find_toolchain({.emulator_include = fs::path(STITCH_SOURCE_DIR) / "emulator/include", .cache = {}})
            .value();
    return found;
  }

  std::string build(const std::string& program) {
    const fs::path folder = fs::path(STITCH_SOURCE_DIR) / "src/evaluate/runner/testdata";
    toolchain::BuildRequest request;
    request.device = GetParam();
    request.architecture = "sm_90";
    request.bundle.name = program;
    request.bundle.files["program.cu"] = read_file(folder / (program + ".cu")).value();
    for (const char* header : {"vector_program.h", "contents_table.h"}) {
      request.bundle.files[header] = read_file(folder / header).value();
    }
    request.bundle.files["runtime/include/stitch_program.h"] =
        read_file(fs::path(STITCH_SOURCE_DIR) / "runtime/include/stitch_program.h").value();
    request.bundle.units = {"program.cu"};
    const auto report = toolchain::build(request, tools());
    EXPECT_TRUE(report.has_value()) << (report.has_value() ? "" : report.error().message);
    EXPECT_TRUE(report.has_value() && report->ok)
        << (report.has_value() && !report->diagnostics.empty() ? report->diagnostics[0].message : "");
    return report.has_value() ? report->library : "";
  }

  std::unique_ptr<ProgramRunner> start(const std::string& program) {
    options.binary = {GetParam(), build(program)};
    auto runner = ProgramRunner::start(options);
    EXPECT_TRUE(runner.has_value()) << (runner.has_value() ? "" : runner.error().message);
    return std::move(runner).value();
  }

  // What it could not do is said: whatever the program does, the processes answer.
  testing::AssertionResult prepares(ProgramRunner& runner) {
    const auto prepared = runner.prepare(parameters);
    return prepared.has_value() ? testing::AssertionSuccess() : testing::AssertionFailure() << prepared.error().message;
  }

  // prepare() and run(); the first that does not end well, else the run's outcome.
  CandidateOutcome outcome_of(ProgramRunner& runner) {
    auto prepared = runner.prepare(parameters);
    EXPECT_TRUE(prepared.has_value()) << (prepared.has_value() ? "" : prepared.error().message);
    if (!prepared.has_value() || prepared->ending != Ending::kOk) {
      return prepared.has_value() ? *prepared : CandidateOutcome{};
    }
    auto ran = runner.run({.inputs = inputs, .states = states});
    EXPECT_TRUE(ran.has_value()) << (ran.has_value() ? "" : ran.error().message);
    return ran.has_value() ? *ran : CandidateOutcome{};
  }

  CandidateOutcome outcome_of(const std::string& program) { return outcome_of(*start(program)); }

  void expect_right(const CandidateOutcome& outcome) {
    ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
    ASSERT_EQ(outcome.outputs.size(), 1u);
    ASSERT_EQ(outcome.states.size(), 1u);
    const std::vector<float> sum = values_of(outcome.outputs[0]);
    for (size_t i = 0; i < sum.size(); ++i) {
      ASSERT_EQ(sum[i], x[i] + y[i] * scale[i]) << i;
    }
    EXPECT_EQ(values_of(outcome.states[0]), std::vector<float>{42.0f});
    EXPECT_GT(outcome.elapsed_us, 0.0);
  }

  void TearDown() override {
    EXPECT_TRUE(list_descendants(::getpid()).empty()) << "a process was left behind";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie was left behind";
  }

  bool is_emulated() const { return GetParam() != DeviceKind::kCuda; }

  RunnerOptions options;
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> scale;
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> states;
  std::vector<HostTensor> parameters;
};

}  // namespace stitch::evaluate
