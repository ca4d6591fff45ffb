// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/said_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace stitch::evaluate {
namespace {

// A host may finish what kernels have left of a few numbers, or count something for them.
constexpr size_t kMinElements = 64;
constexpr size_t kMaxKnown = 2;     // of results of the same types
constexpr size_t kMaxKnownAll = 6;  // of several batches
constexpr size_t kMaxWaiting = 4;

// Of each element of a result, the bytes that the host said.
std::vector<uint8_t> bytes_said(const std::vector<ResultPiece>& said, size_t result, size_t elements, size_t width) {
  std::vector<uint8_t> counts(elements);
  for (const ResultPiece& piece : said) {
    const uint64_t end = piece.result == result ? std::min<uint64_t>(piece.offset + piece.bytes, elements * width) : 0;
    for (uint64_t at = piece.offset; at < end; ++at) {
      ++counts[at / width];
    }
  }
  return counts;
}

}  // namespace

bool SaidAnswers::are_alike(const Outputs& left, const Outputs& right) {
  return std::ranges::equal(
      left, right, {}, [](const Output& output) { return output.native.spec().type; },
      [](const Output& output) { return output.native.spec().type; });
}

bool SaidAnswers::are_equal(const Outputs& left, const Outputs& right) {
  return std::ranges::equal(left, right, [](const Output& a, const Output& b) {
    return std::ranges::equal(a.native.bytes(), b.native.bytes());
  });
}

std::vector<const SaidAnswers::Outputs*> SaidAnswers::known_like(const Outputs& outputs) const {
  std::vector<const Outputs*> found;
  for (const Outputs& known : known_) {
    if (are_alike(known, outputs)) {
      found.push_back(&known);
    }
  }
  return found;
}

void SaidAnswers::know(const Outputs& outputs) {
  const auto known = known_like(outputs);
  const bool is_known = std::ranges::any_of(known, [&](const Outputs* each) { return are_equal(*each, outputs); });
  if (is_known || known.size() >= kMaxKnown) {
    return;
  }
  known_.push_back(outputs);
  if (known_.size() > kMaxKnownAll) {
    known_.erase(known_.begin());
  }
}

std::optional<Finding> SaidAnswers::judge(const Call& call) const {
  const auto known = known_like(call.outputs);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const auto width = static_cast<size_t>(element_bytes(call.outputs[i].native.spec().type.dtype));
    const auto first = known.front()->at(i).native.bytes();
    const std::vector<uint8_t> counts = bytes_said(call.said, i, first.size() / width, width);
    size_t of_contents = 0;
    for (size_t e = 0; e < counts.size(); ++e) {
      // What a kernel wrote in their place may have some of the same bytes.
      const bool is_said = 2 * counts[e] > width;
      of_contents +=
          is_said && std::ranges::any_of(known, [&](const Outputs* each) {
            return std::memcmp(each->at(i).native.bytes().data() + e * width, first.data() + e * width, width) != 0;
          });
    }
    if (of_contents >= kMinElements) {
      return Finding{Stage::kDraws, VerdictKind::kCheated,
                     fmt::format("the answer is as right when no kernel runs, {} of {} elements of {}: the host copied "
                                 "them there, or put them together of pieces smaller than their addresses",
                                 of_contents, counts.size(), call.outputs[i].name)};
    }
  }
  return std::nullopt;
}

std::optional<Finding> SaidAnswers::add(const verify::OracleDraw& draw, const std::vector<ResultPiece>& said) {
  if (draw.stays()) {
    return std::nullopt;
  }
  Outputs outputs;
  for (const verify::OutputReference& output : draw.outputs) {
    outputs.push_back({output.name, output.native});
  }
  know(outputs);
  if (!said.empty() && waiting_.size() < kMaxWaiting) {
    waiting_.push_back({std::move(outputs), said});
  }
  for (auto call = waiting_.begin(); call != waiting_.end();) {
    if (known_like(call->outputs).size() < kMaxKnown) {
      ++call;
      continue;
    }
    if (auto finding = judge(*call)) {
      return finding;
    }
    call = waiting_.erase(call);
  }
  return std::nullopt;
}

}  // namespace stitch::evaluate
