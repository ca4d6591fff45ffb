// SPDX-License-Identifier: Apache-2.0
// Emitted steps, to the letter; and what must hold of all emitted text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "base/fs/files.h"
#include "base/testing/case_file.h"
#include "codegen/emit.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/parser.h"

namespace stitch::codegen {
namespace {

EmitOptions options() { return {std::string(STITCH_SOURCE_DIR) + "/runtime"}; }

Result<plan::Plan> planned(const std::string& program, const plan::PlanOptions& plan_options = {}) {
  STITCH_ASSIGN(const ir::Graph graph, ir::parse(program, "case"));
  return plan::make_plan(graph, plan_options);
}

// "run: step 0", perhaps "run: step 0, tf32 by libraries".
plan::PlanOptions plan_options_of(const testing::CaseFile& file) {
  const auto asks = [&](const char* word) { return file.run.find(word) != std::string::npos; };
  plan::PlanOptions wanted;
  wanted.math = asks("tf32") ? MathMode::kTf32 : MathMode::kFp32;
  wanted.libraries = asks("by libraries") ? plan::Libraries::kOn : plan::Libraries::kAuto;
  return wanted;
}

Result<SourceBundle> emitted(const std::string& program, const plan::PlanOptions& plan_options = {}) {
  STITCH_ASSIGN(const plan::Plan plan, planned(program, plan_options));
  return emit(plan, options());
}

// Of "run: step 3".
std::string step_asked(const SourceBundle& bundle, const std::string& run) {
  const int number = std::stoi(run.substr(run.find_first_of("0123456789")));
  return bundle.files.lower_bound(fmt::format("steps/{:02}_", number))->second;
}

class EmitCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(EmitCase, WritesTheExpectedStep) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto bundle = emitted(file->input, plan_options_of(*file));
  ASSERT_TRUE(bundle.has_value()) << bundle.error().message << " at " << bundle.error().location;
  const std::string step = step_asked(*bundle, file->run);
  EXPECT_TRUE(testing::agrees(*file, step)) << "got:\n" << step;
}

TEST_P(EmitCase, KeepsToTheStyle) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value());
  const auto bundle = emitted(file->input, plan_options_of(*file));
  ASSERT_TRUE(bundle.has_value());
  for (const auto& [path, text] : bundle->files) {
    if (path.rfind("runtime/", 0) == 0) {
      continue;
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 120U) << path << ": " << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << path << ": blank at the end of '" << line << "'";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EmitCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/codegen/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

// Three products of fp16 parts, 2 * 2048^3 operations each, outlast 48 MiB; 4 numbers take less than the launch does.
TEST(Emit, ProgramSaysWhatBoundsEachStep) {
  const auto large = emitted(
      "graph large mode=eval\nx: f32[2048,2048] = input \"x\"\nw: f32[2048,2048] = parameter \"w\"\n"
      "y = linear(x, w, none)\nreturn output \"0\" = y\n");
  ASSERT_TRUE(large.has_value()) << large.error().message;
  const std::string& text = large->files.at("program.cu");
  EXPECT_NE(text.find("// Step 0, y: 51.5 GFLOP, 50.3 MB, "), std::string::npos) << text;
  EXPECT_NE(text.find("bound by arithmetic on the tensor cores.\n// Setting fp16x3_"), std::string::npos) << text;
  const auto small = emitted("graph small mode=eval\nx: f32[4] = input \"x\"\ny = exp(x)\nreturn output \"0\" = y\n");
  ASSERT_TRUE(small.has_value()) << small.error().message;
  EXPECT_NE(small->files.at("program.cu").find("2.0 us by the limits of H200, bound by launching."), std::string::npos)
      << small->files.at("program.cu");
}

// Every extent is a member of one struct, read as extents.NAME.
void expect_no_unused_extent(const std::string& path, const std::string& text) {
  const size_t begin = text.find("struct Extents {");
  if (begin == std::string::npos) {
    return;
  }
  const std::string members = text.substr(begin, text.find("};", begin) - begin);
  const std::regex member("int64_t (\\w+);");
  int count = 0;
  for (auto at = std::sregex_iterator(members.begin(), members.end(), member); at != std::sregex_iterator(); ++at) {
    EXPECT_TRUE(std::regex_search(text, std::regex("\\bextents\\." + (*at)[1].str() + "\\b")))
        << path << " declares " << (*at)[1] << " and does not use it";
    ++count;
  }
  EXPECT_GT(count, 0) << path;
}

// Every name that a step declares (constants, tensors, extents) is used in it too.
void expect_no_unused_name(const std::string& path, const std::string& text) {
  const std::regex name("\\bk[A-Z][A-Za-z0-9_]*\\b");
  std::map<std::string, int> uses;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), name); at != std::sregex_iterator(); ++at) {
    ++uses[at->str()];
  }
  for (const auto& [word, count] : uses) {
    const bool is_declared =
        std::regex_search(text, std::regex("(\\n  " + word + ",|constexpr [a-z0-9_]+ " + word + " =)"));
    EXPECT_TRUE(!is_declared || count > 1) << path << " declares " << word << " and does not use it";
  }
  expect_no_unused_extent(path, text);
}

// Counts the steps of the program.
int expect_no_unused_names(const std::string& program) {
  const auto bundle = emitted(program);
  EXPECT_TRUE(bundle.has_value()) << bundle.error().message << " of\n" << program;
  int steps = 0;
  for (const auto& [path, text] : bundle.has_value() ? bundle->files : std::map<std::string, std::string>{}) {
    if (path.rfind("steps/", 0) == 0) {
      expect_no_unused_name(path, text);
      ++steps;
    }
  }
  return steps;
}

