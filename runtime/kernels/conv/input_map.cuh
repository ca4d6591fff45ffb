// SPDX-License-Identifier: Apache-2.0
// What a convolution takes for the elements of its input, where it reads them into registers. A map is `float
// operator()(int64_t channel, float value) const`, of channels that are there; it may make anything of anything, zero
// included. What lies outside of the images is zero all the same: padding is of the mapped tensor.
#pragma once

#include <cstdint>
#include <type_traits>

namespace stitch {

// Elements as they are stored.
struct AsStored {
  __device__ __forceinline__ float operator()(int64_t, float value) const { return value; }
};

namespace input_map_detail {

// Of four neighbours, those that are there; what the map needs of the channel is read once for all. `is_there(lane)`.
template <typename InputMap, typename Presence>
__device__ __forceinline__ float4 map_four(const InputMap& map, int channel, int channels, const float4& values,
                                           const Presence& is_there) {
  if constexpr (std::is_same_v<InputMap, AsStored>) {
    return values;
  } else {
    const int nearest = channel < channels ? channel : channels - 1;
    const bool is_channel = channel < channels;
    const float4 mapped =
        make_float4(map(nearest, values.x), map(nearest, values.y), map(nearest, values.z), map(nearest, values.w));
    return make_float4(is_channel && is_there(0) ? mapped.x : 0, is_channel && is_there(1) ? mapped.y : 0,
                       is_channel && is_there(2) ? mapped.z : 0, is_channel && is_there(3) ? mapped.w : 0);
  }
}

}  // namespace input_map_detail

}  // namespace stitch
