// SPDX-License-Identifier: Apache-2.0
// Strings: UTF-8 as RFC 3629 has it, escapes as RFC 8259 has them, surrogates in pairs alone.
#include <string_view>

#include "grammar/automaton/stepper.h"

namespace stitch::grammar {
namespace {

bool is_one_of(uint8_t byte, std::string_view bytes) {
  return bytes.find(static_cast<char>(byte)) != std::string_view::npos;
}

// Where a character goes on whose first byte is `byte`; kBegin for what begins none.
Phase after_first(uint8_t byte) {
  if (byte >= 0x20 && byte < 0x80) {
    return Phase::kInside;
  }
  if (byte >= 0xC2 && byte <= 0xDF) {
    return Phase::kContinued1;
  }
  if (byte >= 0xE0 && byte <= 0xEF) {
    return byte == 0xE0 ? Phase::kAfterE0 : byte == 0xED ? Phase::kAfterEd : Phase::kContinued2;
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return byte == 0xF0 ? Phase::kAfterF0 : byte == 0xF4 ? Phase::kAfterF4 : Phase::kContinued3;
  }
  return Phase::kBegin;
}

struct Continuation {
  uint8_t least = 0x80;
  uint8_t most = 0xBF;
  Phase next = Phase::kInside;
};
Continuation continuation_of(Phase phase) {
  switch (phase) {
    case Phase::kContinued3:
      return {.next = Phase::kContinued2};
    case Phase::kContinued2:
      return {.next = Phase::kContinued1};
    case Phase::kAfterE0:
      return {.least = 0xA0, .next = Phase::kContinued1};
    case Phase::kAfterEd:
      return {.most = 0x9F, .next = Phase::kContinued1};
    case Phase::kAfterF0:
      return {.least = 0x90, .next = Phase::kContinued2};
    case Phase::kAfterF4:
      return {.most = 0x8F, .next = Phase::kContinued2};
    default:
      return {};
  }
}

constexpr int64_t kBeginsWithD = 1;
constexpr int64_t kIsHigh = 2;

}  // namespace

void Stepper::string(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  switch (frame.phase) {
    case Phase::kBegin:
      if (byte == '"') {
        go_to(frame, Phase::kInside, to);
      }
      return;
    case Phase::kInside:
      return character(frame, byte, to);
    case Phase::kEscape:
    case Phase::kHex:
    case Phase::kLowBackslash:
    case Phase::kLowU:
    case Phase::kLowHex:
      return escape(frame, byte, to);
    default: {
      const Continuation expected = continuation_of(frame.phase);
      if (byte >= expected.least && byte <= expected.most) {
        go_to(frame, expected.next, to);
      }
    }
  }
}

void Stepper::character(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const Node& node = node_of(frame);
  if (byte == '"') {
    if (frame.count >= node.least) {
      to.push_back(frame.parent);
    }
    return;
  }
  const Phase next = byte == '\\' ? Phase::kEscape : after_first(byte);
  if (next == Phase::kBegin || frame.count >= node.most) {
    return;
  }
  // Without a limit characters need not be counted, so that there are fewer places.
  const int64_t counted = node.most == kUnlimited ? node.least : node.most;
  frame.count += frame.count < counted ? 1 : 0;
  go_to(frame, next, to);
}

void Stepper::escape(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  if (frame.phase == Phase::kEscape) {
    if (byte == 'u' || is_one_of(byte, "\"\\/bfnrt")) {
      go_to(frame, byte == 'u' ? Phase::kHex : Phase::kInside, to);
    }
    return;
  }
  if (frame.phase == Phase::kLowBackslash || frame.phase == Phase::kLowU) {
    if (byte == (frame.phase == Phase::kLowU ? 'u' : '\\')) {
      go_to(frame, frame.phase == Phase::kLowU ? Phase::kLowHex : Phase::kLowU, to);
    }
    return;
  }
  const bool is_low = frame.phase == Phase::kLowHex;
  const bool is_d = is_one_of(byte, "dD");
  const bool is_c_to_f = is_one_of(byte, "cdefCDEF");
  bool is_good = is_one_of(byte, "0123456789abcdefABCDEF");
  if (frame.index == 0) {
    is_good = is_good && (is_d || !is_low);
    frame.value = is_d && !is_low ? kBeginsWithD : 0;
  } else if (frame.index == 1) {
    is_good = is_good && is_c_to_f == (is_low || (is_c_to_f && frame.value != kBeginsWithD));
    frame.value = frame.value == kBeginsWithD && is_one_of(byte, "89abAB") ? kIsHigh : 0;
  }
  if (!is_good) {
    return;
  }
  constexpr uint16_t kDigits = 4;
  if (++frame.index < kDigits) {
    return go_to(frame, frame.phase, to);
  }
  const Phase next = frame.value == kIsHigh ? Phase::kLowBackslash : Phase::kInside;
  frame.index = 0;
  frame.value = 0;
  go_to(frame, next, to);
}

}  // namespace stitch::grammar
