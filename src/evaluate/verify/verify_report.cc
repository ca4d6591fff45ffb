// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/verify_report.h"

#include "base/json/json.h"

namespace stitch::evaluate {

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
              {"error_ratio", report.error_ratio},
              {"outputs", outputs},
              {"regimes", regimes},
              {"left_out", left_out},
              {"notes", report.notes},
              {"shapes", report.shapes},
              {"same_binary_shapes", report.same_binary_shapes},
              {"draws", report.draws},
              {"planned", planned},
              {"checked_draws", report.checked_draws},
              {"checked_shape", report.checked_shape},
              {"randomised_draws", report.randomised_draws},
              {"repeated_calls", report.repeated_calls},
              {"in_place_draws", report.in_place_draws},
              {"phases", phases},
              {"seconds", report.seconds}};
}

}  // namespace stitch::evaluate
