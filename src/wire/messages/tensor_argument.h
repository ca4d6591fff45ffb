// SPDX-License-Identifier: Apache-2.0
// How messages name memory: a shared buffer by the keeper's number for it, and a tensor as a buffer with extents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::wire {

// What another process needs to map a buffer. Emulated: a memfd travels with the message and `handle` is empty; on a
// GPU: the cudaIpc handle in hexadecimal.
struct BufferToken {
  uint64_t id = 0;
  uint64_t bytes = 0;
  std::string handle;
};

struct TensorArgument {
  uint64_t buffer = 0;
  std::vector<int64_t> extents;
};

Json to_json(const std::vector<BufferToken>& tokens);
Result<std::vector<BufferToken>> buffer_tokens_from_json(const Json& arguments, const char* key);

Json to_json(const std::vector<TensorArgument>& tensors);
Result<std::vector<TensorArgument>> tensor_arguments_from_json(const Json& arguments, const char* key);

}  // namespace stitch::wire
