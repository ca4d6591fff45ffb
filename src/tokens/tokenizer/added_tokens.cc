// SPDX-License-Identifier: Apache-2.0
#include "tokens/tokenizer/added_tokens.h"

#include <algorithm>

#include "base/json/json.h"
#include "tokens/text/unicode.h"
#include "tokens/text/utf8.h"

namespace stitch::tokens {
namespace {

// Steps back over one character of valid UTF-8.
size_t begin_of_last(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80) {
    --at;
  }
  return at;
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && is_word_character(first_character(text.substr(begin_of_last(text))).character);
}

bool starts_with_word(std::string_view text) {
  return !text.empty() && is_word_character(first_character(text).character);
}

size_t begin_of_spaces_at_end(std::string_view text) {
  while (!text.empty()) {
    const size_t last = begin_of_last(text);
    if (!is_white_space(first_character(text.substr(last)).character)) {
      break;
    }
    text = text.substr(0, last);
  }
  return text.size();
}

size_t spaces_at_start(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Utf8Step step = first_character(text.substr(bytes));
    if (!is_white_space(step.character)) {
      break;
    }
    bytes += step.bytes;
  }
  return bytes;
}

Result<bool> flag(const Json& json, const char* key, bool fallback) {
  return json.contains(key) ? json_bool(json, key) : Result<bool>(fallback);
}

}  // namespace

Result<AddedToken> added_token_from_json(const Json& json) {
  AddedToken token;
  STITCH_ASSIGN(token.content, json_string(json, "content"));
  STITCH_ASSIGN(token.id, json_int(json, "id"));
  STITCH_ASSIGN(token.is_special, flag(json, "special", false));
  STITCH_ASSIGN(token.is_normalised, flag(json, "normalized", !token.is_special));
  STITCH_ASSIGN(token.is_single_word, flag(json, "single_word", false));
  STITCH_ASSIGN(token.strips_left, flag(json, "lstrip", false));
  STITCH_ASSIGN(token.strips_right, flag(json, "rstrip", false));
  return token;
}

Json to_json(const AddedToken& token) {
  return {{"id", token.id},
          {"content", token.content},
          {"single_word", token.is_single_word},
          {"lstrip", token.strips_left},
          {"rstrip", token.strips_right},
          {"normalized", token.is_normalised},
          {"special", token.is_special}};
}

void AddedTokenFinder::add(const std::string& spelling, const AddedToken& token) {
  if (spelling.empty() || !tokens_.emplace(spelling, token).second) {
    return;
  }
  std::vector<size_t>& lengths = lengths_[static_cast<uint8_t>(spelling.front())];
  if (std::find(lengths.begin(), lengths.end(), spelling.size()) == lengths.end()) {
    lengths.push_back(spelling.size());
    std::sort(lengths.rbegin(), lengths.rend());
  }
}

const AddedToken* AddedTokenFinder::longest_at(std::string_view text, size_t at, size_t& bytes) const {
  for (const size_t length : lengths_[static_cast<uint8_t>(text[at])]) {
    if (length <= text.size() - at) {
      const auto found = tokens_.find(std::string(text.substr(at, length)));
      if (found != tokens_.end()) {
        bytes = length;
        return &found->second;
      }
    }
  }
  return nullptr;
}

std::vector<Stretch> AddedTokenFinder::split(std::string_view text, bool skips_special) const {
  std::vector<Stretch> stretches;
  size_t done = 0;  // everything before is in a stretch
  for (size_t at = 0; at < text.size();) {
    size_t bytes = 0;
    const AddedToken* token = longest_at(text, at, bytes);
    if (token == nullptr) {
      ++at;
      continue;
    }
    size_t begin = at;
    size_t end = at + bytes;
    at = end;
    if ((skips_special && token->is_special) ||
        (token->is_single_word && (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end))))) {
      continue;
    }
    begin = token->strips_left ? std::max(begin_of_spaces_at_end(text.substr(0, begin)), done) : begin;
    end += token->strips_right ? spaces_at_start(text.substr(end)) : 0;
    if (done < begin) {
      stretches.push_back({text.substr(done, begin - done), std::nullopt});
    }
    stretches.push_back({text.substr(begin, end - begin), token->id});
    done = end;
  }
  if (done < text.size()) {
    stretches.push_back({text.substr(done), std::nullopt});
  }
  return stretches;
}

}  // namespace stitch::tokens
