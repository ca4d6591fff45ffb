// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "ir/text/parser.h"
#include "plan/plan.h"
#include "report/data/report_data.h"
#include "report/folder/read_texts.h"

namespace stitch::report {
namespace {

constexpr const char* kProgram =
    "graph small mode=eval\n"
    "w: f32[64,32] = parameter \"fc.weight\"\n"
    "x: f32[16,32] = input \"x\"\n"
    "h: f32[16,64] = linear(x, w, none)  @ model.py:5\n"
    "a: f32[16,64] = relu(h)  @ model.py:6\n"
    "return output \"0\" = a\n";

FolderTexts folder_of(const std::string& graph) {
  const Result<ir::Graph> parsed = ir::parse(graph, "graph.ir");
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  const Result<plan::Plan> plan = plan::make_plan(*parsed, {});
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  FolderTexts folder = {{"graph.ir", graph}, {"plan.json", plan::to_json(*plan).dump()}};
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    folder[fmt::format("steps/{:02}_{}.cu", i, plan->steps[i].name)] = fmt::format("// step {}\n", i);
  }
  return folder;
}

// A chain of `count` pointwise operators with a product between any two, so that as many steps come of it.
std::string long_program(int count) {
  std::string text = "graph long_one mode=eval\nw: f32[32,32] = parameter \"w\"\nx0: f32[16,32] = input \"x\"\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("y{0}: f32[16,32] = linear(x{0}, w, none)  @ long_model.py:{1}\n", i, i + 10);
    text += fmt::format("x{}: f32[16,32] = relu(y{})  @ long_model.py:{}\n", i + 1, i, i + 10);
  }
  return text + fmt::format("return output \"0\" = x{}\n", count);
}

PageAssets assets() {
  const Result<PageAssets> found = read_assets(STITCH_SOURCE_DIR "/report");
  EXPECT_TRUE(found.has_value()) << found.error().message;
  return *found;
}

// What a browser would hand to JSON.parse: the text of the element, up to the first thing that could end it.
Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find('<', from) - from), nullptr, false);
}

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Report, HoldsGraphPlanAndCode) {
  const Result<Json> data = report_data(folder_of(kProgram));
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_EQ((*data)["before"]["nodes"].size(), 2U);
  EXPECT_EQ((*data)["before"]["nodes"][1]["place"], "model.py:6");
  EXPECT_EQ((*data)["before"]["nodes"][0]["in"], Json::parse("[-2, -1]"));
  ASSERT_EQ((*data)["steps"].size(), 1U);
  const Json& step = (*data)["steps"][0];
  EXPECT_EQ(step["code"], "// step 0\n");
  EXPECT_EQ(step["author"], "unknown");  // no digests to compare with
  EXPECT_NEAR(step["floor_us"].get<double>() + 2 * step["launches"].get<int>(), step["modelled_us"].get<double>(),
              1e-9);
  EXPECT_TRUE(step["measured_us"].is_null());
}

TEST(Report, KnowsAnEditedStepByItsDigest) {
  FolderTexts folder = folder_of(kProgram);
  const Result<Json> names = report_data(folder);
  ASSERT_TRUE(names.has_value());
  const std::string file = (*names)["steps"][0]["file"];
  folder["evidence/digests.json"] = Json{{file, sha256_hex("// step 0\n")}}.dump();
  EXPECT_EQ((*report_data(folder))["steps"][0]["author"], "expert");
  folder[file] += "// faster\n";
  EXPECT_EQ((*report_data(folder))["steps"][0]["author"], "edited by hand");
}

TEST(Report, MeasuredTimesAreThoseThatWereWritten) {
  FolderTexts folder = folder_of(kProgram);
  Json plan = Json::parse(folder["plan.json"]);
  plan["steps"][0]["measured_us"] = 12.5;
  plan["steps"][0]["alternatives"] =
      Json::parse(R"([{"setting": {"variant": "other", "splits": 4}, "estimated_us": 3.5, "measured_us": 13.5}, 7])");
  folder["plan.json"] = plan.dump();
  const Result<Json> data = report_data(folder);
  ASSERT_TRUE(data.has_value()) << data.error().message;
  const Json& step = (*data)["steps"][0];
  EXPECT_EQ(step["measured_us"], 12.5);
  ASSERT_EQ(step["alternatives"].size(), 1U);
  EXPECT_EQ(step["alternatives"][0]["setting"], "other x4");
  EXPECT_EQ(step["alternatives"][0]["measured_us"], 13.5);
}

