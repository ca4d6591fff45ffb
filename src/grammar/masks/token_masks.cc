// SPDX-License-Identifier: Apache-2.0
#include "grammar/masks/token_masks.h"

namespace stitch::grammar {
namespace {

constexpr size_t kMostMasks = 512;  // of a byte a token each

}  // namespace

void TokenMasks::forget_if_large() {
  if (automaton_.size() > most_states_ || masks_.size() > kMostMasks) {
    automaton_.forget();
    masks_.clear();
    ++generation_;
  }
}

// Tokens that begin alike are walked along once; where a beginning leads nowhere, all that share it are passed over.
std::shared_ptr<const AllowedTokens> TokenMasks::allowed_in(StateId exact) {
  const StateId state = automaton_.coarsened(exact, static_cast<int64_t>(vocabulary_->longest()));
  std::shared_ptr<const AllowedTokens>& known = masks_[state];
  if (known != nullptr) {
    return known;
  }
  auto allowed = std::make_shared<AllowedTokens>(vocabulary_->size(), uint8_t{0});
  std::vector<StateId> path = {state};  // path[i]: behind i bytes of the entry
  for (const VocabularyEntry& entry : vocabulary_->entries()) {
    if (path.back() == kDead && entry.shared >= path.size() - 1) {
      continue;  // path ends at the byte that leads nowhere, which this entry has, too
    }
    path.resize(std::min(path.size(), entry.shared + 1));
    while (path.size() <= entry.bytes.size() && path.back() != kDead) {
      path.push_back(automaton_.known_step(path.back(), static_cast<uint8_t>(entry.bytes[path.size() - 1])));
    }
    (*allowed)[static_cast<size_t>(entry.id)] = path.back() != kDead ? 1 : 0;
  }
  known = std::move(allowed);
  return known;
}

StateId TokenReader::state() {
  masks_->forget_if_large();
  if (generation_ != masks_->generation_) {
    generation_ = masks_->generation_;
    state_ = kStart;
    for (const int64_t token : tokens_) {
      state_ = masks_->automaton_.read(state_, masks_->vocabulary_->bytes_of(token));
    }
  }
  return is_lost_ ? kDead : state_;
}

bool TokenReader::read(std::span<const int64_t> tokens) {
  state();
  for (const int64_t token : tokens) {
    const bool is_known = token >= 0 && token < static_cast<int64_t>(masks_->vocabulary_->size()) &&
                          !masks_->vocabulary_->bytes_of(token).empty();
    is_lost_ = is_lost_ || !is_known;
    if (is_known) {
      state_ = masks_->automaton_.read(state_, masks_->vocabulary_->bytes_of(token));
      tokens_.push_back(token);
    }
  }
  return !is_lost_ && state_ != kDead;
}

bool TokenReader::may_end() { return masks_->automaton_.may_end(state()); }

std::shared_ptr<const AllowedTokens> TokenReader::allowed() { return masks_->allowed_in(state()); }

}  // namespace stitch::grammar
