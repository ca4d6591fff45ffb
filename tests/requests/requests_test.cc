// SPDX-License-Identifier: Apache-2.0
// Requests of different modes side by side in one process: each is compiled, run and judged as it asks, and its verdict
// says so.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/fs/files.h"
#include "evaluate/pipeline/evaluate.h"
#include "evaluate/runner/program_runner.h"
#include "sandbox/cage/cage.h"
#include "verify/compare/test_tensors.h"
#include "verify/oracle/scripted_oracle.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;
using sandbox::CageMode;

constexpr int64_t kCount = 1000;

// What the program gives that sees nothing outside of its cage.
verify::ScriptedOracle oracle_of_zeros() {
  const auto draw = [](const verify::OracleProgram&, const std::string&, int) -> Result<verify::OracleDraw> {
    const std::vector<double> zeros(kCount, 0.0);
    verify::OracleDraw made;
    made.inputs = {verify::float_tensor({kCount}, zeros), verify::float_tensor({kCount}, zeros)};
    made.parameters = {verify::float_tensor({kCount}, zeros)};
    made.states = {verify::float_tensor({1}, {41.0})};
    made.outputs = {verify::float_reference({kCount}, zeros, zeros), verify::float_reference({1}, {42.0}, {42.0})};
    return made;
  };
  const auto open = [](const verify::OracleSource&) -> Result<verify::OracleProgram> {
    verify::OracleProgram program;
    program.regimes = {"as_given"};
    program.gate_ok = true;
    return program;
  };
  return {open, draw};
}

SourceBundle bundle_of_sources() {
  const fs::path root = STITCH_SOURCE_DIR;
  SourceBundle bundle;
  bundle.name = "looks_outside";
  bundle.files["program.cu"] = read_file(root / "tests/requests/looks_outside.cu").value();
  bundle.files["vector_program.h"] = read_file(root / "src/evaluate/runner/testdata/vector_program.h").value();
  bundle.files["runtime/include/stitch_program.h"] = read_file(root / "runtime/include/stitch_program.h").value();
  bundle.units = {"program.cu"};
  return bundle;
}

// All of it is the request's own: compilers, cache, oracle, workers.
Result<Verdict> judge(CageMode mode) {
  STITCH_ASSIGN(const TemporaryDirectory cache, TemporaryDirectory::make("stitchcuda-requests-test"));
  STITCH_ASSIGN(toolchain::Toolchain tools,
                toolchain::find_toolchain({.emulator_include = fs::path(STITCH_SOURCE_DIR) / "emulator/include",
                                           .cache = cache.path()}));
  STITCH_ASSIGN(tools.confinement, sandbox::confine_request(mode));
  EvaluateRequest request;
  request.declared.shape = "declared shapes";
  request.declared.bundle = bundle_of_sources();
  request.with_checked_draw = false;
  request.no_checked_draw = "what it finds is another test's";
  RunnerOptions options;
  options.cage = tools.confinement.mode;
  verify::ScriptedOracle oracle = oracle_of_zeros();
  STITCH_ASSIGN(const EvaluateReport report, evaluate(request, tools, oracle, program_runner_factory(options)));
  return report.verify.verdict();
}

class RequestsTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 0);
    const Result<sandbox::Layers> layers = sandbox::machine_layers();
    ASSERT_TRUE(layers.has_value()) << layers.error().message;
    if (!layers->has(sandbox::Layer::kFiles) && !layers->has(sandbox::Layer::kLandlock)) {
      GTEST_SKIP() << "no cage of this machine keeps a program from files";
    }
  }

  static void expect_caged(const Result<Verdict>& verdict) {
    ASSERT_TRUE(verdict.has_value()) << verdict.error().message;
    EXPECT_EQ(verdict->kind, VerdictKind::kOk) << verdict->reason;
    EXPECT_EQ(verdict->sandbox, sandbox::confine_request(CageMode::kCaged).value().mark);
    EXPECT_EQ(verdict->sandbox.find("none"), std::string::npos);
  }

  // Compiler and program both saw the file.
  static void expect_without_cage(const Result<Verdict>& verdict) {
    ASSERT_TRUE(verdict.has_value()) << verdict.error().message;
    EXPECT_EQ(verdict->kind, VerdictKind::kWrong);
    EXPECT_NE(verdict->reason.find("got 3, expected 0"), std::string::npos) << verdict->reason;
    EXPECT_EQ(verdict->sandbox, "none: --unsafe-no-sandbox");
  }
};

TEST_F(RequestsTest, OfTwoModesAtOnceEachHasItsOwn) {
  Result<Verdict> caged = failure(ErrorCode::kInternal, "not asked");
  Result<Verdict> bare = failure(ErrorCode::kInternal, "not asked");
  std::thread one([&] { caged = judge(CageMode::kCaged); });
  std::thread other([&] { bare = judge(CageMode::kNone); });
  one.join();
  other.join();
  expect_caged(caged);
  expect_without_cage(bare);
}

// One that went without a cage leaves nothing behind for the next.
TEST_F(RequestsTest, OfTwoModesInTurnEachHasItsOwn) {
  expect_without_cage(judge(CageMode::kNone));
  expect_caged(judge(CageMode::kCaged));
}

}  // namespace
}  // namespace stitch::evaluate
