// SPDX-License-Identifier: Apache-2.0
#include "tokens/bpe/train_bpe.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>

#include "tokens/text/byte_alphabet.h"
#include "tokens/text/utf8.h"

namespace stitch::tokens {
namespace {

using TokenPair = std::pair<TokenId, TokenId>;

struct CountedWord {
  std::vector<TokenId> ids;
  int64_t count = 0;
};

// Most frequent first, then of the smallest ids.
struct Frequent {
  int64_t count = 0;
  TokenPair pair;
  bool operator<(const Frequent& other) const { return count != other.count ? count < other.count : other.pair < pair; }
};

class BpeTrainer {
 public:
  BpeTrainer(const std::map<std::string, int64_t>& words, const TrainBpeOptions& options) : options_(options) {
    add_first_tokens();
    add_words(words);
  }

  BpeTables run() && {
    for (const auto& [pair, count] : counts_) {
      queue_.push({count, pair});
    }
    while (static_cast<int64_t>(tokens_.size()) < options_.vocab_size && !queue_.empty()) {
      const Frequent top = queue_.top();
      queue_.pop();
      const int64_t count = counts_[top.pair];
      if (count != top.count) {
        if (count > 0) {
          queue_.push({count, top.pair});
        }
        continue;
      }
      if (count < std::max<int64_t>(options_.min_count, 1)) {
        break;
      }
      merge(top.pair);
    }
    return std::move(tables_);
  }

 private:
  TokenId token(const std::string& written) {
    const auto [entry, is_new] = ids_.emplace(written, static_cast<TokenId>(tokens_.size()));
    if (is_new) {
      tokens_.push_back(written);
      tables_.vocabulary.emplace_back(written, entry->second);
    }
    return entry->second;
  }

  void add_first_tokens() {
    for (const std::string& special : options_.special_tokens) {
      token(special);
    }
    std::vector<char32_t> letters;
    for (int byte = 0; byte < 256; ++byte) {
      letters.push_back(letter_of(static_cast<uint8_t>(byte)));
    }
    std::sort(letters.begin(), letters.end());
    for (const char32_t letter : letters) {
      std::string written;
      append_utf8(letter, written);
      token(written);
    }
  }

  void add_words(const std::map<std::string, int64_t>& words) {
    for (const auto& [bytes, count] : words) {
      CountedWord word{{}, count};
      for (const char byte : bytes) {
        word.ids.push_back(ids_.at(letters_of_bytes(std::string_view(&byte, 1))));
      }
      for (size_t i = 0; i + 1 < word.ids.size(); ++i) {
        const TokenPair pair(word.ids[i], word.ids[i + 1]);
        counts_[pair] += count;
        places_[pair].insert(words_.size());
      }
      words_.push_back(std::move(word));
    }
  }

  void merge(const TokenPair& pair) {
    const std::string& left = tokens_[static_cast<size_t>(pair.first)];
    const std::string& right = tokens_[static_cast<size_t>(pair.second)];
    tables_.merges.emplace_back(left, right);
    const TokenId merged = token(left + right);
    std::set<TokenPair> grown;
    const std::set<size_t> places = std::exchange(places_[pair], {});
    for (const size_t place : places) {
      merge_in(words_[place], place, pair, merged, grown);
    }
    for (const TokenPair& each : grown) {
      if (counts_[each] > 0) {
        queue_.push({counts_[each], each});
      }
    }
  }

  // From left to right. Each merge changes the counts of the pairs that it takes part in, as they stand at that moment.
  void merge_in(CountedWord& word, size_t place, const TokenPair& pair, TokenId merged, std::set<TokenPair>& grown) {
    const auto add = [&](TokenId a, TokenId b) {
      counts_[{a, b}] += word.count;
      places_[{a, b}].insert(place);
      grown.insert({a, b});
    };
    for (size_t i = 0; i + 1 < word.ids.size(); ++i) {
      if (word.ids[i] != pair.first || word.ids[i + 1] != pair.second) {
        continue;
      }
      if (i > 0) {
        counts_[{word.ids[i - 1], pair.first}] -= word.count;
        add(word.ids[i - 1], merged);
      }
      word.ids[i] = merged;
      word.ids.erase(word.ids.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (i + 1 < word.ids.size()) {
        counts_[{pair.second, word.ids[i + 1]}] -= word.count;
        add(merged, word.ids[i + 1]);
      }
    }
  }

  const TrainBpeOptions& options_;
  BpeTables tables_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, TokenId> ids_;
  std::vector<CountedWord> words_;
  std::map<TokenPair, int64_t> counts_;
  std::map<TokenPair, std::set<size_t>> places_;
  std::priority_queue<Frequent> queue_;
};

}  // namespace

BpeTables train_bpe(const std::map<std::string, int64_t>& words, const TrainBpeOptions& options) {
  return BpeTrainer(words, options).run();
}

}  // namespace stitch::tokens
