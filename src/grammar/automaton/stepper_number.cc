// SPDX-License-Identifier: Apache-2.0
// Numbers. Their lengths are bounded, so that readers keep their values and that no model writes digits without an end.
#include "grammar/automaton/stepper.h"

namespace stitch::grammar {
namespace {

constexpr int32_t kMostDigits = 18;  // of kMostOfInteger
constexpr int32_t kMostWholeDigits = 15;
constexpr int32_t kMostFractionDigits = 17;
constexpr int32_t kMostExponentDigits = 2;

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool is_exponent(uint8_t byte) { return byte == 'e' || byte == 'E'; }

bool is_unlimited(const Node& node) { return node.least == -kMostOfInteger && node.most == kMostOfInteger; }

// Whether some number that begins with these digits is within the limits.
bool leads_within(const Node& node, bool is_negative, int64_t magnitude, int32_t digits) {
  int64_t least = magnitude;
  int64_t most = magnitude;
  for (; digits <= kMostDigits; ++digits) {
    if (is_negative ? -most <= node.most && -least >= node.least : least <= node.most && most >= node.least) {
      return true;
    }
    if (digits < kMostDigits) {
      least *= 10;
      most = most * 10 + 9;
    }
  }
  return false;
}

}  // namespace

bool Stepper::may_end(const Frame& frame) const {
  const Node& node = node_of(frame);
  if (node.kind != NodeKind::kInteger && node.kind != NodeKind::kNumber) {
    return false;
  }
  if (node.kind == NodeKind::kInteger && frame.phase == Phase::kDigits) {
    const int64_t value = frame.index == 1 ? -frame.value : frame.value;
    return is_unlimited(node) || (value >= node.least && value <= node.most);
  }
  return frame.phase == Phase::kZero || frame.phase == Phase::kDigits || frame.phase == Phase::kFraction ||
         frame.phase == Phase::kExponentDigits;
}

void Stepper::integer(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const Node& node = node_of(frame);
  const bool is_begin = frame.phase == Phase::kBegin;
  if (is_begin && byte == '-' && node.least < 0) {
    frame.index = 1;
    return go_to(frame, Phase::kMinus, to);
  }
  if (is_begin && byte == '0' && node.least <= 0 && node.most >= 0) {
    return go_to(frame, Phase::kZero, to);
  }
  const bool begins = is_begin || frame.phase == Phase::kMinus;
  if (!is_digit(byte) || frame.phase == Phase::kZero || (begins && byte == '0') || frame.count >= kMostDigits) {
    return;
  }
  ++frame.count;
  if (!is_unlimited(node)) {
    frame.value = frame.value * 10 + (byte - '0');
    if (!leads_within(node, frame.index == 1, frame.value, frame.count)) {
      return;
    }
  }
  go_to(frame, Phase::kDigits, to);
}

void Stepper::number(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const auto digit_of = [&](Phase phase, int32_t most) {
    if (is_digit(byte) && frame.count < most) {
      ++frame.count;
      go_to(frame, phase, to);
    }
  };
  const auto part_of = [&](Phase phase) {
    frame.count = 0;
    go_to(frame, phase, to);
  };
  const bool may_have_fraction = frame.phase == Phase::kZero || frame.phase == Phase::kDigits;
  if (may_have_fraction && byte == '.') {
    return part_of(Phase::kPoint);
  }
  if ((may_have_fraction || frame.phase == Phase::kFraction) && is_exponent(byte)) {
    return part_of(Phase::kExponent);
  }
  switch (frame.phase) {
    case Phase::kBegin:
    case Phase::kMinus:
      if (byte == '-' && frame.phase == Phase::kBegin) {
        return part_of(Phase::kMinus);
      }
      return byte == '0' ? part_of(Phase::kZero) : digit_of(Phase::kDigits, kMostWholeDigits);
    case Phase::kDigits:
      return digit_of(Phase::kDigits, kMostWholeDigits);
    case Phase::kPoint:
    case Phase::kFraction:
      return digit_of(Phase::kFraction, kMostFractionDigits);
    case Phase::kExponent:
      if (byte == '+' || byte == '-') {
        return part_of(Phase::kExponentSign);
      }
      return digit_of(Phase::kExponentDigits, kMostExponentDigits);
    case Phase::kExponentSign:
    case Phase::kExponentDigits:
      return digit_of(Phase::kExponentDigits, kMostExponentDigits);
    default:
      return;
  }
}

}  // namespace stitch::grammar
