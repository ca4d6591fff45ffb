// SPDX-License-Identifier: Apache-2.0
// The bytes of a shared library as the dynamic loader sees them: segments and the dynamic table, never section headers,
// which the loader does not read and which may hence say anything. Every read is checked against the bytes there are.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

namespace stitch::elf {

using Bytes = std::span<const std::byte>;

// kFileInvalid with a sentence for a file that is none, or that we cannot vouch for.
Unexpected refused(std::string message);

class Image {
 public:
  // Header, segments and dynamic table; the bytes must outlive it.
  static Result<Image> parse(Bytes bytes);

  Bytes bytes() const { return bytes_; }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Elf64_Dyn>& dynamic() const { return dynamic_; }
  const Elf64_Phdr* dynamic_segment() const;
  // The first entry with this tag; nothing when there is none.
  const Elf64_Dyn* find(int64_t tag) const;

  // The file's bytes from a run-time address to the end of the segment that holds it.
  Result<Bytes> at(uint64_t address) const;
  // That segment; null for an address outside all.
  const Elf64_Phdr* segment_of(uint64_t address) const;
  // The string at `offset` of the dynamic string table.
  Result<std::string> string_at(uint64_t offset) const;

 private:
  Result<void> read_segments();
  Result<void> check_segments() const;
  Result<void> read_dynamic();
  Result<void> read_strings();

  Bytes bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  std::string_view strings_;
};

// `count` objects of type T from the start of `bytes`.
template <typename T>
Result<std::vector<T>> read_objects(Bytes bytes, uint64_t count, const char* what) {
  if (count > bytes.size() / sizeof(T)) {
    return refused(std::string(what) + " reaches beyond the end of the file");
  }
  std::vector<T> objects(count);
  if (count > 0) {
    std::memcpy(objects.data(), bytes.data(), count * sizeof(T));
  }
  return objects;
}

}  // namespace stitch::elf
