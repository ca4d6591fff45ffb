// SPDX-License-Identifier: Apache-2.0
// A regular expression of tokenizer.json, which Hugging Face's library runs on Oniguruma, run on PCRE2.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

namespace stitch::tokens {

struct Match {
  size_t begin = 0;
  size_t end = 0;
};

// As written for Oniguruma, with \s and \S spelled out: PCRE2's \s takes in U+180E, which has been no space since
// Unicode 6.3. On all other characters the two engines agree for the patterns that are in use.
std::string with_spaces_spelled_out(std::string_view pattern);

class Pattern {
 public:
  // kFileInvalid where PCRE2 does not understand it.
  static Result<Pattern> compile(const std::string& pattern);
  // What matches exactly `text`.
  static Result<Pattern> literal(const std::string& text);

  // All matches from left to right that are not empty. `text` is valid UTF-8. kFileInvalid where the pattern takes more
  // steps than a pattern should. Threads may share a Pattern.
  Result<std::vector<Match>> matches(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const void> code) : code_(std::move(code)) {}
  std::shared_ptr<const void> code_;  // pcre2_code, never changed: copies of a Pattern share it
};

}  // namespace stitch::tokens
