// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/mixing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>
#include <utility>

#include "verify/compare/elements.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

using Draws = std::vector<verify::OracleDraw>;
using Tensors = std::vector<HostTensor>;

constexpr const char* kTimed = "timed call";
// Of two draws, in tensors that may be mixed: that many make 2^24 contents.
constexpr uint64_t kMinDiffering = 24;
// What the reference may take for the calls that it judges; at least two of them, at most twelve.
constexpr double kReferenceSeconds = 4.0;
constexpr double kMinJudged = 2;
constexpr double kMaxJudged = 12;

Tensors given_in(const verify::OracleDraw& draw) {
  Tensors tensors = draw.inputs;
  tensors.insert(tensors.end(), draw.states.begin(), draw.states.end());
  return tensors;
}

bool is_finite(const HostTensor& tensor) {
  constexpr int64_t kAtOnce = 4096;
  double values[kAtOnce];
  const int64_t count = tensor.spec().type.element_count();
  bool finite = true;
  for (int64_t begin = 0; finite && begin < count; begin += kAtOnce) {
    const int64_t piece = std::min(kAtOnce, count - begin);
    verify::load_doubles(tensor, begin, piece, values);
    finite = std::all_of(values, values + piece, [](double value) { return std::isfinite(value); });
  }
  return finite;
}

std::vector<uint64_t> widths_of(const Draws& draws) {
  std::vector<uint64_t> widths;
  for (const HostTensor& tensor : given_in(draws.front())) {
    const DataType type = tensor.spec().type.dtype;
    widths.push_back(is_floating_point(type) ? static_cast<uint64_t>(element_bytes(type)) : 0);
  }
  for (const verify::OracleDraw& draw : draws) {
    const Tensors tensors = given_in(draw);
    for (size_t i = 0; i < tensors.size(); ++i) {
      widths[i] = widths[i] > 0 && is_finite(tensors[i]) ? widths[i] : 0;
    }
  }
  return widths;
}

bool are_alike(const HostTensor& one, const HostTensor& other) {
  return std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin(), other.bytes().end());
}

// Two of a draw that are alike in all draws may be one tensor under two names: apart they would be no legal contents.
void leave_tied_ones(const Draws& draws, std::vector<uint64_t>& widths) {
  std::vector<Tensors> given;
  std::transform(draws.begin(), draws.end(), std::back_inserter(given), given_in);
  for (size_t one = 0; one < widths.size(); ++one) {
    for (size_t other = one + 1; other < widths.size(); ++other) {
      if (std::all_of(given.begin(), given.end(),
                      [&](const Tensors& tensors) { return are_alike(tensors[one], tensors[other]); })) {
        widths[one] = widths[other] = 0;
      }
    }
  }
}

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
      if (count_differing(given_in(draws[first]), given_in(draws[second]), widths) < kMinDiffering) {
        return false;
      }
    }
  }
  return true;
}

// As the keeper mixes them, by other chances.
Tensors mixed(const Tensors& first, const Tensors& second, const std::vector<uint64_t>& widths) {
  std::mt19937_64 random(std::random_device{}());
  Tensors made = first;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) {
      continue;
    }
    std::vector<std::byte> bytes(first[i].bytes().begin(), first[i].bytes().end());
    for (uint64_t at = 0; at < bytes.size(); at += widths[i]) {
      if ((random() & 1) != 0) {
        std::memcpy(bytes.data() + at, second[i].bytes().data() + at, widths[i]);
      }
    }
    made[i] = HostTensor::from_bytes(first[i].spec(), std::move(bytes));
  }
  return made;
}

Tensors native_answers(const verify::OracleDraw& draw) {
  Tensors native;
  for (const verify::OutputReference& output : draw.outputs) {
    native.push_back(output.native);
  }
  return native;
}

// The draws bring their budgets, answered by the reference itself: verification judged their regime as a whole.
SaidOfCall judge_mixed(const Draws& draws, MathMode math, const verify::OracleDraw& answer, const Tensors& results) {
  verify::RegimeJudge judge(math);
  for (const verify::OracleDraw& draw : draws) {
    judge.add_draw("a draw", draw.outputs, native_answers(draw));
  }
  std::optional<verify::RefusedOutput> refused = judge.add_draw(kTimed, answer.outputs, results);
  if (!refused.has_value()) {
    refused = judge.finish();
  }
  if (judge.ill_conditioned().has_value()) {
    return {.is_said = false, .wrong = {}};
  }
  const bool is_wrong = refused.has_value() && refused->draw == kTimed;
  return {.is_said = true, .wrong = is_wrong ? std::optional(refused->message) : std::nullopt};
}

}  // namespace

std::optional<Mixing> find_mixing(const Draws& draws, MathMode math, const AskReference& ask) {
  if (!ask || draws.size() < 2) {
    return std::nullopt;
  }
  Mixing mixing;
  mixing.widths = widths_of(draws);
  leave_tied_ones(draws, mixing.widths);
  if (!all_differ(draws, mixing.widths)) {
    return std::nullopt;
  }
  const auto split = [inputs = static_cast<int64_t>(draws.front().inputs.size())](const Tensors& tensors) {
    return std::pair(Tensors(tensors.begin(), tensors.begin() + inputs),
                     Tensors(tensors.begin() + inputs, tensors.end()));
  };
  const auto [inputs, states] = split(mixed(given_in(draws[0]), given_in(draws[1]), mixing.widths));
  const auto start = std::chrono::steady_clock::now();
  const Result<verify::OracleDraw> answer = ask(inputs, states);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!answer.has_value() || answer->dropped.has_value()) {
    return std::nullopt;
  }
  // What PyTorch itself gives must be right by the rule that the program is judged by.
  const SaidOfCall said = judge_mixed(draws, math, *answer, native_answers(*answer));
  if (!said.is_said || said.wrong.has_value()) {
    return std::nullopt;
  }
  mixing.judged =
      static_cast<int>(std::clamp(kReferenceSeconds / std::max(taken.count(), 1e-3), kMinJudged, kMaxJudged));
  mixing.judge = [draws, math, ask](const Tensors& given, const Tensors& old_states,
                                    const Tensors& results) -> Result<SaidOfCall> {
    STITCH_ASSIGN(const verify::OracleDraw made, ask(given, old_states));
    return made.dropped.has_value() ? SaidOfCall{.is_said = false, .wrong = {}}
                                    : judge_mixed(draws, math, made, results);
  };
  return mixing;
}

}  // namespace stitch::evaluate
