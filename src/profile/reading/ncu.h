// SPDX-License-Identifier: Apache-2.0
// What `ncu --csv --page raw` prints: a table with a row for each launch, among lines of ncu's own that begin with
// "==".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/values/measurement.h"

namespace stitch::profile {

struct NcuLaunch {
  std::string name;
  std::map<std::string, double> values;  // by id of metrics.def, in the units there
};

struct NcuReading {
  std::vector<NcuLaunch> launches;  // in order
  std::vector<std::string> absent;  // ids of the 24 that the chip or the release does not have
};

// kEnvironment with ncu's own sentence where it did not profile (ERR_NVGPUCTRPERM, no kernels, no such metric);
// kFileInvalid for text that is cut, damaged or of a form that we do not know.
Result<NcuReading> read_ncu(std::string_view text);

// The launches of the last of `calls` equal calls, in order and each a kernel of its own; refused where they are not as
// many in each.
Result<Measurement> measurement_of(const NcuReading& reading, int calls);

// The base names in `ncu --query-metrics`: "dram__bytes_read".
std::vector<std::string> read_ncu_metric_names(std::string_view text);

}  // namespace stitch::profile
