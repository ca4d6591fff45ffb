// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/tensor_argument.h"

#include "base/json/json.h"

namespace stitch::wire {

Json to_json(const std::vector<BufferToken>& tokens) {
  Json list = Json::array();
  for (const BufferToken& token : tokens) {
    list.push_back({{"id", token.id}, {"bytes", token.bytes}, {"handle", token.handle}});
  }
  return list;
}

Result<std::vector<BufferToken>> buffer_tokens_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(arguments, key));
  std::vector<BufferToken> tokens;
  for (const Json& item : *list) {
    STITCH_ASSIGN(const int64_t id, json_int(item, "id"));
    STITCH_ASSIGN(const int64_t bytes, json_int(item, "bytes"));
    STITCH_ASSIGN(std::string handle, json_string(item, "handle"));
    tokens.push_back({static_cast<uint64_t>(id), static_cast<uint64_t>(bytes), std::move(handle)});
  }
  return tokens;
}

Json to_json(const std::vector<TensorArgument>& tensors) {
  Json list = Json::array();
  for (const TensorArgument& tensor : tensors) {
    list.push_back({{"buffer", tensor.buffer}, {"extents", tensor.extents}});
  }
  return list;
}

Result<std::vector<TensorArgument>> tensor_arguments_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(arguments, key));
  std::vector<TensorArgument> tensors;
  for (const Json& item : *list) {
    STITCH_ASSIGN(const int64_t buffer, json_int(item, "buffer"));
    STITCH_ASSIGN(std::vector<int64_t> extents, json_int_list(item, "extents"));
    tensors.push_back({static_cast<uint64_t>(buffer), std::move(extents)});
  }
  return tensors;
}

}  // namespace stitch::wire
