// SPDX-License-Identifier: Apache-2.0
// A whole program timed through keeper and worker, here on the emulated device: what is called and reported, not how
// long it takes.
#include "tuning/measure/time_program.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/emit.h"
#include "ir/text/parser.h"
#include "plan/plan.h"
#include "toolchain/build/build.h"

namespace stitch::tuning {
namespace {

constexpr const char* kProgram = R"(graph counted mode=eval
x: f32[3,8] = input "x"
at: i64[3] = input "at"
table: f32[5,8] = parameter "table"
scale: f32[8] = constant "scale"
calls: f32[8] = state "calls"
row = embedding(table, at; padding_idx=-1)
scaled = mul(row, scale)
y = add(x, scaled)
more = add(calls, 1.0)
return output "0" = y, state "calls" = more
)";

TEST(TimeProgram, ReportsPlainLaunchesGraphsAndPrepareApart) {
  ::setenv("STITCHCUDA_LIBEXEC", STITCH_BINARY_DIR, 1);
  ::setenv("STITCHCUDA_CACHE", STITCH_BINARY_DIR "/test-cache", 0);
  const Result<toolchain::Toolchain> tools = toolchain::find_toolchain(
      {.emulator_include = std::string(STITCH_SOURCE_DIR) + "/emulator/include", .cache = {}});
  ASSERT_TRUE(tools.has_value());
  if (!tools->supports(DeviceKind::kEmulated).has_value()) {
    GTEST_SKIP() << "no CUDA headers here";
  }
  const ir::Graph graph = ir::parse(kProgram, "sample").value();
  const plan::Plan plan = plan::make_plan(graph, {}).value();
  toolchain::BuildRequest request;
  request.bundle = codegen::emit(plan, {std::string(STITCH_SOURCE_DIR) + "/runtime"}).value();
  const Result<CompileReport> built = toolchain::build(request, *tools);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  ASSERT_TRUE(built->ok);
  evaluate::RunnerOptions options;
  options.binary = {DeviceKind::kEmulated, built->library};
  // Short blocks of a small cache: what is called, not how long it takes.
  const evaluate::TimingOptions timing{.block_us = 2000, .blocks = 5, .tries = 1, .l2_bytes = 1 << 16};
  const Result<ProgramTimes> times = time_program(sample_subject(graph), options, timing);
  ASSERT_TRUE(times.has_value()) << times.error().message;
  EXPECT_EQ(times->fault, "");
  for (const evaluate::Timing* timing_of : {&times->plain, &times->graph}) {
    EXPECT_GE(timing_of->calls_judged, 5 * timing_of->calls_per_block) << "not every timed call was judged";
    EXPECT_GT(timing_of->calls_per_block, 0);
  }
  EXPECT_GT(times->prepare_us, 0);
  EXPECT_EQ(times->best_us(), std::min(times->plain.median_us, times->graph.median_us));
}

TEST(TimeProgram, SaysWhatIsFaster) {
  ProgramTimes times;
  times.plain = evaluate::summarise({12, 10, 11}, 5);
  EXPECT_FALSE(times.graph_is_faster());
  EXPECT_EQ(times.best_us(), 11);
  times.graph = evaluate::summarise({7, 9, 8}, 5);
  EXPECT_TRUE(times.graph_is_faster());
  EXPECT_EQ(times.best_us(), 8);
}

}  // namespace
}  // namespace stitch::tuning
