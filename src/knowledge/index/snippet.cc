// SPDX-License-Identifier: Apache-2.0
#include "knowledge/index/snippet.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/text/printable.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

using Weights = std::unordered_map<std::string, int>;

// Endings that grammar adds; the table of words takes them off as well.
std::string without_ending(const std::string& word) {
  for (const std::string_view ending : {"ing", "ed", "es", "s"}) {
    if (word.size() > ending.size() + 2 && word.ends_with(ending)) {
      return word.substr(0, word.size() - ending.size());
    }
  }
  return word;
}

int weight_of(const Weights& weights, const Word& word) {
  int best = 0;
  const auto look_up = [&](const std::string& text) {
    const auto found = weights.find(without_ending(text));
    best = found == weights.end() ? best : std::max(best, found->second);
  };
  look_up(word.whole);
  for (const std::string& part : word.parts) {
    look_up(part);
  }
  return best;
}

// A line, and those below it that are indented as what goes on with it.
size_t end_of_paragraph(std::string_view text, size_t at) {
  size_t end = std::min(text.find('\n', at), text.size());
  while (text.substr(end).starts_with("\n  ")) {
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return end;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t';
    if (!is_space || (!line.empty() && line.back() != ' ')) {
      line += is_space ? ' ' : c;
    }
  }
  return line;
}

struct Line {
  int weight = 0;
  size_t first_hit = 0;  // from the beginning of the line
  std::string_view text{};
};

Line weighed(std::string_view text, const Weights& weights) {
  Line line{.text = text};
  std::unordered_map<std::string, bool> seen;
  for (const Word& word : words_of(text)) {
    const int weight = weight_of(weights, word);
    if (weight == 0 || seen[word.whole]) {
      continue;
    }
    seen[word.whole] = true;
    line.first_hit = line.weight == 0 ? static_cast<size_t>(word.spelled.data() - text.data()) : line.first_hit;
    line.weight += weight;
  }
  return line;
}

}  // namespace

std::string snippet_of(const std::string& text, const std::vector<Term>& terms) {
  constexpr size_t kBefore = 60;
  Weights weights;
  for (const Term& term : terms) {
    int& weight = weights[without_ending(term.text)];
    weight = std::max(weight, term.weight);
  }
  Line best;
  const std::string_view all(text);
  for (size_t at = 0; at < all.size();) {
    const size_t end = end_of_paragraph(all, at);
    const Line line = weighed(all.substr(at, end - at), weights);
    if (line.text.starts_with("# ")) {  // the title, which is told anyway
      at = end + 1;
      continue;
    }
    if (line.weight > best.weight || best.text.empty()) {
      best = line;
    }
    at = end + 1;
  }
  if (best.text.size() > kMaxSnippetBytes && best.first_hit > kBefore) {
    const size_t begin = best.text.rfind(' ', best.first_hit - kBefore);
    best.text.remove_prefix(begin == std::string_view::npos ? 0 : begin + 1);
  }
  return printable_line(on_one_line(best.text), kMaxSnippetBytes);
}

}  // namespace stitch::knowledge
