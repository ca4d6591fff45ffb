// SPDX-License-Identifier: Apache-2.0
// Reads a safetensors file where it lies. The file is a stranger's: whatever its header says is checked before it is
// believed (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "weights/tensor/mapped_file.h"
#include "weights/tensor/tensor_view.h"

namespace stitch::weights {

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // "__metadata__"
  std::vector<TensorView> tensors;              // as their bytes follow one another
};

// `bytes` is a whole file; the views lie in it. kFileInvalid unless the tensors cover what follows the header without
// gap or overlap, each with just the bytes that its type and shape take.
Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> bytes);

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  // The views live as long as the file, which may be moved.
  const std::vector<TensorView>& tensors() const { return header_.tensors; }
  const TensorView* find(std::string_view name) const;
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

 private:
  SafetensorsFile(MappedFile file, SafetensorsHeader header);
  MappedFile file_;
  SafetensorsHeader header_;
  std::map<std::string, size_t, std::less<>> positions_;
};

}  // namespace stitch::weights
