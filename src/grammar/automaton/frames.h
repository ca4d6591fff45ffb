// SPDX-License-Identifier: Apache-2.0
// Where in a text a value is that has begun, and within which other values. The same place has the same number.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "grammar/schema/grammar.h"

namespace stitch::grammar {

using FrameId = uint32_t;
inline constexpr FrameId kOver = 0;       // behind the outermost value
inline constexpr FrameId kBeginning = 1;  // before its first byte

enum class Phase : uint8_t {
  kBegin,
  kInside,  // of a literal, a string's characters
  kEscape,  // behind a backslash, and then four hexadecimal digits
  kHex,
  kLowBackslash,  // behind a high surrogate, the low one has to follow
  kLowU,
  kLowHex,
  kContinued1,  // so many bytes of the character are missing
  kContinued2,
  kContinued3,
  kAfterE0,  // the next byte has narrower bounds, or the character would have a shorter form or be none
  kAfterEd,
  kAfterF0,
  kAfterF4,
  kMinus,  // of a number
  kZero,
  kDigits,
  kPoint,
  kFraction,
  kExponent,
  kExponentSign,
  kExponentDigits,
  kFirst,  // behind the bracket or brace
  kKey,
  kColon,
  kValue,
  kAfterValue,
  kAfterComma,
};

struct Frame {
  FrameId parent = kOver;  // where its text goes on when this value has ended
  NodeId node = 0;
  Phase phase = Phase::kBegin;
  uint8_t white = 0;   // bytes of white space in a row
  uint16_t depth = 0;  // 1: the outermost value
  uint16_t index = 0;  // of the property whose key is under way
  int32_t count = 0;   // bytes of a literal or key, characters of a string, items, digits
  int64_t value = 0;   // of an integer so far; properties that are there, a bit each; what a \u escape began as

  bool operator==(const Frame&) const = default;
};

class FrameTable {
 public:
  FrameTable() { forget(); }

  const Frame& at(FrameId id) const { return frames_[id]; }
  FrameId id_of(const Frame& frame);
  size_t size() const { return frames_.size(); }
  void forget();

 private:
  struct Hash {
    size_t operator()(const Frame& frame) const;
  };
  std::vector<Frame> frames_;
  std::unordered_map<Frame, FrameId, Hash> ids_;
};

}  // namespace stitch::grammar