TEST(Report, SaysWhatIsMissing) {
  const FolderTexts whole = folder_of(kProgram);
  const Result<Json> data = report_data({{"plan.json", whole.at("plan.json")}});
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_TRUE((*data)["before"].is_null());
  EXPECT_TRUE((*data)["steps"][0]["code"].is_null());
  EXPECT_EQ((*data)["headline"]["standing"], "unjudged");
  std::string notes;
  for (const Json& note : (*data)["notes"]) {
    notes += note.get<std::string>() + "\n";
  }
  for (const char* file : {"graph.ir", "task.json", "evidence/verify.json", "evidence/command.json"}) {
    EXPECT_NE(notes.find(file), std::string::npos) << file;
  }
}

TEST(Report, CutEvidenceIsANoteAndNoFailure) {
  FolderTexts folder = folder_of(kProgram);
  folder["evidence/verify.json"] = "{\"verdict\": {\"kind\": \"o";
  folder["evidence/result.json"] = "[1, 2]";
  folder["graph.ir"] = folder["graph.ir"].substr(0, 60);
  const Result<Json> data = report_data(folder);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ((*data)["headline"]["standing"], "unjudged");
  EXPECT_GE((*data)["notes"].size(), 3U);
}

TEST(Report, NeedsAPlan) {
  const Result<std::string> page = render_report({{"graph.ir", kProgram}}, assets());
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().code, ErrorCode::kFileInvalid);
  EXPECT_EQ(page.error().message, "the folder has no plan.json");
}

TEST(Report, HeadlineNamesVerdictTimeAndLimits) {
  FolderTexts folder = folder_of(kProgram);
  folder["evidence/verify.json"] =
      R"({"verdict": {"kind": "ok", "reason": ""}, "error_ratio": 0.97, "draws": 28, "shapes": ["a", "b"]})";
  folder["evidence/result.json"] = R"({"device": "emulated", "scale": "small", "nvcc": "nvcc took all 6 files"})";
  const Json emulated = (*report_data(folder))["headline"];
  EXPECT_EQ(
      emulated["verdict"],
      "Verified in 28 draws at 2 shapes: largest error 0.97 times the reference\u2019s own, where 4 is accepted.");
  EXPECT_NE(emulated["time"].get<std::string>().find("not a measurement"), std::string::npos);
  EXPECT_EQ(emulated["limits"], "Judged on CUDA emulated on a CPU, at reduced sizes; no GPU ran it.");

  folder["evidence/result.json"] =
      R"({"device": "gpu", "scale": "full", "measured": {"plain_us": 9.1, "graph_us": 7.2,
          "baseline": {"name": "eager", "us": 25.4, "speedup": 3.5, "low": 3.4, "high": 3.625, "refusal": ""}}})";
  const Json measured = (*report_data(folder))["headline"];
  EXPECT_TRUE(measured["time"].get<std::string>().starts_with("7.2 \u00b5s measured with a CUDA graph"));
  EXPECT_TRUE(measured["time"].get<std::string>().ends_with(
      " 3.50 times as fast as PyTorch eager (3.40 to 3.62), which takes 25.4 \u00b5s."));
  EXPECT_EQ(measured["limits"], "");

  folder["evidence/result.json"] =
      R"({"device": "gpu", "times_by": "the shipped database for NVIDIA H200: times of 2"})";
  EXPECT_TRUE((*report_data(folder))["headline"]["time"].get<std::string>().ends_with(
      " Settings chosen by the shipped database for NVIDIA H200: times of 2."));

  folder["evidence/verify.json"] = R"({"verdict": {"kind": "wrong", "reason": "output 0 is off"}})";
  EXPECT_EQ((*report_data(folder))["headline"]["verdict"], "Not verified (wrong): output 0 is off.");
}

