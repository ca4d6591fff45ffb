// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_report(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("report", "One offline page on a run: graph, plan, code, errors, times");
  verb->group(kMainVerbs);
  add_file(verb, line, "DIR", "Folder that optimize wrote")->required();
  add_out(verb, line, "FILE", "Page to write (default: DIR/report.html)");
  add_common(verb, line);
  verb->footer(
      "stitchcuda report out/model # out/model/report.html again, of what is in the folder now\n"
      "stitchcuda report out/model --out model.html # somewhere else, to be mailed");
}

}  // namespace stitch::cli
