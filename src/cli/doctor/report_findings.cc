// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"

namespace stitch::cli::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportGroup = "Report";

struct Library {
  const char* name;
  const char* file;     // below Debian's folder of scripts
  const char* package;  // of Debian
  const char* cost;
};

constexpr Library kLibraries[] = {
    {"Chart.js", "chart.js/chart.min.js", "libjs-chart.js", "report.html has no plots."},
    {"highlight.js", "highlight.js/highlight.min.js", "libjs-highlight.js", "Code in report.html is not coloured."}};

Finding examine(const Library& library, const fs::path& own) {
  const fs::path below = library.file;
  std::error_code ignored;
  for (const fs::path& path : {own / "libraries" / below.filename(), "/usr/share/javascript" / below}) {
    if (fs::is_regular_file(path, ignored)) {
      return {kReportGroup, library.name, State::kHere, path.string(), "", ""};
    }
  }
  return {kReportGroup,
          library.name,
          State::kAbsent,
          "not installed",
          library.cost,
          install_packages(
              library.package, library.package,
              std::string("Put ") + below.filename().string() + " into " + (own / "libraries").string() + ".")};
}

}  // namespace

std::vector<Finding> report_findings(const Examination& examination) {
  std::vector<Finding> found;
  for (const Library& library : kLibraries) {
    found.push_back(examine(library, examination.resources.root / "report"));
  }
  return found;
}

}  // namespace stitch::cli::doctor
