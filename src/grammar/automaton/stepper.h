// SPDX-License-Identifier: Apache-2.0
// One byte further, from one place.
#pragma once

#include <vector>

#include "grammar/automaton/frames.h"

namespace stitch::grammar {

class Stepper {
 public:
  Stepper(const Grammar& grammar, FrameTable& frames) : grammar_(grammar), frames_(frames) {}

  // Adds the places that `byte` leads to from `from`: none where it cannot follow. From each of them some text leads to
  // the end.
  void step(FrameId from, uint8_t byte, std::vector<FrameId>& to);
  // Whether the value may be over here, although more bytes of it could follow: numbers alone.
  bool may_end(const Frame& frame) const;

 private:
  void begin(NodeId node, FrameId parent, uint8_t byte, std::vector<FrameId>& to, int looks = 0);
  void inside(const Frame& frame, uint8_t byte, std::vector<FrameId>& to);
  void literal(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void string(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void character(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void escape(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void integer(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void number(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void object(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void key_of_object(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void map(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void array(Frame frame, uint8_t byte, std::vector<FrameId>& to);
  void value_in(Frame frame, Phase phase, NodeId value, uint8_t byte, std::vector<FrameId>& to);

  bool is_white(const Frame& frame, uint8_t byte, std::vector<FrameId>& to);
  bool fits(NodeId value, const Frame& parent) const;
  bool has_further_key(const Frame& frame) const;
  const Node& node_of(const Frame& frame) const { return grammar_.nodes[frame.node]; }
  void go_to(Frame frame, Phase phase, std::vector<FrameId>& to);

  const Grammar& grammar_;
  FrameTable& frames_;
};

}  // namespace stitch::grammar
