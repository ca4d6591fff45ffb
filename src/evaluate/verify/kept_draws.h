// SPDX-License-Identifier: Apache-2.0
// Draws that stay in memory once they were judged: few, and small ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// For a timing; for repeated calls, the last two of which differ in one element of their parameters
// (oracle/constants.py, BESIDE_INSTEAD); of others than as given; and how many bytes a draw has at most.
inline constexpr int kMaxKeptDraws = 3;
inline constexpr int kMaxRepeatedDraws = 4;
inline constexpr int kMaxOtherDraws = 3;
inline constexpr uint64_t kMaxKeptBytes = uint64_t{1} << 30;       // with its answers
inline constexpr uint64_t kMaxRepeatedBytes = uint64_t{64} << 20;  // without

// Of a draw's contents and of what is known of their answers.
uint64_t bytes_held(const verify::OracleDraw& draw);

// Draws kept for a timing, with their program and the number of the first: with these the oracle can be asked about
// contents that it has not drawn.
struct KeptDraws {
  std::vector<verify::OracleDraw> draws;
  std::shared_ptr<const verify::OracleProgram> program;
  int first = 0;

  // Keeps the draw where there is room for it and its answers, which take more memory than the draw.
  void offer(const verify::OracleDraw& draw, int number, const std::shared_ptr<const verify::OracleProgram>& of);
};

// Draws kept for repeated calls, and their numbers in the regime.
struct RepeatedDraws {
  std::vector<verify::OracleDraw> draws;
  std::vector<int> numbers;
  std::vector<verify::OracleDraw> others;  // inputs and states of a regime in which integers and masks are drawn

  // Keeps the draw where there is room.
  void offer(const verify::OracleDraw& draw, int number, const std::string& regime);
};

}  // namespace stitch::evaluate
