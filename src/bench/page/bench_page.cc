// SPDX-License-Identifier: Apache-2.0
#include "bench/page/bench_page.h"

#include <fmt/format.h>

#include <set>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "report/folder/read_texts.h"
#include "report/page/page.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

// What optimize left of a task.
fs::path page_of(const TaskResult& result) { return fs::path(result.out) / "report.html"; }

// An answer that somebody had already, beside the page of its run: as text, which a browser shows and never runs.
fs::path code_of(const TaskResult& result) {
  return fs::path("answers") / (fs::path(result.out).filename().string() + ".txt");
}

// `has_page` says whether a task's own report lies at its place beside the page, `has_code` whether that file does.
template <typename HasPage, typename HasCode>
Json run_json(const BenchReport& report, const std::string& page, const HasPage& has_page, const HasCode& has_code) {
  Json tasks = Json::array();
  for (const TaskResult& result : report.results) {
    Json task = to_json(result);
    task["page"] = has_page(result) ? Json(page_of(result).generic_string()) : Json();
    task["code"] = has_code(code_of(result)) ? Json(code_of(result).generic_string()) : Json();
    tasks.push_back(std::move(task));
  }
  Json json = {{"id", report.spec.id}, {"suite", report.spec.suite}, {"conditions", report.spec.conditions}};
  json["page"] = page.empty() ? Json() : Json(page);
  json["figures"] = to_json(report.figures);
  json["published"] = to_json(report.published);
  json["tasks"] = std::move(tasks);
  return json;
}

std::string conditions_text(const BenchReport& report) {
  std::string text;
  for (const auto& [name, value] : report.spec.conditions) {
    text += (text.empty() ? "" : ", ") + fmt::format("{} {}", name, value);
  }
  return text;
}

Json page_json(const std::string& name, const std::string& verdict, const std::string& time, const std::string& limits,
               Json runs) {
  Json json = {{"schema", "stitchcuda.bench_page/1"}, {"name", name}};
  json["headline"] = {{"standing", "verified"}, {"verdict", verdict}, {"time", time}, {"limits", limits}};
  json["runs"] = std::move(runs);
  return json;
}

std::string verdict_of(const BenchReport& report) {
  return report.figures.groups.empty()
             ? "No sound task has ended."
             : fmt::format("{} of {} sound tasks right.", describe_percent(report.figures.groups.front().success),
                           report.figures.groups.front().tasks);
}

std::string limits_of(const BenchReport& report) {
  const bool is_measured = !report.figures.groups.empty() && !report.figures.groups.front().over.empty();
  std::string text = is_measured ? "" : "Nothing was measured: times here are modelled.";
  return report.left > 0 ? text + fmt::format(" {} samples have not run.", report.left) : text;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Result<void> write_page(const report::PageAssets& assets, const Json& data, const fs::path& file) {
  STITCH_ASSIGN(const std::string page, report::fill_page(assets, data));
  return write_file(file, page);
}

Result<void> write_run(const BenchReport& report, const report::PageAssets& assets, const fs::path& file) {
  const auto has_page = [&](const TaskResult& result) {
    return report.spec.candidates.empty() && is_file(file.parent_path() / page_of(result));
  };
  const auto has_code = [&](const fs::path& code) { return is_file(file.parent_path() / code); };
  const std::string name = fmt::format("{}, {}", report.spec.suite, report.spec.id);
  return write_page(assets,
                    page_json(name, verdict_of(report), conditions_text(report), limits_of(report),
                              Json::array({run_json(report, "", has_page, has_code)})),
                    file);
}

Result<void> copy_file_to(const fs::path& from, const fs::path& to) {
  STITCH_ASSIGN(const std::string text, read_file(from));
  return write_file(to, text);
}

// What a task's cell opens to: its own report, or the answer's code.
Result<void> copy_task_pages(const BenchReport& report, const fs::path& to) {
  for (const TaskResult& result : report.results) {
    const fs::path page = report.folder / page_of(result);
    if (report.spec.candidates.empty() && is_file(page)) {
      STITCH_TRY(copy_file_to(page, to / page_of(result)));
    } else if (!report.spec.candidates.empty() && fs::path(result.out).extension() == ".py" && is_file(result.out)) {
      STITCH_TRY(copy_file_to(result.out, to / code_of(result)));
    }
  }
  return {};
}

}  // namespace

Result<void> write_run_page(const BenchReport& report, const fs::path& assets) {
  STITCH_ASSIGN(const report::PageAssets parts, report::read_bench_assets(assets));
  return write_run(report, parts, RunFolder(report.folder).report());
}

Result<void> write_leaderboard(const std::vector<BenchReport>& reports, const fs::path& assets, const fs::path& out) {
  STITCH_ASSIGN(const report::PageAssets parts, report::read_bench_assets(assets));
  Json runs = Json::array();
  std::set<std::string> ids;
  for (const BenchReport& report : reports) {
    if (!ids.insert(report.spec.id).second) {
      return failure(ErrorCode::kUsage, fmt::format("two runs are called {}", report.spec.id), "",
                     "name each run once, and give folders of runs names of their own");
    }
    const std::string page = fmt::format("runs/{}/index.html", report.spec.id);
    STITCH_TRY(copy_task_pages(report, (out / page).parent_path()));
    STITCH_TRY(write_run(report, parts, out / page));
    Json run = run_json(report, page, [](const TaskResult&) { return false; }, [](const fs::path&) { return false; });
    const fs::path own = fs::path(page).parent_path();
    for (size_t i = 0; i < report.results.size(); ++i) {
      const bool is_ours = report.spec.candidates.empty();
      const fs::path path = own / (is_ours ? page_of(report.results[i]) : code_of(report.results[i]));
      run["tasks"][i][is_ours ? "page" : "code"] = is_file(out / path) ? Json(path.generic_string()) : Json();
    }
    runs.push_back(std::move(run));
  }
  return write_page(parts,
                    page_json("Leaderboard", fmt::format("{} runs beside each other.", reports.size()), "",
                              "Times of different devices, modes or baselines do not compare.", std::move(runs)),
                    out / "index.html");
}

}  // namespace stitch::bench
