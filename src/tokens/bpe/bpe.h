// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding within one word: the pair that was learned first is merged first, the leftmost of equals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error/result.h"

namespace stitch::tokens {

using TokenId = int64_t;  // as tensors of indices have it

// As tokenizer.json states a model of type BPE. Tokens are written in the byte alphabet.
struct BpeTables {
  std::vector<std::pair<std::string, TokenId>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;  // in the order in which they were learned
  std::optional<std::string> unknown;
  bool fuses_unknown = false;
  bool ignores_merges = false;  // a word that is a token is that token, whatever merges would make of it
};

class Bpe {
 public:
  // kFileInvalid where an id is given twice, where a merge names what is no token, or where a number is no id.
  static Result<Bpe> make(BpeTables tables);

  // `word` is raw bytes. A byte that is no token becomes the unknown one, or nothing where there is none.
  void encode_word(std::string_view word, std::vector<TokenId>& ids) const;

  std::optional<TokenId> id_of(std::string_view token) const;  // written in the byte alphabet
  const BpeTables& tables() const { return tables_; }

 private:
  struct Merge {
    uint32_t rank = 0;
    TokenId merged = 0;
  };
  struct Symbol {
    TokenId id = 0;
    int previous = -1;
    int next = -1;
    bool is_gone = false;
  };
  Result<void> add_vocabulary();
  Result<void> add_merges();
  std::vector<Symbol> symbols_of(std::string_view word) const;
  void merge_symbols(std::vector<Symbol>& symbols) const;
  const Merge* merge_of(TokenId left, TokenId right) const;

  BpeTables tables_;
  std::unordered_map<std::string, TokenId> ids_;       // by the token as written
  std::unordered_map<std::string, TokenId> byte_ids_;  // by the bytes that it stands for
  std::array<TokenId, 256> single_{};                  // of one byte; -1: none
  std::optional<TokenId> unknown_;
  std::unordered_map<uint64_t, Merge> merges_;
};

}  // namespace stitch::tokens
