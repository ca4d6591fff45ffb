// SPDX-License-Identifier: Apache-2.0
// report.html: what a run did, as one page that needs no network. A pure function from the texts of a folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/error/result.h"

namespace stitch::report {

// Relative path -> text, as `optimize` leaves them: task.json, plan.json, graph.ir, evidence/*.json,
// evidence/program/*.py, steps/*.cu. Only plan.json must be there; the page says what else is missing.
using FolderTexts = std::map<std::string, std::string>;

// What the page is made of; docs/report.md says where they come from.
struct PageAssets {
  std::string page;     // HTML with <!-- style --> and <!-- scripts --> and so on
  std::string style;    // CSS
  std::string scripts;  // our own, in the order they run
  std::string licences;
  std::string chart;      // Chart.js; empty where it is not installed: tables then stand in for its plots
  std::string highlight;  // highlight.js; empty where it is not installed: code is then plain
};

// A page is mailed, attached and opened on a phone.
constexpr size_t kMaxPageBytes = 2'000'000;

// The page, at most `max_bytes` long. What does not fit is left out, the largest convenience first, and the page
// says so. kFileInvalid when plan.json is missing or is not what stitchcuda wrote.
Result<std::string> render_report(const FolderTexts& folder, const PageAssets& assets,
                                  size_t max_bytes = kMaxPageBytes);

}  // namespace stitch::report
