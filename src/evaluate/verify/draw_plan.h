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
  std::string reason;
};
Json to_json(const ShapeDraws& plan);

// Bytes of all that a call reads and writes.
uint64_t bytes_of(const verify::OracleProgram& program);
// What a draw takes with its references, all handed over.
uint64_t bytes_with_references(const verify::OracleProgram& program);

// `wanted`: draws per regime of a small program.
ShapeDraws plan_draws(const std::string& shape, const verify::OracleProgram& program, bool is_on_gpu, int wanted);

}  // namespace stitch::evaluate
