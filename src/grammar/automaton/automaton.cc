// SPDX-License-Identifier: Apache-2.0
#include "grammar/automaton/automaton.h"

#include <algorithm>
#include <utility>

namespace stitch::grammar {
namespace {

constexpr StateId kNotTried = -1;

}  // namespace

size_t Automaton::Hash::operator()(const std::vector<FrameId>& places) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const FrameId place : places) {
    hash = (hash ^ place) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 31U;
  }
  return static_cast<size_t>(hash);
}

Automaton::Automaton(Grammar grammar) : grammar_(std::move(grammar)), stepper_(grammar_, frames_) { forget(); }

void Automaton::forget() {
  frames_.forget();
  rows_.clear();
  ids_.clear();
  states_.assign({{}, {kBeginning}});
  ids_[{}] = kDead;
  ids_[{kBeginning}] = kStart;
}

StateId Automaton::id_of(std::vector<FrameId> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto [found, is_new] = ids_.try_emplace(places, static_cast<StateId>(states_.size()));
  if (is_new) {
    states_.push_back(std::move(places));
  }
  return found->second;
}

StateId Automaton::step(StateId state, uint8_t byte) {
  std::vector<FrameId> next;
  for (const FrameId place : states_[static_cast<size_t>(state)]) {
    stepper_.step(place, byte, next);
  }
  return id_of(std::move(next));
}

StateId Automaton::read(StateId state, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size() && state != kDead; ++i) {
    state = step(state, static_cast<uint8_t>(bytes[i]));
  }
  return state;
}

StateId Automaton::known_step(StateId state, uint8_t byte) {
  std::unique_ptr<Row>& row = rows_[state];
  if (row == nullptr) {
    row = std::make_unique<Row>();
    row->fill(kNotTried);
  }
  StateId& next = (*row)[byte];
  if (next == kNotTried) {
    next = step(state, byte);
  }
  return next;
}

bool Automaton::may_end(StateId state) const {
  const auto& places = states_[static_cast<size_t>(state)];
  return std::any_of(places.begin(), places.end(), [&](FrameId place) {
    if (place == kOver || place == kBeginning) {
      return place == kOver;
    }
    const Frame& frame = frames_.at(place);
    return frame.parent == kOver && stepper_.may_end(frame);
  });
}

StateId Automaton::coarsened(StateId state, int64_t bytes) {
  std::vector<FrameId> places = states_[static_cast<size_t>(state)];
  bool has_changed = false;
  for (FrameId& place : places) {
    if (place == kOver || place == kBeginning) {
      continue;
    }
    Frame frame = frames_.at(place);
    const Node& node = grammar_.nodes[frame.node];
    const int64_t far = node.most - bytes;
    if (node.kind == NodeKind::kString && node.most != kUnlimited && frame.count >= node.least && frame.count < far &&
        far > node.least) {
      frame.count = static_cast<int32_t>(std::max<int64_t>(node.least, 0));
      place = frames_.id_of(frame);
      has_changed = true;
    }
  }
  return has_changed ? id_of(std::move(places)) : state;
}

}  // namespace stitch::grammar
