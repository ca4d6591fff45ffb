// SPDX-License-Identifier: Apache-2.0
// Programs that use every operator there is, in many shapes: each is planned, and its steps, run one after another by
// the slow interpreter, give what the program gives.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/fs/files.h"
#include "base/testing/case_file.h"
#include "ir/eval/interpret.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/parser.h"
#include "plan/memory/wholes.h"
#include "plan/plan.h"
#include "plan/testing/random_inputs.h"

namespace stitch::plan {
namespace {

std::string folder() { return std::string(STITCH_SOURCE_DIR) + "/src/plan/testdata/operators"; }

Result<ir::Graph> read_program(const std::filesystem::path& path) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  return ir::parse(text, path.filename().string());
}

using Memory = std::map<int, ir::ReferenceTensor>;  // by buffer

// What the steps leave in every buffer.
Result<Memory> run_steps(const Plan& plan, const std::vector<ir::ReferenceTensor>& inputs) {
  Memory memory;
  for (size_t i = 0; i < inputs.size(); ++i) {
    memory[static_cast<int>(i)] = inputs[i];  // the first buffers are the inputs, in their order
  }
  for (int index = 0; index < static_cast<int>(plan.steps.size()); ++index) {
    const Step& step = plan.steps[static_cast<size_t>(index)];
    STITCH_ASSIGN(const ir::Graph graph, step_graph(plan, index));
    std::vector<ir::ReferenceTensor> operands;
    for (const int operand : step.operands) {
      operands.push_back(memory.at(operand));
    }
    STITCH_ASSIGN(const auto results, ir::interpret(graph, operands));
    for (size_t i = 0; i < results.size(); ++i) {
      memory[step.results[i]] = results[i];
    }
  }
  return memory;
}

class Operators : public ::testing::TestWithParam<std::filesystem::path> {};

void expect_steps_to_mean(const ir::Graph& graph) {
  const auto plan = make_plan(graph, {});
  ASSERT_TRUE(plan.has_value()) << plan.error().message << " at " << plan.error().location;
  const auto inputs = testing::random_inputs(graph, 11);
  const auto wanted = ir::interpret(graph, inputs);
  ASSERT_TRUE(wanted.has_value()) << wanted.error().message;
  const auto memory = run_steps(*plan, inputs);
  ASSERT_TRUE(memory.has_value()) << memory.error().message;
  for (size_t output = 0; output < plan->graph.outputs.size(); ++output) {
    const ir::ValueId value = plan->graph.outputs[output].value;
    const auto buffer = std::find_if(plan->buffers.begin(), plan->buffers.end(),
                                     [&](const Buffer& candidate) { return candidate.value == value; });
    ASSERT_NE(buffer, plan->buffers.end());
    const auto& got = memory->at(static_cast<int>(buffer - plan->buffers.begin()));
    ASSERT_EQ(got.data.size(), (*wanted)[output].data.size());
    for (size_t i = 0; i < got.data.size(); ++i) {
      const double expected = (*wanted)[output].data[i];
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got.data[i])) << "output " << output << " at " << i;
        continue;
      }
      if (std::isinf(expected)) {
        ASSERT_EQ(got.data[i], expected) << "output " << output << " at " << i;
        continue;
      }
      ASSERT_NEAR(got.data[i], expected, 1e-9 * (1.0 + std::fabs(expected))) << "output " << output << " at " << i;
    }
  }
}

TEST_P(Operators, StepsTogetherMeanTheProgram) {
  const auto graph = read_program(GetParam());
  ASSERT_TRUE(graph.has_value()) << graph.error().message << " at " << graph.error().location;
  expect_steps_to_mean(*graph);
}

bool is_pointwise(ir::Op op) { return ir::find_op(op)->family == ir::OpFamily::kPointwise; }

// Programs with empty tensors are not taken.
bool has_empty_tensor(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.type.element_count() == 0; });
}

