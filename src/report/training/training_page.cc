// SPDX-License-Identifier: Apache-2.0
#include "report/training/training_page.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "report/folder/read_texts.h"
#include "report/page/page.h"
#include "report/training/training_data.h"

namespace stitch::report {

Result<std::string> render_training_page(const std::vector<RunRecords>& stages, const PageAssets& assets,
                                         size_t max_bytes) {
  for (const size_t most_points : {400, 100, 20}) {
    Json data = training_data(stages, most_points);
    if (assets.chart.empty()) {
      data["notes"].push_back(
          "Chart.js was not found when this page was made: tables stand in for plots. Debian has it as "
          "libjs-chart.js.");
    }
    STITCH_ASSIGN(std::string page, fill_page(assets, data));
    if (page.size() <= max_bytes) {
      return page;
    }
  }
  return failure(ErrorCode::kFileInvalid, fmt::format("the page of the run does not fit {} bytes", max_bytes),
                 "metrics.jsonl", "its names of rewards' parts or outcomes are too many, or too long");
}

Result<void> write_training_page(const std::filesystem::path& run, const std::filesystem::path& own,
                                 const std::filesystem::path& page) {
  STITCH_ASSIGN(const std::vector<RunRecords> stages, read_run_records(run));
  if (own.empty()) {
    return failure(ErrorCode::kEnvironment, "the folder report/ of this installation was not found", "report/",
                   "install stitchcuda again, or set STITCHCUDA_RESOURCES to the folder that holds it");
  }
  STITCH_ASSIGN(const PageAssets assets, read_training_assets(own));
  STITCH_ASSIGN(const std::string text, render_training_page(stages, assets));
  return write_file(page, text);
}

}  // namespace stitch::report
