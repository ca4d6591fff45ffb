// SPDX-License-Identifier: Apache-2.0
// Reads the texts that a report is made from.
#pragma once

#include <filesystem>

#include "report/report.h"

namespace stitch::report {

// The files of a folder that `optimize` left which a report reads; those that are missing or too large to be ours are
// left out. kFileInvalid when there is no such folder.
Result<FolderTexts> read_texts(const std::filesystem::path& folder);

// page.html with sections.html inside, style.css, scripts/*.js and LICENCES of `own`; Chart.js and highlight.js from
// `own`/libraries, else from where Debian puts them, else empty. kEnvironment when one of our own is missing.
Result<PageAssets> read_assets(const std::filesystem::path& own);

// The same for pages about runs over suites: bench/sections.html and bench/scripts/*.js of `own`, with those scripts
// of a report that both use.
Result<PageAssets> read_bench_assets(const std::filesystem::path& own);
// The same for the pages of training runs: training/ of `own`.
Result<PageAssets> read_training_assets(const std::filesystem::path& own);

// Where `own` lies for a program that knows of no other files of this installation: STITCHCUDA_RESOURCES, else beside
// the program; empty where it is in neither.
std::filesystem::path report_folder_beside_this_program();

}  // namespace stitch::report
