// SPDX-License-Identifier: Apache-2.0
// Where texts for groups of nodes go, and what becomes of earlier ones.
#include "driver/improve/candidate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/emit.h"
#include "driver/improve/text_place.h"
#include "driver/job/unwatched.h"
#include "driver/judge/step_subject.h"
#include "ir/text/parser.h"

namespace stitch::driver {
namespace {

// Three steps: h with a, m, s.
constexpr const char* kThreeSteps = R"(graph g mode=eval
x: f32[6,48] = input "x"
w: f32[96,48] = parameter "w"
h = linear(x, w, none)
a = relu(h)
m = cumsum(a; dim=1)
s = softmax(m; dim=1)
return output "0" = s
)";

std::string text_of(const std::string& mark) {
  return "// " + mark + "\nextern \"C\" int step_00(const StepArgs*, cudaStream_t) { return 0; }\n";
}

class Texts : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<ir::Graph> graph = ir::parse(kThreeSteps, "case");
    program_ = plan_and_emit(job_, graph.value(), MathMode::kFp32).value();
    ASSERT_EQ(program_.plan.steps.size(), 3U);
    set_ = {.scale = "full", .subjects = {}, .checked = {}, .checked_note = {}};
    set_.subjects.push_back({"declared shapes", task_, program_.plan, program_.bundle, false, {}});
    set_.subjects.push_back({"hidden shape", task_, program_.plan, program_.bundle, false, {}});
    best_ = {program_.plan, program_.bundle, set_};
  }

  std::variant<Candidate, NoCandidate> tried(const std::vector<std::string>& nodes, const std::string& text) {
    const TextPlace place = place_for(task_, best_, nodes).value();
    return candidate_with(job_, {task_, imported_, program_, set_, DeviceKind::kEmulated, report_}, best_,
                          attempt_at(place, {text, plan::HoldsFor::kAnySizes, {}}))
        .value();
  }
  Candidate adopt(const std::vector<std::string>& nodes, const std::string& text) {
    Candidate candidate = std::get<Candidate>(tried(nodes, text));
    best_ = candidate.program;
    return candidate;
  }
  // "00_h_a: mine" a step, of the best program at all of its sizes.
  static std::string marks(const SourceBundle& sources) {
    std::string text;
    for (const auto& [path, file] : sources.files) {
      if (path.starts_with("steps/")) {
        const bool is_ours = file.find("\n//\n") != std::string::npos;
        text +=
            path.substr(6, path.size() - 9) + ": " + (is_ours ? "expert" : file.substr(3, file.find('\n') - 3)) + "\n";
      }
    }
    return text;
  }

  Unwatched silent_;
  Job job_{{}, {{.root = STITCH_SOURCE_DIR, .programs = {}, .python = {}}, silent_}};
  Task task_;
  ImportedProgram imported_;
  EmittedProgram program_;
  SubjectSet set_;
  evaluate::EvaluateReport report_;
  TextProgram best_;
};

TEST_F(Texts, OfAStepGoIntoItsFile) {
  const TextPlace place = place_for(task_, best_, {"a", "h"}).value();
  EXPECT_EQ(place.own, 0U);
  EXPECT_FALSE(place.contract.has_value());
  const Candidate candidate = adopt({"h", "a"}, text_of("mine"));
  EXPECT_EQ(candidate.step, 0U);
  EXPECT_TRUE(best_.plan.boundaries.empty());
  EXPECT_EQ(marks(best_.sources), "00_h_a: mine\n01_m: expert\n02_s: expert\n");
  EXPECT_EQ(best_.set.subjects.back().bundle.files, best_.sources.files);
  EXPECT_TRUE(best_.set.has_strange_steps);
}

TEST_F(Texts, OfAGroupBecomeAStep) {
  const TextPlace place = place_for(task_, best_, {"a", "m"}).value();
  ASSERT_TRUE(place.contract.has_value());
  EXPECT_EQ(place.replaced, (std::vector<std::string>{"00_h_a", "01_m"}));
  const Candidate candidate = adopt({"a", "m"}, text_of("joined"));
  EXPECT_EQ(key_of_step(best_.plan, *candidate.step), place.step);
  EXPECT_EQ(marks(best_.sources), "00_h: expert\n01_a_m: joined\n02_s: expert\n");
  EXPECT_EQ(candidate.steps.at(0).before, "") << "cut anew, without its activation";
  EXPECT_TRUE(candidate.steps.at(1).is_tried);
  EXPECT_EQ(candidate.steps.at(2).before, "02_s");
  const TextPlace again = place_for(task_, best_, {"m", "a"}).value();
  EXPECT_FALSE(again.own.has_value()) << "behind the same contract when it is bettered";
  EXPECT_EQ(again.step, place.step);
}

