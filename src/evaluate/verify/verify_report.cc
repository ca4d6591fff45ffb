// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/verify_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"

namespace stitch::evaluate {

Json seed_json(const VerifyReport& report) { return report.seed.has_value() ? Json(*report.seed) : Json(); }

Json to_json(const VerifyReport& report) {
  Json outputs = Json::array();
  for (const auto& output : report.outputs) {
    outputs.push_back(verify::to_json(output));
  }
  Json regimes = Json::array();
  for (const auto& [shape, regime, output] : report.regimes) {
    Json line = {{"shape", shape}, {"regime", regime}};
    line.update(verify::to_json(output));
    regimes.push_back(std::move(line));
  }
  Json left_out = Json::array();
  for (const auto& regime : report.left_out) {
    left_out.push_back({{"shape", regime.shape}, {"regime", regime.regime}, {"reason", regime.reason}});
  }
  Json planned = Json::array();
  for (const ShapeDraws& plan : report.planned) {
    planned.push_back(to_json(plan));
  }
  const Json phases = {{"drawing", report.seconds_drawing},
                       {"running", report.seconds_running},
                       {"comparing", report.seconds_comparing}};
  return Json{{"verdict", to_json(report.verdict())},
              {"seed", seed_json(report)},
              {"error_ratio", report.error_ratio},
              {"outputs", outputs},
              {"regimes", regimes},
              {"left_out", left_out},
              {"notes", report.notes},
              {"near_ties", report.near_ties},
              {"shapes", report.shapes},
              {"same_binary_shapes", report.same_binary_shapes},
              {"draws", report.draws},
              {"planned", planned},
              {"checked_draws", report.checked_draws},
              {"checked_shape", report.checked_shape},
              {"randomised_draws", report.randomised_draws},
              {"repeated_calls", to_json(report.repeated)},
              {"in_place_draws", report.in_place_draws},
              {"phases", phases},
              {"seconds", report.seconds}};
}

std::string how_to_repeat(const VerifyReport& report) {
  return report.seed.has_value() ? fmt::format("the same draws again: --seed {}", *report.seed) : std::string();
}

namespace {

// Where our rule accepts what KernelBench's refuses, PyTorch's own run is no better known there.
std::vector<std::string> beyond_kernelbench(const VerifyReport& report) {
  std::vector<std::string> messages;
  for (const verify::OutputReport& output : report.outputs) {
    std::set<std::string> regimes;
    for (const RegimeErrors& each : report.regimes) {
      if (each.output.name == output.name && !each.output.kernelbench_rule_ok) {
        regimes.insert(each.regime);
      }
    }
    if (!regimes.empty()) {
      messages.push_back(
          fmt::format("{} is farther from PyTorch's run than KernelBench's rule allows ({}): the "
                      "reference's own runs err by as much there",
                      output.name, fmt::join(regimes, ", ")));
    }
  }
  return messages;
}

}  // namespace

std::vector<std::string> exceptions_of(const VerifyReport& report) {
  std::vector<std::string> messages;
  int64_t either_way = 0;
  int64_t excused = 0;
  double largest = 0;
  for (const verify::OutputReport& output : report.outputs) {
    either_way += output.either_way;
    excused += output.excused;
    largest = std::max(largest, output.max_excused);
  }
  if (report.near_ties > 0) {
    messages.push_back(
        fmt::format("{} decisions of the program lay within rounding; {} elements were compared under either",
                    report.near_ties, either_way));
  }
  if (excused > 0 && report.findings.is_clean()) {
    messages.push_back(
        fmt::format("{} tiles, in which few elements err at all, were accepted at up to {:.3g} times the reference's "
                    "own error",
                    excused, largest));
  }
  if (report.findings.is_clean()) {
    std::vector<std::string> farther = beyond_kernelbench(report);
    messages.insert(messages.end(), farther.begin(), farther.end());
  }
  return messages;
}

}  // namespace stitch::evaluate
