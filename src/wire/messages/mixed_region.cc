// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/mixed_region.h"

#include "base/json/json.h"

namespace stitch::wire {
namespace {

constexpr size_t kNumbers = 11;  // of one mix

Region region_at(const std::vector<int64_t>& numbers, size_t at) {
  return {.block = static_cast<uint64_t>(numbers[at]),
          .offset = static_cast<uint64_t>(numbers[at + 1]),
          .bytes = static_cast<uint64_t>(numbers[at + 2])};
}

}  // namespace

// One list of numbers: a burst has thousands of mixes, and a frame is no larger than it is.
Json to_json(const std::vector<MixedRegion>& mixes) {
  Json list = Json::array();
  for (const MixedRegion& mix : mixes) {
    for (const Region& region : {mix.first, mix.second, mix.to}) {
      list.push_back(region.block);
      list.push_back(region.offset);
      list.push_back(region.bytes);
    }
    list.push_back(mix.width);
    list.push_back(static_cast<int64_t>(mix.seed));
  }
  return list;
}

Result<std::vector<MixedRegion>> mixed_regions_from_json(const Json& arguments, const char* key) {
  STITCH_ASSIGN(const std::vector<int64_t> numbers, json_int_list(arguments, key));
  if (numbers.size() % kNumbers != 0) {
    return failure(ErrorCode::kFileInvalid, "a mix is eleven numbers: two regions to read, one to write, width, seed");
  }
  std::vector<MixedRegion> mixes;
  for (size_t at = 0; at < numbers.size(); at += kNumbers) {
    mixes.push_back({.first = region_at(numbers, at),
                     .second = region_at(numbers, at + 3),
                     .to = region_at(numbers, at + 6),
                     .width = static_cast<uint64_t>(numbers[at + 9]),
                     .seed = static_cast<uint64_t>(numbers[at + 10])});
  }
  return mixes;
}

}  // namespace stitch::wire
