// SPDX-License-Identifier: Apache-2.0
// A file that is read where it lies: pages come when they are touched, so that a model need not fit into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "base/error/result.h"

namespace stitch::weights {

// Whoever cuts the file short while it is mapped kills the process that reads behind the cut: models' files are
// replaced whole, never written in place.
class MappedFile {
 public:
  // kFileInvalid where `path` is no regular file that can be read.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Stays where it is when the MappedFile is moved.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// Gives back the memory of pages that lie wholly in `bytes`, a part of a mapped file; they are read again when touched.
void forget_pages(std::span<const std::byte> bytes);

}  // namespace stitch::weights