TEST_F(Texts, ThatShareNoNodeWithALaterOneStay) {
  adopt({"s"}, text_of("softmax"));
  const Candidate candidate = adopt({"a", "m"}, text_of("joined"));
  EXPECT_EQ(marks(best_.sources), "00_h: expert\n01_a_m: joined\n02_s: softmax\n");
  EXPECT_EQ(candidate.steps.at(2).before, "02_s");
  adopt({"h"}, text_of("product"));
  EXPECT_EQ(marks(best_.sources), "00_h: product\n01_a_m: joined\n02_s: softmax\n");
}

// A group takes a whole text over where it takes a node of it: what is left is the expert's again.
TEST_F(Texts, ThatShareANodeWithALaterOneGo) {
  adopt({"a", "m"}, text_of("joined"));
  const Candidate candidate = adopt({"m", "s"}, text_of("other"));
  EXPECT_EQ(marks(best_.sources), "00_h_a: expert\n01_m_s: other\n");
  EXPECT_EQ(best_.plan.boundaries.size(), 1U);
  EXPECT_EQ(candidate.steps.at(0).before, "");
}

TEST_F(Texts, OfAStepWhoseFileFollowsFromTheSizesStandBehindTheContract) {
  best_.set.subjects.back().bundle.files["steps/01_m.cu"] += "// another tile\n";
  const TextPlace place = place_for(task_, best_, {"m"}).value();
  EXPECT_FALSE(place.own.has_value());
  EXPECT_EQ(place.nodes, std::vector<std::string>{"m"});
  EXPECT_EQ(place.step, "01_m");
}

// What was built for the program serves the step alone, and the other way round.
TEST_F(Texts, AStepAloneHasTheFileThatItHasInTheProgram) {
  adopt({"m"}, text_of("mine"));
  const Subject& whole = best_.set.subjects.front();
  for (const int step : {0, 1}) {
    const std::string file = codegen::step_file_name(whole.plan, static_cast<size_t>(step));
    const StepSubject alone = step_subject(job_, whole, step).value();
    EXPECT_EQ(alone.bundle.units.front(), file);
    EXPECT_EQ(alone.bundle.files.at(file), whole.bundle.files.at(file));
    EXPECT_NE(alone.bundle.files.at("program.cu").find(fmt::format(".function = step_{:02},", step)),
              std::string::npos);
    EXPECT_EQ(alone.emitted.contains(file), step == 0);
    EXPECT_TRUE(alone.emitted.contains("program.cu"));
  }
}

TEST_F(Texts, LeaveTheOtherFilesTheEmitters) {
  const auto strange = [&] {
    std::string files;
    for (const Subject& subject : best_.set.subjects) {
      for (const std::string& unit : subject.bundle.units) {
        files += subject.emitted.contains(unit) ? "" : unit + " ";
      }
    }
    return files;
  };
  adopt({"h", "a"}, text_of("mine"));
  EXPECT_EQ(strange(), "steps/00_h_a.cu steps/00_h_a.cu ");
  adopt({"a", "m"}, text_of("joined"));
  EXPECT_EQ(strange(), "steps/01_a_m.cu steps/01_a_m.cu ");
  best_.sources.files["runtime/include/stitch/step.h"] += "// other\n";
  best_.set.subjects.front().bundle = best_.sources;
  adopt({"s"}, text_of("softmax"));
  EXPECT_TRUE(best_.set.subjects.front().emitted.empty()) << "any unit may include what is not as it was";
}

TEST_F(Texts, ThatAreNoneAreASentence) {
  EXPECT_EQ(std::get<NoCandidate>(tried({"a", "m"}, "int main() {}")).why,
            "the code of a written step defines no function step_NN");
  EXPECT_EQ(std::get<NoCandidate>(tried({"m"}, "int main() {}")).why,
            "the code of a written step defines no function step_NN");
  EXPECT_NE(place_for(task_, best_, {"h", "s"}).error().message.find("must be convex"), std::string::npos);
}

}  // namespace
}  // namespace stitch::driver