TEST(Report, StrangersTextsCannotLeaveTheirPlace) {
  const std::string attack =
      "</script><script>alert(1)</script><!-- <script> -->\u2028&amp;'\"`<img src=x onerror=alert(2)>";
  FolderTexts folder = folder_of(kProgram);
  const std::string quiet = *render_report(folder, assets());
  folder["evidence/program/model.py"] = attack;
  folder["evidence/result.json"] = Json{{"device", attack}, {"scale", attack}, {"nvcc", "not " + attack}}.dump();
  folder["evidence/verify.json"] = Json{{"verdict", {{"kind", "wrong"}, {"reason", attack}}}}.dump();
  folder["steps/00_" + (*report_data(folder))["steps"][0]["name"].get<std::string>() + ".cu"] = attack;
  const Result<std::string> page = render_report(folder, assets());
  ASSERT_TRUE(page.has_value());
  for (const char* word : {"</script", "<script", "<!--", "<img"}) {
    EXPECT_EQ(count_of(*page, word), count_of(quiet, word)) << word;
  }
  EXPECT_EQ(data_of(*page)["evidence"]["program"]["model.py"], attack);
  EXPECT_EQ(data_of(*page)["steps"][0]["code"], attack);
}

TEST(Report, BytesThatAreNoUtf8AreReplaced) {
  FolderTexts folder = folder_of(kProgram);
  folder["evidence/program/model.py"] = "# caf\xe9 \xff\xfe\n";
  const Result<std::string> page = render_report(folder, assets());
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(data_of(*page)["evidence"]["program"]["model.py"], "# caf\ufffd \ufffd\ufffd\n");
}

TEST(Report, PlaceholdersInsideTextsStayTexts) {
  FolderTexts folder = folder_of(kProgram);
  folder["evidence/program/model.py"] = "# <!-- data --> <!-- style -->";
  const Result<std::string> page = render_report(folder, assets());
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(count_of(*page, "id=\"data\""), 1U);
}

TEST(Report, HundredsOfStepsFitAndSaySoWhereTheyAreCut) {
  FolderTexts folder = folder_of(long_program(300));
  for (auto& [name, text] : folder) {
    if (name.starts_with("steps/")) {
      text.append(6000, 'x');
    }
  }
  const Result<std::string> page = render_report(folder, assets());
  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_LE(page->size(), kMaxPageBytes);
  const Json data = data_of(*page);
  EXPECT_GE(data["steps"].size(), 300U);
  EXPECT_EQ(data["before"]["nodes"].size(), 600U);
}

TEST(Report, EveryLimitIsKeptAndExplained) {
  const FolderTexts folder = folder_of(long_program(60));
  const PageAssets all = assets();
  const size_t whole = render_report(folder, all)->size();
  const size_t own = all.page.size() + all.style.size() + all.scripts.size() + all.licences.size();
  size_t last = whole;
  for (const size_t limit : {whole - 1, own + 120'000, own + 90'000}) {
    const Result<std::string> page = render_report(folder, all, limit);
    ASSERT_TRUE(page.has_value()) << limit << ": " << page.error().message;
    EXPECT_LE(page->size(), limit);
    EXPECT_LE(page->size(), last);
    last = page->size();
    EXPECT_NE(data_of(*page)["notes"].dump().find("to keep this page small"), std::string::npos);
  }
  EXPECT_FALSE(render_report(folder, all, 1000).has_value());
}

TEST(Report, WithoutLibrariesItSaysSo) {
  PageAssets bare = assets();
  bare.chart.clear();
  bare.highlight.clear();
  const Result<std::string> page = render_report(folder_of(kProgram), bare);
  ASSERT_TRUE(page.has_value());
  const std::string notes = data_of(*page)["notes"].dump();
  EXPECT_NE(notes.find("libjs-chart.js"), std::string::npos);
  EXPECT_NE(notes.find("libjs-highlight.js"), std::string::npos);
}

TEST(Report, AsksNoNetworkForAnything) {
  const PageAssets own = assets();
  for (const std::string* text : {&own.page, &own.style}) {
    EXPECT_EQ(text->find("http:"), std::string::npos);
    EXPECT_EQ(text->find("https:"), std::string::npos);
    EXPECT_EQ(text->find("@import"), std::string::npos);
  }
  EXPECT_NE(own.page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace stitch::report
