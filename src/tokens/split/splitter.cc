// SPDX-License-Identifier: Apache-2.0
#include "tokens/split/splitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "tokens/text/unicode.h"
#include "tokens/text/utf8.h"

namespace stitch::tokens {
namespace {

// GPT-2's pattern, which ByteLevel has built in.
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Unexpected no_splitter(const std::string& what) {
  return failure(ErrorCode::kUnsupportedOperator, what, "",
                 "choose a byte-level tokenizer: GPT-2's, Llama 3's, Qwen's, SmolLM's");
}

Result<SplitBehaviour> behaviour_of(const Json& json) {
  STITCH_ASSIGN(const std::string name, json_string(json, "behavior"));
  constexpr std::pair<const char*, SplitBehaviour> kNames[] = {
      {"Removed", SplitBehaviour::kRemoved},
      {"Isolated", SplitBehaviour::kIsolated},
      {"MergedWithPrevious", SplitBehaviour::kMergedWithPrevious},
      {"MergedWithNext", SplitBehaviour::kMergedWithNext},
      {"Contiguous", SplitBehaviour::kContiguous}};
  for (const auto& [known, behaviour] : kNames) {
    if (name == known) {
      return behaviour;
    }
  }
  return no_splitter(fmt::format("a Split of behavior \"{}\" is not supported", printable_line(name, 60)));
}

Result<SplitStep> split_step(const Json& json) {
  SplitStep step;
  STITCH_ASSIGN(const Json* pattern, json_object(json, "pattern"));
  if (pattern->contains("Regex")) {
    STITCH_ASSIGN(const std::string regex, json_string(*pattern, "Regex"));
    STITCH_ASSIGN(step.pattern, Pattern::compile(regex));
  } else {
    STITCH_ASSIGN(const std::string text, json_string(*pattern, "String"));
    STITCH_ASSIGN(step.pattern, Pattern::literal(text));
  }
  STITCH_ASSIGN(step.behaviour, behaviour_of(json));
  if (json.contains("invert")) {
    STITCH_ASSIGN(step.is_inverted, json_bool(json, "invert"));
  }
  return step;
}

Result<SplitStep> byte_level_step(const Json& json) {
  SplitStep step;
  bool uses_pattern = true;
  if (json.contains("add_prefix_space")) {
    STITCH_ASSIGN(step.adds_prefix_space, json_bool(json, "add_prefix_space"));
  }
  if (json.contains("use_regex")) {
    STITCH_ASSIGN(uses_pattern, json_bool(json, "use_regex"));
  }
  if (uses_pattern) {
    STITCH_ASSIGN(step.pattern, Pattern::compile(kGpt2Pattern));
  }
  return step;
}

Result<SplitStep> digits_step(const Json& json) {
  SplitStep step;
  step.is_digits = true;
  bool are_single = false;
  if (json.contains("individual_digits")) {
    STITCH_ASSIGN(are_single, json_bool(json, "individual_digits"));
  }
  step.behaviour = are_single ? SplitBehaviour::kIsolated : SplitBehaviour::kContiguous;
  return step;
}

// `is_last` tells whether ByteLevel may stand here.
Result<SplitStep> step_of(const Json& json, bool is_last) {
  STITCH_ASSIGN(const std::string kind, json_string(json, "type"));
  if ((kind == "ByteLevel") != is_last) {
    return no_splitter("its pre_tokenizer does not end in its one ByteLevel: it is no byte-level tokenizer");
  }
  if (kind == "ByteLevel") {
    return byte_level_step(json);
  }
  if (kind == "Split") {
    return split_step(json);
  }
  if (kind == "Digits") {
    return digits_step(json);
  }
  return no_splitter(fmt::format("a pre_tokenizer of type \"{}\" is not supported", printable_line(kind, 60)));
}

std::vector<Match> numeric_characters(std::string_view text) {
  std::vector<Match> found;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = first_character(text.substr(at));
    if (is_numeric_character(step.character)) {
      found.push_back({at, at + step.bytes});
    }
    at += step.bytes;
  }
  return found;
}

struct Part {
  Match place;
  bool is_match = false;
};

std::vector<Part> alternating(const std::vector<Match>& matches, size_t size, bool is_inverted) {
  std::vector<Part> parts;
  size_t at = 0;
  for (const Match& match : matches) {
    if (at < match.begin) {
      parts.push_back({{at, match.begin}, is_inverted});
    }
    parts.push_back({match, !is_inverted});
    at = match.end;
  }
  if (at < size) {
    parts.push_back({{at, size}, is_inverted});
  }
  return parts;
}

// Whether a part is joined to the one before it, seen in the direction that the behaviour looks in.
bool joins(SplitBehaviour behaviour, bool is_match, bool was_match) {
  return behaviour == SplitBehaviour::kContiguous ? is_match == was_match : is_match && !was_match;
}

}  // namespace

