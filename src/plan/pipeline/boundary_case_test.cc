// SPDX-License-Identifier: Apache-2.0
// Plans with given boundaries as text. A case's graph is followed by lines that say where they are:
//   boundary: h a                the expert covers these nodes
//   written: h a; own; 4 x:0     code for its own sizes, with 4 bytes of scratch memory for each row of x
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"
#include "plan/batch/run_time_batch.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

constexpr const char* kCode = "extern \"C\" int step_00(const StepArgs*, cudaStream_t) { return 0; }\n";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

ScratchTerm term_of(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  ScratchTerm term{std::stoll(words.at(0)), {}};
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t colon = words[i].find(':');
    term.axes.push_back({words[i].substr(0, colon), std::stoll(words[i].substr(colon + 1))});
  }
  return term;
}

Boundary boundary_of(const std::string& line) {
  const size_t colon = line.find(':');
  std::istringstream parts(line.substr(colon + 1));
  std::string part;
  std::getline(parts, part, ';');
  Boundary boundary{words_of(part), {}, {}, {}};
  if (line.substr(0, colon) == "boundary") {
    return boundary;
  }
  boundary.written = WrittenCode{kCode, HoldsFor::kAnySizes, {}};
  while (std::getline(parts, part, ';')) {
    if (words_of(part).front() == "own") {
      boundary.written->holds_for = HoldsFor::kOwnSizes;
    } else {
      boundary.written->scratch.push_back(term_of(part));
    }
  }
  return boundary;
}

std::vector<Boundary> boundaries_of(const std::string& text) {
  std::vector<Boundary> boundaries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    boundaries.push_back(boundary_of(line));
  }
  return boundaries;
}

// The program at another batch: every extent of 6 in these cases is the batch.
ir::Graph at_batch(std::string text, int64_t batch) {
  for (const char* open : {"[6", ",6", "=[6"}) {
    for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
      const size_t digit = at + std::string(open).size() - 1;
      if (digit + 1 < text.size() && (text[digit + 1] == ',' || text[digit + 1] == ']')) {
        text.replace(digit, 1, std::to_string(batch));
      }
    }
  }
  return ir::parse(text, "case").value();
}

std::string buffers_by_name(const Plan& plan, const std::vector<int>& buffers) {
  std::vector<std::string> list;
  for (const int buffer : buffers) {
    list.push_back(plan.buffers[static_cast<size_t>(buffer)].name);
  }
  return fmt::format("{}", fmt::join(list, " "));
}

std::string steps_and_batch(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    text += fmt::format("{} {} by {}: {} -> {}", step.phase == Phase::kPrepare ? "prepare" : "run", step.name,
                        step.skeleton, buffers_by_name(plan, step.operands), buffers_by_name(plan, step.results));
    if (step.boundary >= 0) {
      text += fmt::format("; extents {}, scratch {} + {} a batch", fmt::join(step.extents, " "), step.scratch_bytes,
                          step.scratch_bytes_per_batch);
    }
    text += "\n";
  }
  return text + (plan.batch.has_value() ? fmt::format("batch {} to {}\n", plan.batch->minimum, plan.batch->maximum)
                                        : fmt::format("batch fixed: {}\n", plan.batch_note));
}

Result<Plan> cut(const testing::CaseFile& file) {
  STITCH_ASSIGN(Plan plan, make_plan(ir::parse(file.input, "case").value(), {}));
  add_run_time_batch(plan, {6, 6, 1, 1 << 20}, {{7, at_batch(file.input, 7)}, {3, at_batch(file.input, 3)}});
  return with_boundaries(plan, boundaries_of(file.given));
}

std::string outcome(const testing::CaseFile& file) {
  const Result<Plan> plan = cut(file);
  if (!plan.has_value()) {
    return fmt::format("refused: {}\n", plan.error().message);
  }
  const Json json = to_json(*plan);
  const Result<Plan> again = from_json(json);
  EXPECT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(!again.has_value() || to_json(*again) == json);
  return steps_and_batch(*plan);
}

class BoundaryCases : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(BoundaryCases, AreCutAsExpected) { EXPECT_EQ(testing::differences(GetParam(), outcome), ""); }

INSTANTIATE_TEST_SUITE_P(All, BoundaryCases,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/boundaries")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

Plan small_plan() {
  return make_plan(ir::parse("graph g mode=eval\nx: f32[6,8] = input \"x\"\ny = exp(x)\nz = sum(y; dim=[1], "
                             "keepdim=false)\nreturn output \"0\" = z\n",
                             "case")
                       .value(),
                   {})
      .value();
}

Boundary written_exp() { return {{"y"}, WrittenCode{kCode, HoldsFor::kAnySizes, {}}, {}, {}}; }

TEST(Boundaries, APlanThatLeavesTheRestToUsIsRead) {
  Json json = to_json(small_plan());
  for (const char* follows : {"steps", "buffers", "arena_bytes", "prepared_bytes", "modelled_us"}) {
    json.erase(follows);
  }
  json["boundaries"] = to_json(std::vector<Boundary>{written_exp()});
  const auto read = from_json(json);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(with_boundaries(small_plan(), {written_exp()}).value()));
}

TEST(Boundaries, TheFirstVersionIsRead) {
  Json json = to_json(small_plan());
  json["schema"] = "stitchcuda.plan/1";
  json.erase("boundaries");
  EXPECT_TRUE(from_json(json).has_value());
  json["steps"][0]["extents"][0] = 7;
  EXPECT_FALSE(from_json(json).has_value());
}

TEST(Boundaries, AlteredOnesAreFound) {
  const Json json = to_json(with_boundaries(small_plan(), {written_exp()}).value());
  const auto refused_with = [&](const std::function<void(Json&)>& change) {
    Json altered = json;
    change(altered);
    const auto read = from_json(altered);
    return read.has_value() ? std::string() : read.error().message;
  };
  Json& (*first)(Json&) = [](Json& whole) -> Json& { return whole["boundaries"][0]; };
  EXPECT_NE(refused_with([&](Json& j) { first(j)["operands"][0] = "y"; }), "");
  EXPECT_NE(refused_with([&](Json& j) { first(j)["nodes"][0] = "z"; }), "");
  EXPECT_NE(refused_with([&](Json& j) { first(j)["written"]["code"] = "int main() {}"; }), "");
  EXPECT_NE(refused_with([&](Json& j) { first(j)["written"]["sizes"] = "some"; }), "");
  EXPECT_NE(refused_with([&](Json& j) { first(j)["written"]["scratch"] = Json::array({{{"bytes", -1}}}); }), "");
  EXPECT_NE(refused_with([&](Json& j) { j["boundaries"] = Json::array(); }), "");
}

TEST(Boundaries, CodeTakesTheNumberOfItsPlace) {
  const auto text =
      renumbered_code("int step_7(int);  // step_70, my_step_7\nint step_7(int) { return step_7(1); }", 12);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "int step_12(int);  // step_70, my_step_7\nint step_12(int) { return step_12(1); }");
  EXPECT_FALSE(renumbered_code("int step_(int); int footstep_3(int); int step_3;", 0).has_value());
}

}  // namespace
}  // namespace stitch::plan
