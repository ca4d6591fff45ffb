// SPDX-License-Identifier: Apache-2.0
// Everything the page shows, as one JSON value, `stitchcuda.report/1`.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "report/report.h"

namespace stitch::report {

// kFileInvalid when plan.json is missing or not what stitchcuda wrote. Anything else that is missing is a note.
Result<Json> report_data(const FolderTexts& folder);

}  // namespace stitch::report
