// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "report/data/report_data.h"
#include "report/page/fit.h"
#include "report/page/page.h"

namespace stitch::report {
namespace {

void note_missing_libraries(const PageAssets& assets, Json& data) {
  if (assets.chart.empty()) {
    data["notes"].push_back(
        "Chart.js was not found when this page was made: tables stand in for plots. Debian has it as libjs-chart.js.");
  }
  if (assets.highlight.empty()) {
    data["notes"].push_back(
        "highlight.js was not found when this page was made: code is plain. Debian has it as libjs-highlight.js.");
  }
}

}  // namespace

Result<std::string> render_report(const FolderTexts& folder, const PageAssets& assets, size_t max_bytes) {
  STITCH_ASSIGN(Json data, report_data(folder));
  note_missing_libraries(assets, data);
  PageAssets kept = assets;
  STITCH_ASSIGN(std::string page, fill_page(kept, data));
  while (page.size() > max_bytes) {
    if (!leave_out_next(kept, data)) {
      return failure(ErrorCode::kInternal, fmt::format("the report does not fit {} bytes", max_bytes), "report.html",
                     "report this program as a bug of stitchcuda");
    }
    STITCH_ASSIGN(page, fill_page(kept, data));
  }
  return page;
}

}  // namespace stitch::report
