// SPDX-License-Identifier: Apache-2.0
#include "knowledge/words/words.h"

#include <algorithm>
#include <array>

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxWordBytes = 96;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_foreign(char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; }
bool is_wordlike(char c) { return is_lower(c) || is_upper(c) || is_digit(c) || is_foreign(c); }
char lowered(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Bytes of the character at `at`; 0 where it is no UTF-8.
size_t utf8_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const size_t length = byte(0) < 0x80                      ? 1
                        : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                        : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                        : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                            : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  const bool is_too_long = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool is_no_character = (byte(0) == 0xED && byte(1) >= 0xA0) || (byte(0) == 0xF4 && byte(1) >= 0x90);
  return is_too_long || is_no_character ? 0 : length;
}

// What joins two pieces of one identifier: "_", ".", "-", "::", with a letter or digit (or "_") on either side.
size_t joint_bytes(std::string_view text, size_t at) {
  if (text[at] == '_') {
    return 1;
  }
  const size_t bytes = text[at] == '.' || text[at] == '-' ? 1 : text.substr(at).starts_with("::") ? 2 : 0;
  const bool follows =
      bytes > 0 && at + bytes < text.size() && (is_wordlike(text[at + bytes]) || text[at + bytes] == '_');
  return follows && at > 0 && is_wordlike(text[at - 1]) ? bytes : 0;
}

// Whether a new part begins at `at`, inside a piece: "memcpy|Async", "HTTP|Server".
bool begins_part(std::string_view piece, size_t at) {
  if (at == 0 || !is_upper(piece[at])) {
    return false;
  }
  return is_lower(piece[at - 1]) || (is_upper(piece[at - 1]) && at + 1 < piece.size() && is_lower(piece[at + 1]));
}

Word word_from(std::string_view spelled) {
  Word word{.spelled = spelled};
  std::string part;
  const auto end_part = [&] {
    if (!part.empty()) {
      word.parts.push_back(std::move(part));
    }
    part.clear();
  };
  for (size_t i = 0; i < spelled.size(); ++i) {
    if (!is_wordlike(spelled[i])) {
      word.is_identifier = word.is_identifier || spelled[i] != '-';
      end_part();
      continue;
    }
    if (begins_part(spelled, i)) {
      word.is_identifier = true;
      end_part();
    }
    part += lowered(spelled[i]);
    word.whole += lowered(spelled[i]);
  }
  end_part();
  if (word.parts.size() == 1) {
    word.parts.clear();
  }
  return word;
}

size_t end_of_word(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (is_foreign(text[at])) {
      const size_t bytes = utf8_bytes(text, at);
      // Punctuation of Unicode (U+2000 to U+206F: dashes, quotes) stands between words, too.
      if (bytes == 0 || text.substr(at).starts_with("\xE2\x80") || text.substr(at).starts_with("\xE2\x81")) {
        return at;
      }
      at += bytes;
    } else if (is_wordlike(text[at])) {
      ++at;
    } else if (const size_t bytes = joint_bytes(text, at); bytes > 0) {
      at += bytes;
    } else {
      return at;
    }
  }
  return at;
}

constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",     "about", "after",   "all",   "also",   "am",   "an",    "and",   "any",   "are",  "as",
     "at",    "be",    "because", "been",  "before", "but",  "by",    "can",   "could", "did",  "do",
     "does",  "each",  "for",     "from",  "get",    "gets", "had",   "has",   "have",  "how",  "i",
     "if",    "in",    "into",    "is",    "it",     "its",  "just",  "make",  "me",    "more", "most",
     "much",  "must",  "my",      "no",    "not",    "of",   "on",    "one",   "only",  "or",   "other",
     "our",   "out",   "over",    "same",  "should", "so",   "some",  "such",  "than",  "that", "the",
     "their", "them",  "then",    "there", "these",  "they", "this",  "those", "to",    "too",  "up",
     "use",   "used",  "using",   "very",  "was",    "way",  "we",    "were",  "what",  "when", "where",
     "which", "while", "who",     "why",   "will",   "with", "would", "you",   "your"});

}  // namespace

std::vector<Word> words_of(std::string_view text, size_t max_words) {
  std::vector<Word> words;
  for (size_t at = 0; at < text.size() && words.size() < max_words;) {
    const size_t end = end_of_word(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    if (end - at <= kMaxWordBytes) {  // longer ones are hashes, mangled names, pictures in text
      Word word = word_from(text.substr(at, end - at));
      if (!word.whole.empty()) {
        words.push_back(std::move(word));
      }
    }
    at = end;
  }
  return words;
}

std::string indexed_words(std::string_view text) {
  std::string indexed;
  for (const Word& word : words_of(text)) {
    indexed += word.whole + " ";
    for (const std::string& part : word.parts) {
      indexed += part + " ";
    }
  }
  return indexed;
}

bool is_stop_word(std::string_view word) { return std::binary_search(kStopWords.begin(), kStopWords.end(), word); }

bool is_number(std::string_view word) {
  const bool is_hexadecimal = word.starts_with("0x");
  return std::all_of(word.begin(), word.end(),
                     [&](char c) { return is_digit(c) || (is_hexadecimal && (c == 'x' || (c >= 'a' && c <= 'f'))); });
}

std::string clean_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = utf8_bytes(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_second_set = bytes == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    const bool steers = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || is_second_set;
    if (bytes == 0 || steers) {
      clean += ' ';
      at += std::max<size_t>(bytes, 1);
      continue;
    }
    clean += text.substr(at, bytes);
    at += bytes;
  }
  return clean;
}

std::string_view cut_utf8(std::string_view text, size_t max_bytes) {
  size_t end = std::min(text.size(), max_bytes);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace stitch::knowledge
