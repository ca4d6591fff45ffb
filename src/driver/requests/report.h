// SPDX-License-Identifier: Apache-2.0
// report.html of a folder, made again: after a step was edited by hand, or by another version of stitchcuda.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/json/json_forward.h"
#include "driver/job/job.h"

namespace stitch::driver {

struct ReportRequest {
  std::filesystem::path folder;
  std::filesystem::path page;  // empty: report.html in the folder
};

struct ReportPage {
  std::filesystem::path folder;
  std::filesystem::path page;
  uintmax_t bytes = 0;
};

Result<ReportPage> report(const ReportRequest& request, const Services& services);

// `report --json`
Json to_json(const ReportPage& written);

}  // namespace stitch::driver
