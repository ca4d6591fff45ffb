// SPDX-License-Identifier: Apache-2.0
// How messages name memory. The keeper owns blocks, each shared as one token; a tensor is a region of a block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::wire {

// What another process needs to map a block. Emulated: a memfd travels with the message and `handle` is empty; on a
// GPU: the cudaIpc handle in hexadecimal.
struct BlockToken {
  uint64_t id = 0;
  uint64_t bytes = 0;
  std::string handle;
};

struct Region {
  uint64_t block = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct TensorArgument {
  Region region;
  std::vector<int64_t> extents;
};

Json to_json(const std::vector<BlockToken>& tokens);
Result<std::vector<BlockToken>> block_tokens_from_json(const Json& arguments, const char* key);

Json to_json(const std::vector<Region>& regions);
Result<std::vector<Region>> regions_from_json(const Json& arguments, const char* key);

Json to_json(const std::vector<TensorArgument>& tensors);
Result<std::vector<TensorArgument>> tensor_arguments_from_json(const Json& arguments, const char* key);

}  // namespace stitch::wire
