// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/fresh_draws.h"

#include <chrono>

#include "evaluate/verify/kept_draws.h"

namespace stitch::evaluate {
namespace {

constexpr int kFirstNumber = 1000;  // no plan draws so many
constexpr int kMaxFresh = 48;
constexpr uint64_t kMaxBytes = uint64_t{256} << 20;  // of all of them
constexpr std::chrono::seconds kMaxTime{1};

}  // namespace

Result<std::vector<verify::OracleDraw>> fresh_draws(verify::Oracle& oracle, const verify::OracleProgram& program) {
  std::vector<verify::OracleDraw> draws;
  const auto end = std::chrono::steady_clock::now() + kMaxTime;
  uint64_t bytes = 0;
  for (int i = 0; i < kMaxFresh && bytes < kMaxBytes && std::chrono::steady_clock::now() < end; ++i) {
    STITCH_ASSIGN(verify::OracleDraw draw, oracle.draw(program, verify::kAsGiven, kFirstNumber + i));
    bytes += bytes_held(draw);
    if (!draw.dropped) {
      draws.push_back(std::move(draw));
    }
  }
  return draws;
}

}  // namespace stitch::evaluate
