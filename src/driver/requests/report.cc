// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/report.h"

#include "base/json/json.h"
#include "driver/project/leave_report.h"

namespace stitch::driver {

Result<ReportPage> report(const ReportRequest& request, const Services& services) {
  ReportPage written{request.folder, request.page.empty() ? request.folder / "report.html" : request.page, 0};
  STITCH_TRY(write_report(services.resources, written.folder, written.page));
  std::error_code ignored;
  written.bytes = std::filesystem::file_size(written.page, ignored);
  return written;
}

Json to_json(const ReportPage& written) {
  return Json{{"schema", "stitchcuda.report/1"},
              {"task", written.folder.string()},
              {"out", written.page.string()},
              {"bytes", written.bytes}};
}

}  // namespace stitch::driver
