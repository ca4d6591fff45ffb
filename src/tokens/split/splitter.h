// SPDX-License-Identifier: Apache-2.0
// A text cut into words before BPE merges within them: the "pre_tokenizer" of tokenizer.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "tokens/split/pattern.h"

namespace stitch::tokens {

// What becomes of the matches of a pattern, by the names of Hugging Face's library.
enum class SplitBehaviour { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct SplitStep {
  std::optional<Pattern> pattern;  // none: the text stays whole
  bool is_digits = false;          // numeric characters instead of a pattern
  SplitBehaviour behaviour = SplitBehaviour::kIsolated;
  bool is_inverted = false;
  bool adds_prefix_space = false;  // to each part that does not begin with one
};

class Splitter {
 public:
  // Split, Digits and ByteLevel, and a Sequence of them that ends in the one ByteLevel; kUnsupportedOperator for
  // others.
  static Result<Splitter> from_json(const Json& pre_tokenizer);

  // Words in order, none empty. `text` is valid UTF-8.
  Result<std::vector<std::string>> split(std::string_view text) const;

 private:
  std::vector<SplitStep> steps_;
};

// The parts into which `matches` cut a text of `size` bytes, empty ones left out.
std::vector<Match> parts_of(const std::vector<Match>& matches, size_t size, SplitBehaviour behaviour, bool is_inverted);

}  // namespace stitch::tokens