// Of a pointwise operator its cases are programs enough.
TEST(OperatorPrograms, CasesOfPointwiseOperatorsArePlanned) {
  for (const ir::Op op : ir::all_ops()) {
    if (!is_pointwise(op)) {
      continue;
    }
    const auto cases =
        testing::read_cases(std::string(STITCH_SOURCE_DIR) + "/src/ir/testdata/ops/" + to_string(op) + ".case");
    ASSERT_TRUE(cases.has_value()) << cases.error().message;
    for (const testing::CaseFile& one : *cases) {
      const auto graph = ir::parse(one.input, "case");
      if (one.expected.rfind("refused: ", 0) == 0) {
        continue;
      }
      ASSERT_TRUE(graph.has_value()) << graph.error().message;
      SCOPED_TRACE(one.input);
      if (!has_empty_tensor(*graph)) {
        expect_steps_to_mean(*graph);
      }
    }
  }
}

TEST_P(Operators, MemoryInUseNeverOverlaps) {
  const auto plan = make_plan(*read_program(GetParam()), {});
  ASSERT_TRUE(plan.has_value());
  const Wholes wholes(*plan);
  std::map<int, int> last_use;
  for (int index = 0; index < static_cast<int>(plan->steps.size()); ++index) {
    for (const int operand : plan->steps[static_cast<size_t>(index)].operands) {
      last_use[wholes.holder_of(operand)] = index;
    }
  }
  std::set<int> live;
  for (int index = 0; index < static_cast<int>(plan->steps.size()); ++index) {
    const Step& step = plan->steps[static_cast<size_t>(index)];
    for (const int result : step.results) {
      const Buffer& made = plan->buffers[static_cast<size_t>(wholes.holder_of(result))];
      for (const int other : live) {
        const Buffer& kept = plan->buffers[static_cast<size_t>(other)];
        const bool apart = made.kind != kept.kind || made.kind != BufferKind::kArena || &made == &kept ||
                           made.offset + plan->graph.type(made.value).bytes() <= kept.offset ||
                           kept.offset + plan->graph.type(kept.value).bytes() <= made.offset;
        EXPECT_TRUE(apart) << made.name << " is written over " << kept.name << " in step " << step.name;
      }
      live.insert(wholes.holder_of(result));
    }
    for (const auto& [buffer, last] : last_use) {
      if (last == index) {
        live.erase(buffer);
      }
    }
  }
}

// Parts lie side by side in their whole, and each slice that no step makes is copied there.
TEST_P(Operators, PartsOfAWholeLieWhereTheConcatenationPutsThem) {
  const auto plan = make_plan(*read_program(GetParam()), {});
  ASSERT_TRUE(plan.has_value());
  const Wholes wholes(*plan);
  for (int number = 0; number < static_cast<int>(plan->buffers.size()); ++number) {
    const Buffer& part = plan->buffers[static_cast<size_t>(number)];
    if (!part.whole.has_value()) {
      continue;
    }
    const Buffer& holder = plan->buffers[static_cast<size_t>(wholes.holder_of(number))];
    const int64_t start = wholes.start_of(number, plan->graph);
    EXPECT_EQ(part.offset, (holder.kind == BufferKind::kArena ? holder.offset : 0) + start) << part.name;
    EXPECT_LE(start + plan->graph.type(part.value).bytes(), plan->graph.type(holder.value).bytes()) << part.name;
    const int64_t readers = std::count_if(plan->steps.begin(), plan->steps.end(), [&](const Step& step) {
      return std::find(step.operands.begin(), step.operands.end(), number) != step.operands.end();
    });
    EXPECT_EQ(readers, 1) << part.name;
  }
}

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, Operators, ::testing::ValuesIn(programs()),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(OperatorPrograms, UseEveryOtherOperator) {
  std::set<std::string, std::less<>> used;
  for (const auto& path : programs()) {
    const auto graph = read_program(path);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    for (const ir::Node& node : graph->nodes) {
      used.insert(to_string(node.op));
    }
  }
  for (const ir::Op op : ir::all_ops()) {
    EXPECT_TRUE(is_pointwise(op) || used.count(to_string(op)) == 1U)
        << "no program in " << folder() << " uses " << to_string(op);
  }
}

}  // namespace
}  // namespace stitch::plan
