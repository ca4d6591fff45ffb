// SPDX-License-Identifier: Apache-2.0
#include "harvest/harvest.h"

#include "base/json/json.h"
#include "cli/commands/commands.h"

namespace stitch::cli {

Result<int> run_harvest(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  harvest::HarvestRequest request;
  request.benches = line.words;
  request.out = line.out.empty() ? "lessons" : line.out;
  request.rubric = invocation.services().resources.rubrics() / line.rubric;
  STITCH_ASSIGN(const harvest::HarvestReport report, harvest::harvest(request));
  invocation.reporter().result(to_json(report), describe(report, request.out));
  return 0;
}

}  // namespace stitch::cli
