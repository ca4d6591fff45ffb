// SPDX-License-Identifier: Apache-2.0
// Measured times out of tuning databases: as the text that ships, or each beside what is estimated today.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driver/job/job.h"

namespace stitch::driver {

struct ExportTimesRequest {
  std::vector<std::filesystem::path> databases;  // or texts made of some; none: the database in the cache
  std::filesystem::path out;  // empty: nothing is written. NAME.jsonl: a JSON line a time, with its estimate
};

struct ExportTimesReport {
  std::string text;
  int steps = 0;
  int settings = 0;
  int without_estimate = 0;  // times of steps that an older version kept, of settings that are no more, or of texts
};

// kFileInvalid for a database that is not there.
Result<ExportTimesReport> export_times(const ExportTimesRequest& request, const Services& services);

}  // namespace stitch::driver