TEST(Emit, NothingIsDeclaredInVain) {
  const std::string folder = std::string(STITCH_SOURCE_DIR) + "/src/plan/testdata/operators";
  int steps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto program = read_file(entry.path());
    ASSERT_TRUE(program.has_value());
    steps += expect_no_unused_names(*program);
  }
  EXPECT_GT(steps, 80);
}

// Programs with empty tensors are not taken.
bool has_empty_tensor(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.type.element_count() == 0; });
}

// No program has to be written for a pointwise operator: its cases are.
TEST(Emit, NothingIsDeclaredInVainOfPointwiseOperators) {
  int steps = 0;
  for (const ir::Op op : ir::all_ops()) {
    if (ir::find_op(op)->family != ir::OpFamily::kPointwise) {
      continue;
    }
    const auto cases =
        testing::read_cases(std::string(STITCH_SOURCE_DIR) + "/src/ir/testdata/ops/" + to_string(op) + ".case");
    ASSERT_TRUE(cases.has_value()) << cases.error().message;
    for (const testing::CaseFile& one : *cases) {
      const auto graph = ir::parse(one.input, "case");
      const bool is_program = one.expected.rfind("refused: ", 0) != 0 && graph.has_value() && !has_empty_tensor(*graph);
      steps += is_program ? expect_no_unused_names(one.input) : 0;
    }
  }
  EXPECT_GT(steps, 150);
}

// A program with `batch` and `width` in place of {B} and {W}.
std::string at_size(std::string program, int batch, int width) {
  program = std::regex_replace(program, std::regex("\\{B\\}"), std::to_string(batch));
  program = std::regex_replace(program, std::regex("\\{W\\}"), std::to_string(width));
  return std::regex_replace(program, std::regex("\\{BW\\}"), std::to_string(batch * width));
}

constexpr const char* kManySkeletons = R"(graph g mode=train
x: f32[{B},6,{W},{W}] = input "x"
w: f32[8,6,3,3] = parameter "w"
b: f32[8] = parameter "b"
m: f32[8] = state "m"
v: f32[8] = state "v"
c = conv2d(x, w, b; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)
y, ym, yd, nm, nv = batch_norm(c, none, none, m, v; training=true, momentum=0.1, eps=1e-05)
r = relu(y)
p = max_pool2d(r; kernel_size=[2,2], stride=[1,1], padding=[0,0], dilation=[1,1], ceil_mode=false)
f = mean(p; dim=[2,3], keepdim=false)
s = softmax(f; dim=1)
q: f32[{B},{W},64] = input "q"
bars: b8[{W},{W}] = input "bars"
qh = reshape(q; shape=[{B},{W},4,16])
qt = permute(qh; dims=[0,2,1,3])
o = scaled_dot_product_attention(qt, qt, qt, none; is_causal=true, scale=0.25, enable_gqa=false)
oa = softmax_attention(qt, qt, qt, none, bars; scale=0.25, fill=-inf)
ot = permute(o; dims=[0,2,1,3])
oh = reshape(ot; shape=[{BW},64])
n = layer_norm(oh, none, none; normalized_shape=[64], eps=1e-05)
d = cat(n, oh; dim=1)
return output "0" = s, output "1" = d, output "2" = oa, state "m" = nm, state "v" = nv
)";

TEST(Emit, StepsSayNothingOfSizes) {
  const auto plan = planned(at_size(kManySkeletons, 3, 21));
  ASSERT_TRUE(plan.has_value()) << plan.error().message << " at " << plan.error().location;
  const auto one = emit(*plan, options());
  const auto other_plan = planned(at_size(kManySkeletons, 5, 19), {.like = &*plan});  // with the settings of the first
  ASSERT_TRUE(other_plan.has_value()) << other_plan.error().message;
  const auto other = emit(*other_plan, options());
  int steps = 0;
  for (const auto& [path, text] : one->files) {
    if (path.rfind("steps/", 0) == 0) {
      ASSERT_EQ(other->files.count(path), 1U) << path;
      EXPECT_EQ(text, other->files.at(path)) << path;
      ++steps;
    }
  }
  EXPECT_GE(steps, 7);
  EXPECT_NE(one->files.at("program.cu"), other->files.at("program.cu"));
}

TEST(Emit, SameProgramSameText) {
  const auto one = emitted(at_size(kManySkeletons, 3, 21));
  const auto again = emitted(at_size(kManySkeletons, 3, 21));
  EXPECT_EQ(one->files, again->files);
}

TEST(Emit, BundleIsWhole) {
  const auto bundle = emitted(at_size(kManySkeletons, 3, 21));
  ASSERT_TRUE(bundle.has_value());
  for (const std::string& unit : bundle->units) {
    EXPECT_EQ(bundle->files.count(unit), 1U) << unit;
  }
  for (const char* file : {"program.cu", "program.h", "CMakeLists.txt", "runtime/include/stitch_program.h",
                           "runtime/include/stitch/step.h", "runtime/host/program.cc"}) {
    EXPECT_EQ(bundle->files.count(file), 1U) << file;
  }
}

TEST(Emit, MissingRuntimeIsASentence) {
  const auto graph = ir::parse(at_size(kManySkeletons, 3, 21), "case");
  const auto plan = plan::make_plan(*graph, {});
  const auto bundle = emit(*plan, {"/nowhere/runtime"});
  ASSERT_FALSE(bundle.has_value());
  EXPECT_FALSE(bundle.error().message.empty());
}

}  // namespace
}  // namespace stitch::codegen
