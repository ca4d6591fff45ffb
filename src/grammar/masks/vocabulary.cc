// SPDX-License-Identifier: Apache-2.0
#include "grammar/masks/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stitch::grammar {
namespace {

// All of ASCII that may be seen, and what characters beyond it go on with.
bool is_needed(size_t byte) { return (byte >= 0x20 && byte < 0x7F) || (byte >= 0x80 && byte < 0xC0); }

}  // namespace

Result<Vocabulary> Vocabulary::make(std::vector<std::string> bytes_of_ids) {
  Vocabulary made(std::move(bytes_of_ids));
  std::array<bool, 256> is_token{};
  for (size_t id = 0; id < made.bytes_.size(); ++id) {
    const std::string& bytes = made.bytes_[id];
    if (!bytes.empty()) {
      made.entries_.push_back({.bytes = bytes, .id = static_cast<int64_t>(id)});
      made.longest_ = std::max(made.longest_, bytes.size());
    }
    if (bytes.size() == 1) {
      is_token[static_cast<uint8_t>(bytes.front())] = true;
    }
  }
  for (size_t byte = 0; byte < is_token.size(); ++byte) {
    if (is_needed(byte) && !is_token[byte]) {
      return failure(ErrorCode::kUsage, fmt::format("the vocabulary has no token for the byte 0x{:02X} alone", byte),
                     "", "ask this model for text without a schema");
    }
  }
  std::sort(made.entries_.begin(), made.entries_.end(), [](const VocabularyEntry& left, const VocabularyEntry& right) {
    return left.bytes != right.bytes ? left.bytes < right.bytes : left.id < right.id;
  });
  for (size_t i = 1; i < made.entries_.size(); ++i) {
    const std::string& before = made.entries_[i - 1].bytes;
    const std::string& bytes = made.entries_[i].bytes;
    const size_t most = std::min(before.size(), bytes.size());
    size_t& shared = made.entries_[i].shared;
    while (shared < most && before[shared] == bytes[shared]) {
      ++shared;
    }
  }
  return made;
}

}  // namespace stitch::grammar
