// SPDX-License-Identifier: Apache-2.0
// What the tokens of a vocabulary stand for, in the order of their bytes: those that begin alike follow each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::grammar {

struct VocabularyEntry {
  std::string bytes;
  int64_t id = 0;
  size_t shared = 0;  // bytes that it begins with as the entry before does
};

class Vocabulary {
 public:
  // By id. Empty for what is never to be written: control tokens, ids without a token. kUsage where a byte that texts
  // of JSON may need is no token by itself: a text that was begun might have no token to go on with.
  static Result<Vocabulary> make(std::vector<std::string> bytes_of_ids);

  const std::vector<VocabularyEntry>& entries() const { return entries_; }
  const std::string& bytes_of(int64_t id) const { return bytes_[static_cast<size_t>(id)]; }
  size_t size() const { return bytes_.size(); }  // ids
  size_t longest() const { return longest_; }    // bytes

 private:
  explicit Vocabulary(std::vector<std::string> bytes) : bytes_(std::move(bytes)) {}

  std::vector<std::string> bytes_;
  std::vector<VocabularyEntry> entries_;
  size_t longest_ = 0;
};

}  // namespace stitch::grammar