std::vector<Match> parts_of(const std::vector<Match>& matches, size_t size, SplitBehaviour behaviour,
                            bool is_inverted) {
  std::vector<Part> parts = alternating(matches, size, is_inverted);
  std::vector<Match> joined;
  const bool is_backwards = behaviour == SplitBehaviour::kMergedWithNext;
  if (is_backwards) {
    std::reverse(parts.begin(), parts.end());
  }
  bool was_match = false;
  for (const Part& part : parts) {
    if (behaviour == SplitBehaviour::kIsolated || behaviour == SplitBehaviour::kRemoved) {
      if (behaviour == SplitBehaviour::kIsolated || !part.is_match) {
        joined.push_back(part.place);
      }
    } else if (!joined.empty() && joins(behaviour, part.is_match, was_match)) {
      joined.back() = {std::min(joined.back().begin, part.place.begin), std::max(joined.back().end, part.place.end)};
    } else {
      joined.push_back(part.place);
    }
    was_match = part.is_match;
  }
  if (is_backwards) {
    std::reverse(joined.begin(), joined.end());
  }
  return joined;
}

Result<Splitter> Splitter::from_json(const Json& pre_tokenizer) {
  Splitter splitter;
  STITCH_ASSIGN(const std::string kind, json_string(pre_tokenizer, "type"));
  if (kind != "Sequence") {
    STITCH_ASSIGN(SplitStep only, step_of(pre_tokenizer, true));
    splitter.steps_.push_back(std::move(only));
    return splitter;
  }
  STITCH_ASSIGN(const Json* list, json_array(pre_tokenizer, "pretokenizers"));
  if (list->empty()) {
    return no_splitter("its pre_tokenizer is an empty Sequence");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    STITCH_ASSIGN(SplitStep step, step_of((*list)[i], i + 1 == list->size()));
    splitter.steps_.push_back(std::move(step));
  }
  return splitter;
}

Result<std::vector<std::string>> Splitter::split(std::string_view text) const {
  std::vector<std::string> words;
  if (!text.empty()) {
    words.emplace_back(text);
  }
  for (const SplitStep& step : steps_) {
    std::vector<std::string> smaller;
    for (std::string& word : words) {
      if (step.adds_prefix_space && !word.starts_with(' ')) {
        word.insert(0, 1, ' ');
      }
      if (!step.pattern.has_value() && !step.is_digits) {
        smaller.push_back(std::move(word));
        continue;
      }
      std::vector<Match> matches;
      if (step.is_digits) {
        matches = numeric_characters(word);
      } else {
        STITCH_ASSIGN(matches, step.pattern->matches(word));
      }
      for (const Match& part : parts_of(matches, word.size(), step.behaviour, step.is_inverted)) {
        smaller.push_back(word.substr(part.begin, part.end - part.begin));
      }
    }
    words = std::move(smaller);
  }
  return words;
}

}  // namespace stitch::tokens
