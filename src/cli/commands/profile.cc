// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/profile.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {
namespace {

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
  STITCH_ASSIGN(const driver::ProfileReport found,
                driver::profile({line.file, line.step, std::move(options)}, invocation.services()));
  Json rows = Json::array();
  std::string text;
  for (const driver::StepCost& cost : found.steps) {
    rows.push_back(to_json(cost));
    text += line_of(cost) + "\n";
  }
  Json said = {{"schema", "stitchcuda.profile/1"}, {"task", found.task}, {"device", to_string(found.device)},
               {"planned_for", found.planned_for}, {"steps", rows},      {"modelled_us", found.modelled_us}};
  text += fmt::format("{:.1f} us modelled on {}", found.modelled_us, found.planned_for);
  if (found.device == DeviceKind::kCuda) {
    said["measured_us"] = found.measured_us;
    text += fmt::format(", {:.1f} us measured step by step, each with cold L2", found.measured_us);
  } else {
    text += "; measured times need a GPU";
  }
  invocation.reporter().result(said, text);
  return 0;
}

}  // namespace stitch::cli
