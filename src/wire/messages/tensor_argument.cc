// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/tensor_argument.h"

#include "base/json/json.h"

namespace stitch::wire {
namespace {

Json region_json(const Region& region) {
  return {{"block", region.block}, {"offset", region.offset}, {"bytes", region.bytes}};
}

Result<Region> region_from_json(const Json& json) {
  STITCH_ASSIGN(const int64_t block, json_int(json, "block"));
  STITCH_ASSIGN(const int64_t offset, json_int(json, "offset"));
  STITCH_ASSIGN(const int64_t bytes, json_int(json, "bytes"));
  return Region{static_cast<uint64_t>(block), static_cast<uint64_t>(offset), static_cast<uint64_t>(bytes)};
}

}  // namespace

Json to_json(const std::vector<BlockToken>& tokens) {
  Json list = Json::array();
  for (const BlockToken& token : tokens) {
    list.push_back({{"id", token.id}, {"bytes", token.bytes}, {"handle", token.handle}});
  }
  return list;
}

Result<std::vector<BlockToken>> block_tokens_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(arguments, key));
  std::vector<BlockToken> tokens;
  for (const Json& item : *list) {
    STITCH_ASSIGN(const int64_t id, json_int(item, "id"));
    STITCH_ASSIGN(const int64_t bytes, json_int(item, "bytes"));
    STITCH_ASSIGN(std::string handle, json_string(item, "handle"));
    tokens.push_back({static_cast<uint64_t>(id), static_cast<uint64_t>(bytes), std::move(handle)});
  }
  return tokens;
}

Json to_json(const std::vector<Region>& regions) {
  Json list = Json::array();
  for (const Region& region : regions) {
    list.push_back(region_json(region));
  }
  return list;
}

Result<std::vector<Region>> regions_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(arguments, key));
  std::vector<Region> regions;
  for (const Json& item : *list) {
    STITCH_ASSIGN(const Region region, region_from_json(item));
    regions.push_back(region);
  }
  return regions;
}

Json to_json(const std::vector<TensorArgument>& tensors) {
  Json list = Json::array();
  for (const TensorArgument& tensor : tensors) {
    Json item = region_json(tensor.region);
    item["extents"] = tensor.extents;
    list.push_back(std::move(item));
  }
  return list;
}

Result<std::vector<TensorArgument>> tensor_arguments_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(arguments, key));
  std::vector<TensorArgument> tensors;
  for (const Json& item : *list) {
    STITCH_ASSIGN(const Region region, region_from_json(item));
    STITCH_ASSIGN(std::vector<int64_t> extents, json_int_list(item, "extents"));
    tensors.push_back({region, std::move(extents)});
  }
  return tensors;
}

}  // namespace stitch::wire
