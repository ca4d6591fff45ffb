// SPDX-License-Identifier: Apache-2.0
#include "harvest/harvest.h"

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {

Result<int> run_harvest(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  harvest::HarvestRequest request;
  request.benches = line.words;
  request.out = line.out.empty() ? "lessons" : line.out;
  request.rubric = invocation.services().resources.rubrics() / line.rubric;
  for (const std::string& place : line.synth.all_against) {
    request.copies.against.emplace_back(place);
  }
  request.copies.with_graphs = !line.synth.without_graphs;
  request.copies.jobs = static_cast<int>(line.synth.jobs);
  STITCH_ASSIGN(request.copies.options, options_of(line));
  STITCH_ASSIGN(const harvest::HarvestReport report, harvest::harvest(request, invocation.services()));
  invocation.reporter().result(to_json(report), describe(report, request.out));
  return 0;
}

}  // namespace stitch::cli
