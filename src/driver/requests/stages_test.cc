// SPDX-License-Identifier: Apache-2.0
// What a face without a command line can ask: plain values in, reports out, told to whoever watches.
#include "driver/requests/stages.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraph = R"(graph scaled mode=eval
x: f32[4,6] = input "x"
w: f32[8,6] = parameter "w"
h: f32[4,8] = linear(x, w, none)
r: f32[4,8] = relu(h)
return output "0" = r
--- batch fixed: it is
)";

class Heard final : public Progress {
 public:
  std::vector<std::string> all;

  void fact(const std::string& stage, const std::string& message) override { all.push_back(stage + ": " + message); }

 private:
  int begin(const std::string& stage, const std::string& message) override {
    all.push_back("begin " + stage + ": " + message);
    return 7;
  }
  void say(int id, const std::string& stage, const std::string& message) override {
    all.push_back(std::to_string(id) + " " + stage + ": " + message);
  }
  void hint(int id, const std::string& stage, const std::string& message) override { say(id, stage, message); }
  void end(int id) override { all.push_back("end " + std::to_string(id)); }
};

class Stages : public ::testing::Test {
 protected:
  Stages() : folder_(std::move(TemporaryDirectory::make("stitchcuda-stages-test")).value()) {
    EXPECT_TRUE(write_file(folder_.path() / "graph.ir", kGraph).has_value());
  }

  Services services() { return {{.root = STITCH_SOURCE_DIR, .programs = {}, .python = {}}, heard_}; }

  Result<plan::Plan> planned(Options options = {}) {
    return plan_stage({folder_.path() / "graph.ir", MathMode::kFp32, std::move(options)}, services());
  }

  TemporaryDirectory folder_;
  Heard heard_;
};

TEST_F(Stages, PlanReadsTheImportsText) {
  const Result<plan::Plan> made = planned();
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->graph.name, "scaled");
  EXPECT_EQ(made->steps.size(), 1u);
}

TEST_F(Stages, PlanIsForTheFirstTarget) {
  Options options;
  options.targets = {"sm_80", "sm_90a"};
  const Result<plan::Plan> made = planned(options);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->device, "A100");
  EXPECT_NE(planned()->device, made->device);
}

TEST_F(Stages, PlanOfAFileThatIsNoneSaysWhichOneAndWhatToDo) {
  const fs::path other = folder_.path() / "other.ir";
  ASSERT_TRUE(write_file(other, "no graph").has_value());
  const Result<plan::Plan> made = plan_stage({other, MathMode::kFp32, {}}, services());
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().location.find("other.ir"), std::string::npos) << made.error().location;
  EXPECT_EQ(made.error().remedy, "make it again with `stitchcuda import`");
}

TEST_F(Stages, EmitWritesTheProject) {
  const fs::path plan = folder_.path() / "plan.json";
  ASSERT_TRUE(write_file(plan, plan::to_json(*planned()).dump(1) + "\n").has_value());
  EmitRequest request;
  request.plan = plan;
  request.out = folder_.path() / "out";
  const Result<EmitReport> made = emit_stage(request, services());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->bundle.name, "scaled");
  for (const auto& [name, text] : made->bundle.files) {
    const Result<std::string> written = read_file(request.out / name);
    ASSERT_TRUE(written.has_value()) << name;
    EXPECT_EQ(*written, text) << name;
  }
  EXPECT_EQ(read_file(request.out / "plan.json").value(), read_file(plan).value());
}

TEST_F(Stages, EmitLeavesAFolderOfTheUsersOwnAlone) {
  const fs::path plan = folder_.path() / "plan.json";
  ASSERT_TRUE(write_file(plan, plan::to_json(*planned()).dump(1) + "\n").has_value());
  ASSERT_TRUE(write_file(folder_.path() / "mine" / "notes.txt", "mine").has_value());
  EmitRequest request;
  request.plan = plan;
  request.out = folder_.path() / "mine";
  EXPECT_FALSE(emit_stage(request, services()).has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(request.out), fs::directory_iterator()), 1);
}

TEST(Progress, AWaitEndsOnceWhereverItWasMovedTo) {
  Heard heard;
  {
    Progress::Wait first = heard.wait("build", "two files");
    first.say("one of two");
    const Progress::Wait second = std::move(first);
  }
  EXPECT_EQ(heard.all, (std::vector<std::string>{"begin build: two files", "7 build: one of two", "end 7"}));
}

}  // namespace
}  // namespace stitch::driver
