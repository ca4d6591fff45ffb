// SPDX-License-Identifier: Apache-2.0
// Whether the random numbers of calls repeat: in one call from some place on, or in the next call, some places on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stitch::evaluate {

// The seeds and offsets of the first calls: what a generator confuses that adds them up.
struct RelatedCall {
  uint64_t seed_step = 0;
  uint64_t offset = 0;
  const char* name = "";
};
inline constexpr RelatedCall kRelatedCalls[] = {{0, 0, "the call itself"},
                                                {0, 1, "the next offset"},
                                                {1, 0, "the next seed"},
                                                {0, 4, "the offset four on"},
                                                {uint64_t{1} << 32, 0, "another upper half of the seed"}};

// What one output was in several calls of the same contents, the related ones first, and in as many of the eager module
// (whose calls are unrelated). Says in a sentence what repeats that does not there; nothing when all is well. A row of
// the output has `row` elements.
std::optional<std::string> find_repetition(const std::vector<std::vector<double>>& got,
                                           const std::vector<std::vector<double>>& wanted, size_t row);

}  // namespace stitch::evaluate
