// SPDX-License-Identifier: Apache-2.0
// Shortens a page that would be too long, leaving out one convenience after the other.
#pragma once

#include "base/json/json_forward.h"
#include "report/report.h"

namespace stitch::report {

// Takes the next thing out of `assets` or `data` and adds a note on it; false when nothing is left to take.
bool leave_out_next(PageAssets& assets, Json& data);

}  // namespace stitch::report
