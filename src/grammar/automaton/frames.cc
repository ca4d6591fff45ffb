// SPDX-License-Identifier: Apache-2.0
#include "grammar/automaton/frames.h"

namespace stitch::grammar {

size_t FrameTable::Hash::operator()(const Frame& frame) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint64_t part :
       {uint64_t{frame.parent}, uint64_t{frame.node},
        uint64_t{static_cast<uint8_t>(frame.phase)} << 40U | uint64_t{frame.white} << 32U | uint64_t{frame.index},
        static_cast<uint64_t>(frame.count), static_cast<uint64_t>(frame.value)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29U;
  }
  return static_cast<size_t>(hash);
}

FrameId FrameTable::id_of(const Frame& frame) {
  const auto [found, is_new] = ids_.try_emplace(frame, static_cast<FrameId>(frames_.size()));
  if (is_new) {
    frames_.push_back(frame);
  }
  return found->second;
}

void FrameTable::forget() {
  frames_.assign(2, {});  // kOver and kBeginning, which no value is in
  ids_.clear();
}

}  // namespace stitch::grammar
