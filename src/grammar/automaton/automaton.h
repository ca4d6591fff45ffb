// SPDX-License-Identifier: Apache-2.0
// Reads texts of a grammar byte by byte. A state is the set of places that a text may be at: more than one where
// alternatives begin alike.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/automaton/stepper.h"

namespace stitch::grammar {

using StateId = int32_t;
inline constexpr StateId kDead = 0;   // no text of the grammar begins so
inline constexpr StateId kStart = 1;  // nothing has been read

class Automaton {
 public:
  explicit Automaton(Grammar grammar);
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  StateId step(StateId state, uint8_t byte);
  StateId read(StateId state, std::string_view bytes);
  // The same, remembered: for states from which many bytes are tried.
  StateId known_step(StateId state, uint8_t byte);

  // The text may be over here.
  bool may_end(StateId state) const;
  // A state that all texts of at most `bytes` bytes lead on from, or not, as they do from `state`: a string far from
  // its limit is like another.
  StateId coarsened(StateId state, int64_t bytes);

  // How many states are kept. forget() drops all but kDead and kStart.
  size_t size() const { return states_.size(); }
  void forget();

 private:
  struct Hash {
    size_t operator()(const std::vector<FrameId>& places) const;
  };
  using Row = std::array<StateId, 256>;
  StateId id_of(std::vector<FrameId> places);

  Grammar grammar_;
  FrameTable frames_;
  Stepper stepper_;
  std::vector<std::vector<FrameId>> states_;
  std::unordered_map<std::vector<FrameId>, StateId, Hash> ids_;
  std::unordered_map<StateId, std::unique_ptr<Row>> rows_;
};

}  // namespace stitch::grammar
