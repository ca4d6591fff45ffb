// SPDX-License-Identifier: Apache-2.0
// What a Coder with a short context is told: of a program the prompts of its longest step, whole or in bytes. By
// SmolLM2's tokenizer these have 2.95 to 3.06 bytes a token; the bound is 1,500 tokens of 2.8.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/planner/expert_planner.h"
#include "agents/prompts/prompts.h"
#include "agents/roles/compact_context.h"
#include "agents/testing/bench_of_texts.h"
#include "agents/verifier/expert_verifier.h"
#include "base/testing/case_file.h"
#include "codegen/emit.h"
#include "driver/written/step_nodes.h"
#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxPromptBytes = 4'200;

constexpr const char* kLog =
    "steps/00_step.cu: In function 'int step_00(const StepArgs*, cudaStream_t)':\n"
    "steps/00_step.cu:58:25: error: 'not_declared' was not declared in this scope\n"
    "   58 |   const int forgotten = not_declared;\n"
    "      |                         ^~~~~~~~~~~~\n";

// The longest step of a program, as the expert wrote it.
struct Setting {
  explicit Setting(const std::string& graph) : bench(plan::make_plan(ir::parse(graph, "case").value(), {}).value()) {
    const PlanVersion version = expert_agent_plan(bench.plan());
    state.task = {.name = "case", .digest = "d", .device = "emulated", .math = "fp32"};
    state.plans = {version};
    state.begun_sub_tasks = 1;
    const size_t step = driver::step_with_nodes(bench.plan(), version.sub_tasks.front().nodes).value();
    const SourceBundle bundle = codegen::emit(bench.plan(), {std::string(STITCH_SOURCE_DIR) + "/runtime"}).value();
    code = bundle.files.at(codegen::step_file_name(bench.plan(), step));
    bench.adopted[version.sub_tasks.front().name] = code;
  }

  std::string prompt(const char* name) {
    state.attempts.clear();
    state.feedback.clear();
    Material material{.bench = bench};
    if (std::string_view(name) != "compact/coder_draft") {
      const bool is_right = std::string_view(name) == "compact/coder_optimize";
      state.attempts = {{.outcome = is_right ? Outcome::kRight : Outcome::kNotCompiled, .changed = {"00_step"}}};
      material.last_code = code;
      material.told = is_right ? "the public check passed" : kLog;
      state.attempts.back().step = Time{.us = 1234.567};
      state.feedback = {is_right ? expert_feedback({{.step = "00_step", .us = 1234.567}})
                                 : expert_feedback(Outcome::kNotCompiled, "'not_declared' was not declared")};
      state.feedback.back().attempt = 1;
    }
    return prompts.fill("compact/coder") + prompts.fill(name, compact_places(state, material));
  }

  BenchOfTexts bench;
  State state{.task = {}, .limits = {}, .incumbent = {}};
  std::string code{};
  Prompts prompts = Prompts::load({}).value();
};

std::string run_case(const testing::CaseFile& one) {
  Setting setting(one.input);
  if (one.run != "bytes") {
    return setting.prompt(("compact/" + one.run).c_str());
  }
  std::string text;
  for (const char* name : {"coder_draft", "coder_repair", "coder_optimize"}) {
    const size_t bytes = setting.prompt((std::string("compact/") + name).c_str()).size();
    EXPECT_LE(bytes, kMaxPromptBytes) << name << one.comment;
    text += fmt::format("{} {}\n", name, bytes);
  }
  return text;
}

class CompactCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompactCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, CompactCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/agents/testdata/compact")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::agents
