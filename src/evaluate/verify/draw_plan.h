// SPDX-License-Identifier: Apache-2.0
// How many draws a program is judged by, and whether they stay with the oracle: data, told in the report.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json_forward.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

inline constexpr int kDrawsPerRegime = 5;

struct ShapeDraws {
  std::string shape;
  uint64_t bytes = 0;  // of inputs, parameters, states and outputs
  int draws_per_regime = 0;
  bool stay = false;  // on the GPU, where references and comparison are: nothing large passes through the host
  // Of those that stay so many, the first as given, pass through it all the same: for a timing, or for calls of a
  // stranger's program that are made again.
  int handed_over = 0;
  std::string reason;
};
Json to_json(const ShapeDraws& plan);

// What draws are for, beside the verdict.
struct DrawUses {
  int per_regime = kDrawsPerRegime;  // of a small program
  bool is_on_gpu = false;
  bool is_timed = false;
  bool is_repeated = false;
  double emulated_seconds = 0;  // that a draw is estimated to take the emulated device; 0: not known, or it runs none
};

ShapeDraws plan_draws(const std::string& shape, const verify::OracleProgram& program, const DrawUses& uses);

}  // namespace stitch::evaluate
