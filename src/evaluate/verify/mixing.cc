// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/mixing.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "evaluate/verify/call_contents.h"

namespace stitch::evaluate {
namespace {

using Draws = std::vector<verify::OracleDraw>;
using Tensors = std::vector<HostTensor>;

// Of two draws, in tensors that may be mixed: that many make 2^24 contents.
constexpr uint64_t kMinDiffering = 24;
// What the reference may take for the calls that it judges; at least two of them, at most twelve.
constexpr double kReferenceSeconds = 4.0;
constexpr double kMinJudged = 2;
constexpr double kMaxJudged = 12;

// Elements that differ, counted up to kMinDiffering.
uint64_t count_differing(const Tensors& first, const Tensors& second, const std::vector<uint64_t>& widths) {
  uint64_t count = 0;
  for (size_t i = 0; i < widths.size(); ++i) {
    const uint64_t bytes = widths[i] > 0 ? first[i].bytes().size() : 0;
    for (uint64_t at = 0; at < bytes && count < kMinDiffering; at += widths[i]) {
      count += std::memcmp(first[i].bytes().data() + at, second[i].bytes().data() + at, widths[i]) != 0 ? 1 : 0;
    }
  }
  return count;
}

bool all_differ(const Draws& draws, const std::vector<uint64_t>& widths) {
  for (size_t first = 0; first < draws.size(); ++first) {
    for (size_t second = first + 1; second < draws.size(); ++second) {
      if (count_differing(contents_of(draws[first]), contents_of(draws[second]), widths) < kMinDiffering) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<Mixing> find_mixing(const Draws& draws, MathMode math, const AskReference& ask) {
  if (!ask || draws.size() < 2) {
    return std::nullopt;
  }
  Mixing mixing;
  mixing.widths = element_widths(draws);
  if (!all_differ(draws, mixing.widths)) {
    return std::nullopt;
  }
  const auto split = [inputs = static_cast<int64_t>(draws.front().inputs.size())](const Tensors& tensors) {
    return std::pair(Tensors(tensors.begin(), tensors.begin() + inputs),
                     Tensors(tensors.begin() + inputs, tensors.end()));
  };
  std::mt19937_64 random(std::random_device{}());
  const auto [inputs, states] = split(mixed(contents_of(draws[0]), contents_of(draws[1]), mixing.widths, random));
  const auto start = std::chrono::steady_clock::now();
  const Result<verify::OracleDraw> answer = ask(inputs, states);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!answer.has_value() || answer->dropped.has_value()) {
    return std::nullopt;
  }
  // What PyTorch itself gives must be right by the rule that the program is judged by.
  if (!is_fair(draws, math, *answer)) {
    return std::nullopt;
  }
  mixing.judged =
      static_cast<int>(std::clamp(kReferenceSeconds / std::max(taken.count(), 1e-3), kMinJudged, kMaxJudged));
  mixing.judge = [draws, math, ask](const Tensors& given, const Tensors& old_states,
                                    const Tensors& results) -> Result<SaidOfCall> {
    STITCH_ASSIGN(const verify::OracleDraw made, ask(given, old_states));
    return made.dropped.has_value() ? SaidOfCall{.is_said = false, .wrong = {}}
                                    : judge_given(draws, math, made, results);
  };
  return mixing;
}

}  // namespace stitch::evaluate
