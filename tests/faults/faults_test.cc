// SPDX-License-Identifier: Apache-2.0
// Every step of the protocol fails in every way, by turns. A worker that fails once it holds the candidate is the
// candidate's fault, an outcome; before that, and whatever the keeper does, it is the world's, an Error.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

#include "base/fs/files.h"
#include "base/process/tree.h"
#include "cases.h"
#include "evaluate/runner/program_runner.h"
#include "faulty.h"
#include "toolchain/build/build.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kCount = 1000;

HostTensor zeros(const std::string& name, int64_t count) {
  TensorSpec spec;
  spec.name = name;
  spec.type.shape = {count};
  return HostTensor::from_bytes(spec, std::vector<std::byte>(static_cast<size_t>(count) * sizeof(float)));
}

using faults::Case;

// The folder in which this test finds its helpers: the build's, but for one that fails.
const fs::path& helpers() {
  static const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-faults-test").value();
  return folder.path();
}

void lay_out_helpers(const Case& one) {
  for (const char* name : {"stitchcuda-cage", "stitchcuda-rewrite", "stitchcuda-worker-emulated",
                           "stitchcuda-keeper-emulated"}) {
    std::error_code ignored;
    fs::remove(helpers() / name, ignored);
    fs::create_symlink(fs::path(STITCH_BINARY_DIR) / name, helpers() / name);
  }
  const fs::path copy = helpers() / (std::string("stitchcuda-") + one.program + "-emulated");
  fs::remove(copy);
  fs::copy_file(std::strcmp(one.program, "worker") == 0 ? STITCH_FAULTY_WORKER : STITCH_FAULTY_KEEPER, copy);
  std::ofstream(copy, std::ios::binary | std::ios::app) << faults::kMark << one.verb << ":1:" << one.how;
  ::setenv("STITCHCUDA_LIBEXEC", helpers().c_str(), 1);
}

const std::string& library() {
  static const std::string built = [] {
    const fs::path folder = fs::path(STITCH_SOURCE_DIR) / "src/evaluate/runner/testdata";
    ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 1);
    ::setenv("STITCHCUDA_CACHE", STITCH_BINARY_DIR "/test-cache", 0);
    const auto tools = toolchain::find_toolchain(
        {.emulator_include = fs::path(STITCH_SOURCE_DIR) / "emulator/include", .cache = {}});
    toolchain::BuildRequest request;
    request.device = DeviceKind::kEmulated;
    request.bundle.name = "good";
    request.bundle.files["program.cu"] = read_file(folder / "good.cu").value();
    request.bundle.files["vector_program.h"] = read_file(folder / "vector_program.h").value();
    request.bundle.files["runtime/include/stitch_program.h"] =
        read_file(fs::path(STITCH_SOURCE_DIR) / "runtime/include/stitch_program.h").value();
    request.bundle.units = {"program.cu"};
    const auto report = toolchain::build(request, tools.value());
    return report.has_value() ? report->library : std::string();
  }();
  return built;
}

// "ok", "crashed: SENTENCE", "Error: SENTENCE".
template <typename Outcome>
std::string ended(const Result<Outcome>& result) {
  if (!result.has_value()) {
    return std::string("Error ") + to_string(result.error().code) + ": " + result.error().message;
  }
  constexpr const char* kEndings[] = {"ok", "crashed", "timed out", "refused", "tampered", "unsupported"};
  const std::string ending = kEndings[static_cast<int>(result->ending)];
  return result->ending == Ending::kOk ? ending : ending + ": " + result->message;
}

// Start, prepare, two calls and a timing: every verb of the protocol. Says how the first that fails ended.
std::string run_everything(const Case& one) {
  RunnerOptions options;
  options.binary = {DeviceKind::kEmulated, library()};
  options.timeout_ms = std::string_view(one.how) == "silent" ? 2000 : 120000;
  options.memory_bytes = uint64_t{512} << 20;
  auto runner = ProgramRunner::start(options);
  if (!runner.has_value()) {
    return std::string("Error ") + to_string(runner.error().code) + ": " + runner.error().message;
  }
  const std::vector<HostTensor> inputs = {zeros("x", kCount), zeros("y", kCount)};
  const std::vector<HostTensor> states = {zeros("calls", 1)};
  const std::vector<HostTensor> parameters = {zeros("scale", kCount)};
  const CandidateCall call{.inputs = inputs, .states = states};
  std::string how = ended((*runner)->prepare(parameters));
  for (int calls = 0; calls < 2 && how == "ok"; ++calls) {
    how = ended((*runner)->run(call));
  }
  const TimingOptions timing{.block_us = 100, .blocks = 2, .tries = 1, .l2_bytes = 1 << 12};
  const TimedSubject subject{.parameters = parameters, .draws = {{.inputs = inputs, .states = states}}};
  return how == "ok" ? ended((*runner)->time_blocks(subject, timing)) : how;
}

class FaultsTest : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override {
    EXPECT_TRUE(list_descendants(::getpid()).empty()) << "a process was left behind";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie was left behind";
  }
};

TEST_P(FaultsTest, EndsAsItShould) {
  ASSERT_FALSE(library().empty());
  lay_out_helpers(GetParam());
  // Which results are looked at again is left to chance, and with it how many requests came before.
  const std::regex number("request [0-9]+$");
  EXPECT_EQ(std::regex_replace(run_everything(GetParam()), number, "request N"), GetParam().ends);
}

INSTANTIATE_TEST_SUITE_P(Protocol, FaultsTest, testing::ValuesIn(faults::kCases), [](const auto& info) {
  return std::string(info.param.program) + "_" + info.param.how + "_at_" + info.param.verb;
});

}  // namespace
}  // namespace stitch::evaluate
