// SPDX-License-Identifier: Apache-2.0
// Reads and writes safetensors files: 8 bytes of header length, a JSON header, raw little-endian tensors. A malformed
// file gives a sentence, never a crash: every length is checked before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stitch {

struct SafeTensor {
  std::string name;
  int dtype = -1;  // STITCH_FLOAT32 and so on
  std::vector<std::int64_t> extents;
  std::vector<unsigned char> bytes;
};

// Bytes of one element of a STITCH_ dtype.
std::int64_t dtype_bytes(int dtype);

// Each returns an empty string, or a sentence on what is wrong with which file.
[[nodiscard]] std::string read_safetensors(const std::string& path, std::vector<SafeTensor>* tensors);
[[nodiscard]] std::string write_safetensors(const std::string& path, const std::vector<SafeTensor>& tensors);

}  // namespace stitch
