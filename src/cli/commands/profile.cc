// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/profile.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {
namespace {

const plan::StepExecution* execution_of(const driver::ProfileReport& found, int step) {
  if (found.executed.has_value()) {
    for (const plan::StepExecution& execution : found.executed->steps) {
      if (execution.step == step) {
        return &execution;
      }
    }
  }
  return nullptr;
}

// Under the line of the step, with the time under its other time.
std::string words_on(const plan::StepExecution& execution) {
  const plan::ExecutedCounts& counts = execution.counts;
  const std::string ran =
      fmt::format("ran: {:.0f} launch{}, {:.3f} MB, {:.3g} k sectors, {:.3g} k wavefronts; bound: {}", counts.launches,
                  counts.launches < 2 ? "" : "es", counts.bytes * 1e-6, counts.sectors * 1e-3, counts.wavefronts * 1e-3,
                  to_string(execution.bound));
  return fmt::format("\n    {:<98}  executed {:>8.2f} us", ran, execution.executed_us);
}

// What ran in all, or why nobody knows.
std::string words_on(const driver::ProfileReport& found) {
  if (!found.executed.has_value()) {
    return fmt::format("\nno time of what ran: {}", found.not_executed);
  }
  if (!found.executed->refusal.empty()) {
    return fmt::format("\nno time of what ran: {}", found.executed->refusal);
  }
  std::string text;
  if (const plan::StepExecution* outside = execution_of(found, -1)) {
    text += "\noutside of all steps" + words_on(*outside);
  }
  return text + fmt::format("\n{:.1f} us modelled from what ran, counted at {}", found.executed->executed_us,
                            found.executed->sizes);
}

Json executed_json(const driver::ProfileReport& found) {
  if (!found.executed.has_value()) {
    return {{"refusal", found.not_executed}};
  }
  if (!found.executed->refusal.empty()) {
    return {{"refusal", found.executed->refusal}};
  }
  Json json = {{"executed_us", found.executed->executed_us}, {"sizes", found.executed->sizes}};
  if (const plan::StepExecution* outside = execution_of(found, -1)) {
    json["outside"] = driver::to_json(*outside);
  }
  return json;
}

std::string line_of(const driver::StepCost& cost) {
  std::string line =
      fmt::format("{:>3} {:<40} {:<28} {:>9.3f} GFLOP {:>9.3f} MB  modelled {:>8.2f} us", cost.step, cost.name,
                  cost.skeleton + " " + cost.setting, cost.flops * 1e-9, cost.bytes * 1e-6, cost.modelled_us);
  if (cost.measured_us.has_value()) {
    line += fmt::format("  measured {:>8.2f} us +- {:.0f} %, floor {:.2f} us = {:.0f} %", *cost.measured_us,
                        100 * cost.spread, cost.floor_us, 100 * cost.floor_us / *cost.measured_us);
  }
  return line + (cost.prepares ? "  (prepare)" : "");
}

}  // namespace

Result<int> run_profile(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  std::optional<profile::RungKind> rung;
  if (!line.rung.empty()) {
    STITCH_ASSIGN(rung, profile::rung_from_string(line.rung));
  }
  driver::ProfileRequest request{line.file, line.step, rung, std::move(options)};
  if (std::filesystem::path(line.file).extension() == ".py") {
    request.program = task_of(line, line.file);
  }
  STITCH_ASSIGN(const driver::ProfileReport found, driver::profile(request, invocation.services()));
  Json rows = Json::array();
  std::string text;
  for (const driver::StepCost& cost : found.steps) {
    rows.push_back(to_json(cost));
    text += line_of(cost);
    if (const plan::StepExecution* execution = execution_of(found, cost.step)) {
      rows.back()["executed"] = driver::to_json(*execution);
      text += words_on(*execution);
    }
    text += "\n";
  }
  Json said = {{"schema", "stitchcuda.profile/2"}, {"task", found.task}, {"device", to_string(found.device)},
               {"planned_for", found.planned_for}, {"steps", rows},      {"modelled_us", found.modelled_us}};
  text += fmt::format("{:.1f} us modelled on {}", found.modelled_us, found.planned_for);
  if (found.measured_us.has_value()) {
    said["measured_us"] = *found.measured_us;
    text += fmt::format(", {:.1f} us measured step by step, each with cold L2", *found.measured_us);
  } else if (found.device == DeviceKind::kCuda) {
    text += "; of so many steps none was timed alone (--step N times one)";
  } else {
    said["executed"] = executed_json(found);
    text += "; measured times need a GPU" + words_on(found);
  }
  if (found.ladder.has_value()) {
    said.update(driver::to_json(*found.ladder));
    text += "\n" + driver::describe(*found.ladder);
  }
  invocation.reporter().result(said, text);
  return 0;
}

}  // namespace stitch::cli
