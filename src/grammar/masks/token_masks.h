// SPDX-License-Identifier: Apache-2.0
// Which tokens may follow, so that what is written stays the beginning of a text of the grammar.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/automaton/automaton.h"
#include "grammar/masks/vocabulary.h"

namespace stitch::grammar {

// A byte an id of the vocabulary: 1 where it may follow.
using AllowedTokens = std::vector<uint8_t>;

// Of one grammar; for one thread.
class TokenMasks {
 public:
  // `most_states`: as many states are kept, and forgotten together.
  TokenMasks(Grammar grammar, std::shared_ptr<const Vocabulary> vocabulary, size_t most_states = size_t{1} << 15U)
      : automaton_(std::move(grammar)), vocabulary_(std::move(vocabulary)), most_states_(most_states) {}

 private:
  friend class TokenReader;
  std::shared_ptr<const AllowedTokens> allowed_in(StateId state);
  void forget_if_large();

  Automaton automaton_;
  std::shared_ptr<const Vocabulary> vocabulary_;  // shared with the grammars of other requests
  size_t most_states_;
  uint64_t generation_ = 0;  // how often states were forgotten
  std::unordered_map<StateId, std::shared_ptr<const AllowedTokens>> masks_;
};

// One text, token by token.
class TokenReader {
 public:
  explicit TokenReader(TokenMasks& masks) : masks_(&masks) {}

  // False where one of them cannot follow; nothing can from then on.
  bool read(std::span<const int64_t> tokens);
  size_t count() const { return tokens_.size(); }  // that were read
  bool may_end();                                  // the text may be over here
  std::shared_ptr<const AllowedTokens> allowed();

 private:
  // Its number where states were forgotten since.
  StateId state();

  TokenMasks* masks_;
  std::vector<int64_t> tokens_;
  StateId state_ = kStart;
  uint64_t generation_ = 0;
  bool is_lost_ = false;  // by a token that stands for nothing
};

}  // namespace stitch::grammar
