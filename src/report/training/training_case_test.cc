// SPDX-License-Identifier: Apache-2.0
// Records of a run (input: "--- STAGE/FILE" begins a file) to what its page tells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "report/folder/read_texts.h"
#include "report/training/training_data.h"
#include "report/training/training_page.h"

namespace stitch::report {
namespace {

std::vector<RunRecords> stages_of(const std::string& text) {
  std::vector<RunRecords> stages;
  std::string* into = nullptr;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("--- ")) {
      into->append(line + "\n");
      continue;
    }
    const size_t slash = line.find('/');
    const std::string name = line.substr(4, slash - 4);
    if (stages.empty() || stages.back().name != name) {
      stages.push_back({.name = name});
    }
    const std::string file = line.substr(slash + 1);
    into = file == "config.json"   ? &stages.back().config
           : file == "costs.jsonl" ? &stages.back().costs
                                   : &stages.back().metrics;
  }
  return stages;
}

std::string points_text(const Json& points) {
  std::string text;
  for (const Json& point : points) {
    text += point[1].is_null() ? " |" : fmt::format(" {:g}:{:.4g}", point[0].get<double>(), point[1].get<double>());
  }
  return text;
}

std::string run_case(const testing::CaseFile& one) {
  const Json data = training_data(stages_of(one.input), std::stoul(one.given.empty() ? "400" : one.given));
  const Json& headline = data["headline"];
  std::string text = fmt::format("{}: {} {}\n", data["name"].get<std::string>(), headline["verdict"].get<std::string>(),
                                 headline["limits"].get<std::string>());
  for (const Json& figure : data["figures"]) {
    text += fmt::format("{} {}, {}\n", figure["name"].get<std::string>(), figure["value"].get<std::string>(),
                        figure["more"].get<std::string>());
  }
  for (const Json& stage : data["stages"]) {
    text += "stage " + stage.dump() + "\n";
  }
  for (const Json& plot : data["plots"]) {
    text += fmt::format("{} ({})\n", plot["title"].get<std::string>(), plot["unit"].get<std::string>());
    for (const Json& curve : plot["curves"]) {
      text += "  " + curve["name"].get<std::string>() + ":" + points_text(curve["points"]) + "\n";
    }
  }
  for (const Json& note : data["notes"]) {
    text += "note: " + note.get<std::string>() + "\n";
  }
  return text;
}

class TrainingCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(TrainingCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, TrainingCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/report/testdata/training")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(TrainingPage, StaysWithinItsSizeAndEndsNoElement) {
  const Result<PageAssets> assets = read_training_assets(STITCH_SOURCE_DIR "/report");
  ASSERT_TRUE(assets.has_value()) << assets.error().message;
  RunRecords run{.name = "</script><b>"};
  for (int step = 1; step <= 3'000; ++step) {
    run.metrics += fmt::format(R"({{"step":{},"reward":0.123456789012,"parts":{{"</script>":0.25,"b":0.5}}}})", step);
    run.metrics += "\n";
  }
  const Result<std::string> whole = render_training_page({run}, *assets);
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  EXPECT_EQ(whole->find("</script><b>"), std::string::npos);
  const Result<std::string> fewer = render_training_page({run}, *assets, whole->size() - 1);
  ASSERT_TRUE(fewer.has_value()) << fewer.error().message;
  EXPECT_LT(fewer->size(), whole->size());
  EXPECT_FALSE(render_training_page({run}, *assets, 1000).has_value());
}

TEST(TrainingPage, OfWhatIsNoRun) {
  const Result<std::vector<RunRecords>> records = read_run_records(STITCH_SOURCE_DIR "/report");
  ASSERT_FALSE(records.has_value());
  EXPECT_EQ(records.error().code, ErrorCode::kFileInvalid);
}

}  // namespace
}  // namespace stitch::report
