// SPDX-License-Identifier: Apache-2.0
// Reads a GGUF file (versions 2 and 3, little-endian) where it lies: metadata and tensors, quantised ones as they are
// stored. A stranger's file: every count and offset is checked (https://github.com/ggml-org/ggml, docs/gguf.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/result.h"
#include "weights/tensor/mapped_file.h"
#include "weights/tensor/tensor_view.h"

namespace stitch::weights {

// Numbers of all widths are widened; an array of booleans is one of integers.
using GgufValue = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>>;

struct GgufHeader {
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<TensorView> tensors;  // with llama.cpp's names; shapes have the innermost axis last
};

// `bytes` is a whole file. kFileInvalid where it is none, kUnsupportedOperator for a version or a type of elements that
// is not read here.
Result<GgufHeader> parse_gguf(std::span<const std::byte> bytes);

class GgufFile {
 public:
  static Result<GgufFile> open(const std::filesystem::path& path);

  // The views live as long as the file, which may be moved.
  const std::vector<TensorView>& tensors() const { return header_.tensors; }
  const TensorView* find(std::string_view name) const;

  const std::map<std::string, GgufValue, std::less<>>& values() const { return header_.values; }
  bool has(std::string_view key) const { return header_.values.find(key) != header_.values.end(); }
  // kFileInvalid where the key is missing or holds something else.
  Result<std::string> text(std::string_view key) const;
  Result<int64_t> integer(std::string_view key) const;
  Result<double> number(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  // Pointers live as long as the file, and until it is moved.
  Result<const std::vector<std::string>*> texts(std::string_view key) const;
  Result<const std::vector<int64_t>*> integers(std::string_view key) const;

 private:
  GgufFile(MappedFile file, GgufHeader header);
  MappedFile file_;
  GgufHeader header_;
  std::map<std::string, size_t, std::less<>> positions_;
};

}  // namespace stitch::weights
