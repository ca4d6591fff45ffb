// SPDX-License-Identifier: Apache-2.0
// Weights in the safetensors format, as a generated program reads them.
#include "fuzz.h"
#include "host/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stitch;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  std::vector<SafeTensor> tensors;
  if (!read_safetensors(file.path(), &tensors).empty()) {
    return 0;
  }
  for (const SafeTensor& tensor : tensors) {
    fuzz::require(tensor.bytes.size() <= size, "no tensor is larger than its file");
    uint64_t bytes = static_cast<uint64_t>(dtype_bytes(tensor.dtype));
    for (const int64_t extent : tensor.extents) {
      fuzz::require(extent >= 0, "extents are counts");
      bytes *= static_cast<uint64_t>(extent);
    }
    fuzz::require(bytes == tensor.bytes.size(), "a tensor has the bytes of its extents");
  }
  return 0;
}
