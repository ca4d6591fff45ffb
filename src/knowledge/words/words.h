// SPDX-License-Identifier: Apache-2.0
// Text to the words that it is found by. An identifier is found whole and by its parts: "cudaMemcpyAsync" gives
// "cudamemcpyasync", "cuda", "memcpy", "async"; "cp.async" gives "cpasync", "cp", "async"; "__syncthreads" gives
// "syncthreads"; "split-K" gives "splitk", "split", "k".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stitch::knowledge {

struct Word {
  std::string whole{};               // lower case, nothing but letters and digits; of other alphabets as it was
  std::vector<std::string> parts{};  // empty where it is of one piece
  bool is_identifier = false;        // spelled as one: with "_", "::", ".", inner capitals
  std::string_view spelled{};        // as it stands in the text
};

// Bytes that are no UTF-8, and everything that is neither letter nor digit, stand between words.
std::vector<Word> words_of(std::string_view text, size_t max_words = SIZE_MAX);

// Wholes and parts with a space between each: what the full-text table is given.
std::string indexed_words(std::string_view text);

// "the", "how", "of": so common that nothing is found by them.
bool is_stop_word(std::string_view word);
bool is_number(std::string_view word);

// `text` with every byte that is no UTF-8, and every control character but line breaks and tabs, replaced by a space.
std::string clean_utf8(std::string_view text);

// At most its first `max_bytes` bytes, no character in halves.
std::string_view cut_utf8(std::string_view text, size_t max_bytes);

}  // namespace stitch::knowledge
