// SPDX-License-Identifier: Apache-2.0
// Tokens that are found in a text before anything else is done to it: "<|im_end|>".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "tokens/bpe/bpe.h"

namespace stitch::tokens {

struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool is_special = false;     // left out of decoded text where that is asked for
  bool is_normalised = false;  // looked for in the normalised text
  bool is_single_word = false;
  bool strips_left = false;
  bool strips_right = false;
};

Result<AddedToken> added_token_from_json(const Json& json);
Json to_json(const AddedToken& token);

// A stretch of a text: a token, or what lies between tokens.
struct Stretch {
  std::string_view text;
  std::optional<TokenId> id;
};

// Finds tokens from left to right, the longest where several begin at one place.
class AddedTokenFinder {
 public:
  void add(const std::string& spelling, const AddedToken& token);
  // The rules of Hugging Face's library; special tokens are passed over with `skips_special`.
  std::vector<Stretch> split(std::string_view text, bool skips_special) const;

 private:
  const AddedToken* longest_at(std::string_view text, size_t at, size_t& bytes) const;

  std::unordered_map<std::string, AddedToken> tokens_;  // by spelling
  std::array<std::vector<size_t>, 256> lengths_;        // of those with that first byte, the longest first
};

}  // namespace stitch::tokens
