// SPDX-License-Identifier: Apache-2.0
// The page around the data.
#pragma once

#include <string>

#include "base/json/json_forward.h"
#include "report/report.h"

namespace stitch::report {

// kInternal when the page has lost one of its places.
Result<std::string> fill_page(const PageAssets& assets, const Json& data);

}  // namespace stitch::report
