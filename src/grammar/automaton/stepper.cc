// SPDX-License-Identifier: Apache-2.0
#include "grammar/automaton/stepper.h"

#include <algorithm>

namespace stitch::grammar {
namespace {

constexpr uint8_t kMostWhite = 64;  // in a row: a line's end and an indentation; without a bound a model may stay in it
constexpr int kMostAlternatives = 64;  // one within another, where a schema's alternatives refer to each other

bool is_white_space(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

}  // namespace

void Stepper::go_to(Frame frame, Phase phase, std::vector<FrameId>& to) {
  frame.phase = phase;
  frame.white = 0;
  to.push_back(frames_.id_of(frame));
}

void Stepper::step(FrameId from, uint8_t byte, std::vector<FrameId>& to) {
  if (from == kBeginning) {
    begin(grammar_.root, kOver, byte, to);
  } else if (from != kOver) {
    const Frame frame = frames_.at(from);
    if (may_end(frame)) {
      step(frame.parent, byte, to);
    }
    inside(frame, byte, to);
  }
}

void Stepper::begin(NodeId node, FrameId parent, uint8_t byte, std::vector<FrameId>& to, int looks) {
  const Node& what = grammar_.nodes[node];
  const int depth = parent == kOver ? 1 : frames_.at(parent).depth + 1;
  if (depth + what.depth - 1 > kMaxDepth || looks > kMostAlternatives) {
    return;
  }
  if (what.kind == NodeKind::kAnyOf) {
    for (const NodeId child : what.children) {
      begin(child, parent, byte, to, looks + 1);
    }
    return;
  }
  inside({.parent = parent, .node = node, .depth = static_cast<uint16_t>(depth)}, byte, to);
}

void Stepper::inside(const Frame& frame, uint8_t byte, std::vector<FrameId>& to) {
  switch (node_of(frame).kind) {
    case NodeKind::kLiteral:
      return literal(frame, byte, to);
    case NodeKind::kString:
      return string(frame, byte, to);
    case NodeKind::kInteger:
      return integer(frame, byte, to);
    case NodeKind::kNumber:
      return number(frame, byte, to);
    case NodeKind::kObject:
      return object(frame, byte, to);
    case NodeKind::kMap:
      return map(frame, byte, to);
    case NodeKind::kArray:
      return array(frame, byte, to);
    case NodeKind::kAnyOf:
      return;
  }
}

void Stepper::literal(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const std::string& text = node_of(frame).literal;
  if (static_cast<uint8_t>(text[static_cast<size_t>(frame.count)]) != byte) {
    return;
  }
  ++frame.count;
  if (static_cast<size_t>(frame.count) == text.size()) {
    to.push_back(frame.parent);
  } else {
    go_to(frame, Phase::kInside, to);
  }
}

bool Stepper::fits(NodeId value, const Frame& parent) const {
  return parent.depth + grammar_.nodes[value].depth <= kMaxDepth;
}

bool Stepper::is_white(const Frame& frame, uint8_t byte, std::vector<FrameId>& to) {
  if (!is_white_space(byte)) {
    return false;
  }
  if (frame.white < kMostWhite) {
    Frame next = frame;
    ++next.white;
    to.push_back(frames_.id_of(next));
  }
  return true;
}

// The value's first byte, or white space before it. `phase` is where `frame` goes on when the value has ended.
void Stepper::value_in(Frame frame, Phase phase, NodeId value, uint8_t byte, std::vector<FrameId>& to) {
  frame.phase = phase;
  frame.white = 0;
  begin(value, frames_.id_of(frame), byte, to);
}

bool Stepper::has_further_key(const Frame& frame) const {
  const auto& properties = node_of(frame).properties;
  for (size_t i = 0; i < properties.size(); ++i) {
    if ((frame.value >> i & 1) == 0 && fits(properties[i].value, frame)) {
      return true;
    }
  }
  return false;
}

// Each key that has not been there begins a place of its own; they part where the keys do.
void Stepper::key_of_object(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const auto& properties = node_of(frame).properties;
  if (frame.phase != Phase::kKey) {
    for (size_t i = 0; byte == '"' && i < properties.size(); ++i) {
      if ((frame.value >> i & 1) == 0 && fits(properties[i].value, frame)) {
        Frame key = frame;
        key.index = static_cast<uint16_t>(i);
        key.count = 1;
        go_to(key, Phase::kKey, to);
      }
    }
    return;
  }
  const std::string& key = properties[frame.index].key;
  if (static_cast<uint8_t>(key[static_cast<size_t>(frame.count)]) == byte) {
    ++frame.count;
    go_to(frame, static_cast<size_t>(frame.count) == key.size() ? Phase::kColon : Phase::kKey, to);
  }
}

void Stepper::object(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  if (frame.phase == Phase::kBegin) {
    if (byte == '{') {
      go_to(frame, Phase::kFirst, to);
    }
    return;
  }
  if (frame.phase == Phase::kKey) {
    return key_of_object(frame, byte, to);
  }
  if (is_white(frame, byte, to)) {
    return;
  }
  const Node& node = node_of(frame);
  if (frame.phase == Phase::kColon) {
    if (byte == ':') {
      go_to(frame, Phase::kValue, to);
    }
  } else if (frame.phase == Phase::kValue) {
    const size_t index = frame.index;
    frame.value |= int64_t{1} << index;
    frame.index = 0;
    frame.count = 0;
    value_in(frame, Phase::kAfterValue, node.properties[index].value, byte, to);
  } else if (byte == '}' && frame.phase != Phase::kAfterComma) {
    const bool is_whole = std::all_of(node.properties.begin(), node.properties.end(), [&](const Property& each) {
      return !each.is_required || (frame.value >> (&each - node.properties.data()) & 1) != 0;
    });
    if (is_whole) {
      to.push_back(frame.parent);
    }
  } else if (frame.phase == Phase::kAfterValue) {
    if (byte == ',' && has_further_key(frame)) {
      go_to(frame, Phase::kAfterComma, to);
    }
  } else {
    key_of_object(frame, byte, to);
  }
}

void Stepper::map(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const NodeId value = node_of(frame).children.front();
  if (frame.phase == Phase::kBegin) {
    if (byte == '{') {
      go_to(frame, Phase::kFirst, to);
    }
    return;
  }
  if (is_white(frame, byte, to)) {
    return;
  }
  if (frame.phase == Phase::kColon && byte == ':') {
    go_to(frame, Phase::kValue, to);
  } else if (frame.phase == Phase::kValue) {
    value_in(frame, Phase::kAfterValue, value, byte, to);
  } else if (frame.phase != Phase::kAfterComma && frame.phase != Phase::kColon && byte == '}') {
    to.push_back(frame.parent);
  } else if (frame.phase == Phase::kAfterValue && byte == ',' && fits(value, frame)) {
    go_to(frame, Phase::kAfterComma, to);
  } else if ((frame.phase == Phase::kFirst || frame.phase == Phase::kAfterComma) && byte == '"' && fits(value, frame)) {
    frame.phase = Phase::kColon;
    frame.white = 0;
    begin(kAnyString, frames_.id_of(frame), byte, to);
  }
}

void Stepper::array(Frame frame, uint8_t byte, std::vector<FrameId>& to) {
  const Node& node = node_of(frame);
  const NodeId item = node.children.front();
  if (frame.phase == Phase::kBegin) {
    if (byte == '[') {
      go_to(frame, Phase::kFirst, to);
    }
    return;
  }
  if (is_white(frame, byte, to)) {
    return;
  }
  const bool may_have_more = frame.count < node.most && fits(item, frame);
  if (byte == ']' && frame.phase != Phase::kAfterComma && frame.count >= node.least) {
    to.push_back(frame.parent);
  } else if (frame.phase == Phase::kAfterValue) {
    if (byte == ',' && may_have_more) {
      go_to(frame, Phase::kAfterComma, to);
    }
  } else if (may_have_more) {
    // Without limits items need not be counted, so that there are fewer places.
    const int64_t counted = node.most == kUnlimited ? node.least : node.most;
    frame.count += frame.count < counted ? 1 : 0;
    value_in(frame, Phase::kAfterValue, item, byte, to);
  }
}

}  // namespace stitch::grammar
