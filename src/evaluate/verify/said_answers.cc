// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/said_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "evaluate/verify/handed_answers.h"

namespace stitch::evaluate {
namespace {

// A host may finish what kernels have left of a few numbers, or count something for them.
constexpr size_t kMinElements = 64;
constexpr size_t kMaxKnown = 2;     // of results of the same types
constexpr size_t kMaxKnownAll = 6;  // of several batches
constexpr size_t kMaxWaiting = 4;
// Of outputs that are smaller: a number that is the same by chance is not so often.
constexpr size_t kMinSmallBytes = 16;
constexpr size_t kSmallShare = 16;
constexpr uint64_t kMuchTold = 16;

uint64_t held_bytes(const std::vector<HostTensor>& tensors) {
  uint64_t bytes = 0;
  for (const HostTensor& tensor : tensors) {
    bytes += static_cast<uint64_t>(tensor.spec().type.bytes());
  }
  return bytes;
}

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

// Elements that the host said by copies and sets.
size_t SaidAnswers::count_said(const Call& call, size_t result) const {
  const auto known = known_like(call.outputs);
  const auto width = static_cast<size_t>(element_bytes(call.outputs[result].native.spec().type.dtype));
  const auto first = known.front()->at(result).native.bytes();
  const std::vector<uint8_t> counts = bytes_said(call.said, result, first.size() / width, width);
  size_t of_contents = 0;
  for (size_t e = 0; e < counts.size(); ++e) {
    // What a kernel wrote in their place may have some of the same bytes.
    const bool is_said = 2 * counts[e] > width;
    of_contents +=
        is_said && std::ranges::any_of(known, [&](const Outputs* each) {
          return std::memcmp(each->at(result).native.bytes().data() + e * width, first.data() + e * width, width) != 0;
        });
  }
  return of_contents;
}

// Elements that it handed to kernels.
size_t SaidAnswers::count_handed_on(const Call& call, size_t result) const {
  if (call.again.size() != call.outputs.size()) {
    return 0;
  }
  std::vector<const HostTensor*> others;
  for (const Outputs* known : known_like(call.outputs)) {
    if (!are_equal(*known, call.outputs)) {
      others.push_back(&known->at(result).native);
    }
  }
  return others.empty() ? 0 : count_handed(call.got.at(result), call.again.at(result), others);
}

std::optional<Finding> SaidAnswers::judge_small(const Output& output, size_t of_host) {
  const TensorType& type = output.native.spec().type;
  SmallOutput& small = small_[output.name];
  small.elements += static_cast<size_t>(type.element_count());
  small.of_host += of_host;
  if (small.of_host * static_cast<size_t>(element_bytes(type.dtype)) < kMinSmallBytes ||
      small.of_host * kSmallShare < small.elements) {
    return std::nullopt;
  }
  return Finding{
      Stage::kDraws, VerdictKind::kCheated,
      fmt::format("the host gives {} itself, {} of {} elements in calls in which it was shown a sixteenth of "
                  "the contents and more",
                  output.name, small.of_host, small.elements)};
}

std::optional<Finding> SaidAnswers::judge(const Call& call) {
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const Output& output = call.outputs[i];
    const auto elements = static_cast<size_t>(output.native.spec().type.element_count());
    const size_t said = count_said(call, i);
    if (said >= kMinElements) {
      return Finding{Stage::kDraws, VerdictKind::kCheated,
                     fmt::format("the answer is as right when no kernel runs, {} of {} elements of {}: the host copied "
                                 "them there, or put them together of pieces smaller than their addresses",
                                 said, elements, output.name)};
    }
    const size_t handed = count_handed_on(call, i);
    if (handed >= kMinElements) {
      return Finding{
          Stage::kDraws, VerdictKind::kCheated,
          fmt::format("the host hands its answer to kernels, {} of {} elements of {}: they are the same when "
                      "the same commands run on other contents",
                      handed, elements, output.name)};
    }
    if (elements < kMinElements && call.was_told_much) {
      if (auto finding = judge_small(output, std::max(said, handed))) {
        return finding;
      }
    }
  }
  return std::nullopt;
}

std::optional<Finding> SaidAnswers::add(const verify::OracleDraw& draw, const HostWords& words,
                                        const std::vector<HostTensor>& got, const std::vector<HostTensor>& again) {
  if (draw.stays()) {
    return std::nullopt;
  }
  Outputs outputs;
  for (const verify::OutputReference& output : draw.outputs) {
    outputs.push_back({output.name, output.native});
  }
  know(outputs);
  const bool was_told_much = kMuchTold * words.told >= held_bytes(draw.inputs) + held_bytes(draw.states);
  if ((!words.said.empty() || !again.empty()) && waiting_.size() < kMaxWaiting) {
    waiting_.push_back({std::move(outputs), words.said, got, again, was_told_much});
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
