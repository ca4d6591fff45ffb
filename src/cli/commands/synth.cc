// SPDX-License-Identifier: Apache-2.0
// synth, decontaminate: tasks are made, and held against a benchmark.
#include "synth/make/synth.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "synth/contamination/decontaminate.h"

namespace stitch::cli {
namespace {

std::string counted(const std::map<std::string, size_t>& counts) {
  std::string text;
  for (const auto& [name, number] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number);
  }
  return text.empty() ? "none" : text;
}

std::string text_of(const synth::SynthReport& report, const std::string& out) {
  std::string text = fmt::format("{} candidates; fell by filter: {}\n", report.made, counted(report.fallen));
  if (!report.without_mined.empty()) {
    text += fmt::format("no seeds from transformers: {}\n", report.without_mined);
  } else {
    text += fmt::format("{} layers of transformers among the seeds\n", report.mined);
  }
  if (!report.admission.empty()) {
    text += fmt::format("admission: {}\n", counted(report.admission));
  }
  return text +
         fmt::format("{} tasks of {} families ({}) in {:.0f} s{}  ->  {}/tasks.jsonl; eager times are {}",
                     report.kept.size(), report.families, counted(report.splits), report.seconds,
                     report.made_before == 0 ? "" : fmt::format(", {} candidates from before", report.made_before), out,
                     report.is_measured ? "measured" : "modelled");
}

std::string text_of(const synth::DecontaminateReport& report, const std::string& file) {
  std::string text;
  for (const synth::Accusation& each : report.accused) {
    text +=
        fmt::format("{}  is a copy of {}: same {} ({:.2f} alike)\n", each.task, each.of, each.reason, each.likeness);
  }
  if (!report.troubled.empty()) {
    text +=
        fmt::format("{} programs could not be looked at in every way; the report says why\n", report.troubled.size());
  }
  return text + fmt::format("{} of {} tasks went, held against {} programs in {:.0f} s  ->  {}", report.accused.size(),
                            report.tasks, report.against, report.seconds, file);
}

}  // namespace

Result<int> run_synth(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  synth::SynthRequest request;
  request.out = line.out;
  request.count = static_cast<size_t>(line.synth.count);
  request.settings.seed = line.seed.value_or(0);
  if (!line.synth.filters.empty()) {
    STITCH_ASSIGN(request.settings.filters, synth::filters_of(line.synth.filters));
  }
  STITCH_ASSIGN(request.settings.kinds, synth::kinds_of(line.synth.kinds));
  request.settings.with_inductor = line.synth.with_inductor;
  request.with_transformers = !line.synth.without_transformers;
  request.jobs = static_cast<int>(line.synth.jobs);
  request.admits = line.synth.admits;
  request.measures = line.synth.measures;
  request.math = line.math;
  STITCH_ASSIGN(request.options, options_of(line));
  STITCH_ASSIGN(const synth::SynthReport report, synth::synth(request, invocation.services()));
  invocation.reporter().result(to_json(report), text_of(report, line.out));
  return 0;
}

Result<int> run_decontaminate(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  synth::DecontaminateRequest request;
  request.tasks = line.file;
  request.against = line.synth.against;
  request.max_likeness = line.synth.max_likeness;
  request.with_graphs = !line.synth.without_graphs;
  request.jobs = static_cast<int>(line.synth.jobs);
  STITCH_ASSIGN(request.options, options_of(line));
  STITCH_ASSIGN(const synth::DecontaminateReport report, synth::decontaminate(request, invocation.services()));
  const std::string file = line.synth.report.empty() ? line.file + ".decontaminated.json" : line.synth.report;
  STITCH_TRY(write_file(file, to_json(report).dump(1) + "\n"));
  if (!line.out.empty()) {
    std::string kept;
    for (const synth::Program& program : report.kept) {
      kept += (program.line.empty() ? Json{{"file", program.name}}.dump() : program.line) + "\n";
    }
    STITCH_TRY(write_file(line.out, kept));
  }
  invocation.reporter().result(to_json(report), text_of(report, file));
  return report.accused.empty() ? 0 : 1;
}

}  // namespace stitch::cli
