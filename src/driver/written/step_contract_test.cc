// SPDX-License-Identifier: Apache-2.0
// What an author is told of a step, to the letter; and where their text goes.
#include "driver/written/step_contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "driver/job/unwatched.h"
#include "driver/written/try_step.h"
#include "ir/text/parser.h"

namespace stitch::driver {
namespace {

struct Bench {
  Unwatched silent;
  Job job{{}, {{.root = STITCH_SOURCE_DIR, .programs = {}, .python = {}}, silent}};

  Result<Folder> folder_of(const std::string& program) {
    STITCH_ASSIGN(const ir::Graph graph, ir::parse(program, "case"));
    STITCH_ASSIGN(EmittedProgram emitted, plan_and_emit(job, graph, MathMode::kFp32));
    return Folder{{}, std::move(emitted.plan), std::move(emitted.bundle)};
  }
};

std::string told(const StepContract& contract) {
  std::string text = contract.skeleton + "\n";
  for (const auto* tensors : {&contract.operands, &contract.results}) {
    for (const ContractTensor& tensor : *tensors) {
      text += fmt::format("{} {} {}{}{}\n", tensors == &contract.operands ? "reads" : "writes", tensor.name,
                          to_string(tensor.type.dtype), tensor.binding.empty() ? "" : ": ", tensor.binding);
    }
  }
  for (const StepText& own : contract.expert) {
    text += fmt::format("now by {}\n", own.file);
  }
  return text;
}

std::string outcome_of(const testing::CaseFile& file) {
  Bench bench;
  const Result<Folder> folder = bench.folder_of(file.input);
  if (!folder.has_value()) {
    return folder.error().message + "\n";
  }
  std::istringstream words(file.run);
  const std::vector<std::string> nodes{std::istream_iterator<std::string>(words), {}};
  const Result<StepContract> contract = step_contract(*folder, nodes);
  return contract.has_value() ? told(*contract) : fmt::format("refused: {}\n", contract.error().message);
}

TEST(StepContract, SaysWhatAnAuthorNeeds) {
  EXPECT_EQ(
      testing::differences(std::string(STITCH_SOURCE_DIR) + "/src/driver/testdata/contracts/contract.case", outcome_of),
      "");
}

constexpr const char* kProgram = R"(graph g mode=eval
x: f32[6,48] = input "x"
w: f32[96,48] = parameter "w"
h = linear(x, w, none)
a = relu(h)
m = cumsum(a; dim=1)
s = softmax(m; dim=1)
return output "0" = s
)";
constexpr const char* kText = "// mine\nextern \"C\" int step_00(const StepArgs*, cudaStream_t) { return 0; }\n";

TEST(Attempt, OfABoundaryTakesTheNodesOver) {
  Bench bench;
  const Folder folder = bench.folder_of(kProgram).value();
  StepAttempt attempt;
  attempt.boundary = plan::Boundary{{"a", "m"}, plan::WrittenCode{kText, {}, {}}, {}, {}};
  const Result<AttemptedProgram> attempted = with_attempt(bench.job, folder, attempt);
  ASSERT_TRUE(attempted.has_value()) << attempted.error().message;
  const plan::Plan& plan = attempted->folder.plan;
  EXPECT_EQ(plan.steps[static_cast<size_t>(attempted->step)].skeleton, "written");
  EXPECT_NE(attempted->folder.sources.files.at(fmt::format("steps/{:02}_a_m.cu", attempted->step)).find("// mine"),
            std::string::npos);
}

// An earlier attempt stays where a later one takes something else over, and gives way where both want a node.
TEST(Attempt, KeepsWhatItDoesNotTakeOver) {
  Bench bench;
  const Folder folder = bench.folder_of(kProgram).value();
  const int last = static_cast<int>(folder.plan.steps.size()) - 1;
  const AttemptedProgram edited = with_attempt(bench.job, folder, {{}, last, kText}).value();
  StepAttempt attempt;
  attempt.boundary = plan::Boundary{{"h", "a"}, plan::WrittenCode{kText, {}, {}}, {}, {}};
  const AttemptedProgram both = with_attempt(bench.job, edited.folder, attempt).value();
  int mine = 0;
  for (const auto& [path, text] : both.folder.sources.files) {
    mine += path.starts_with("steps/") && text.starts_with("// mine") ? 1 : 0;
  }
  EXPECT_EQ(mine, 2);
  attempt.boundary = plan::Boundary{{"a"}, plan::WrittenCode{kText, {}, {}}, {}, {}};
  EXPECT_EQ(with_attempt(bench.job, both.folder, attempt).value().folder.plan.boundaries.size(), 1U);
}

TEST(Attempt, ThatIsNoneIsASentence) {
  Bench bench;
  const Folder folder = bench.folder_of(kProgram).value();
  EXPECT_FALSE(with_attempt(bench.job, folder, {{}, 99, kText}).has_value());
  const auto without = with_attempt(bench.job, folder, {{}, 0, "int main() {}"});
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().message, "the code of a written step defines no function step_NN");
}

}  // namespace
}  // namespace stitch::driver
