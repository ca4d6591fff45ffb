// SPDX-License-Identifier: Apache-2.0
#include "tokens/bpe/bpe.h"

#include <fmt/format.h>

#include <queue>
#include <tuple>
#include <unordered_set>

#include "base/text/printable.h"
#include "tokens/text/byte_alphabet.h"

namespace stitch::tokens {
namespace {

constexpr TokenId kMaxTokenId = (TokenId{1} << 31) - 1;
constexpr size_t kMaxShownToken = 60;

uint64_t key_of(TokenId left, TokenId right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint64_t>(right);
}

Unexpected bad_tables(const std::string& why) { return failure(ErrorCode::kFileInvalid, why); }

}  // namespace

Result<Bpe> Bpe::make(BpeTables tables) {
  Bpe bpe;
  bpe.tables_ = std::move(tables);
  STITCH_TRY(bpe.add_vocabulary());
  STITCH_TRY(bpe.add_merges());
  if (bpe.tables_.unknown.has_value()) {
    bpe.unknown_ = bpe.id_of(*bpe.tables_.unknown);
    if (!bpe.unknown_.has_value()) {
      return bad_tables("its unk_token is not in its vocabulary");
    }
  }
  return bpe;
}

Result<void> Bpe::add_vocabulary() {
  single_.fill(-1);
  std::unordered_set<TokenId> taken;
  for (const auto& [token, id] : tables_.vocabulary) {
    if (!(id >= 0 && id <= kMaxTokenId)) {
      return bad_tables(
          fmt::format("token \"{}\" has the id {}, which is none", printable_line(token, kMaxShownToken), id));
    }
    if (!taken.insert(id).second || !ids_.emplace(token, id).second) {
      return bad_tables(
          fmt::format("token \"{}\" or its id {} is there twice", printable_line(token, kMaxShownToken), id));
    }
    const std::optional<std::string> bytes = bytes_of_letters(token);
    if (bytes.has_value() && !bytes->empty()) {
      byte_ids_.emplace(*bytes, id);
      if (bytes->size() == 1) {
        single_[static_cast<uint8_t>(bytes->front())] = id;
      }
    }
  }
  return {};
}

Result<void> Bpe::add_merges() {
  for (size_t rank = 0; rank < tables_.merges.size(); ++rank) {
    const auto& [left, right] = tables_.merges[rank];
    const std::optional<TokenId> left_id = id_of(left);
    const std::optional<TokenId> right_id = id_of(right);
    const std::optional<TokenId> merged = id_of(left + right);
    if (!left_id.has_value() || !right_id.has_value() || !merged.has_value()) {
      return bad_tables(fmt::format("merge {} names what is not in its vocabulary: \"{}\" and \"{}\"", rank,
                                    printable_line(left, kMaxShownToken), printable_line(right, kMaxShownToken)));
    }
    // Of a merge that is there twice the later counts, as in Hugging Face's library.
    merges_[key_of(*left_id, *right_id)] = {static_cast<uint32_t>(rank), *merged};
  }
  return {};
}

std::optional<TokenId> Bpe::id_of(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const Bpe::Merge* Bpe::merge_of(TokenId left, TokenId right) const {
  const auto found = merges_.find(key_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<Bpe::Symbol> Bpe::symbols_of(std::string_view word) const {
  std::vector<Symbol> symbols;
  bool was_unknown = false;
  for (const char byte : word) {
    TokenId id = single_[static_cast<uint8_t>(byte)];
    const bool is_unknown = id < 0;
    if (is_unknown) {
      if (!unknown_.has_value() || (was_unknown && tables_.fuses_unknown)) {
        continue;
      }
      id = *unknown_;
    }
    was_unknown = is_unknown;
    const int at = static_cast<int>(symbols.size());
    symbols.push_back({id, at - 1, at + 1, false});
  }
  if (!symbols.empty()) {
    symbols.back().next = -1;
  }
  return symbols;
}

void Bpe::merge_symbols(std::vector<Symbol>& symbols) const {
  // rank, position of the left one, what both become
  using Candidate = std::tuple<uint32_t, int, TokenId>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](int left) {
    const int right = left < 0 ? -1 : symbols[static_cast<size_t>(left)].next;
    if (right >= 0) {
      const Merge* merge = merge_of(symbols[static_cast<size_t>(left)].id, symbols[static_cast<size_t>(right)].id);
      if (merge != nullptr) {
        queue.emplace(merge->rank, left, merge->merged);
      }
    }
  };
  for (size_t i = 0; i < symbols.size(); ++i) {
    offer(static_cast<int>(i));
  }
  while (!queue.empty()) {
    const auto [rank, left, merged] = queue.top();
    queue.pop();
    Symbol& first = symbols[static_cast<size_t>(left)];
    if (first.is_gone || first.next < 0) {
      continue;
    }
    Symbol& second = symbols[static_cast<size_t>(first.next)];
    const Merge* still = merge_of(first.id, second.id);
    if (still == nullptr || still->rank != rank || still->merged != merged) {
      continue;  // one of the two has become something else since
    }
    first.id = merged;
    second.is_gone = true;
    first.next = second.next;
    if (first.next >= 0) {
      symbols[static_cast<size_t>(first.next)].previous = left;
    }
    offer(first.previous);
    offer(left);
  }
}

void Bpe::encode_word(std::string_view word, std::vector<TokenId>& ids) const {
  if (tables_.ignores_merges) {
    const auto whole = byte_ids_.find(std::string(word));
    if (whole != byte_ids_.end()) {
      ids.push_back(whole->second);
      return;
    }
  }
  std::vector<Symbol> symbols = symbols_of(word);
  merge_symbols(symbols);
  for (const Symbol& symbol : symbols) {
    if (!symbol.is_gone) {
      ids.push_back(symbol.id);
    }
  }
}

}  // namespace stitch::tokens
