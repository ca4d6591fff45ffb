// SPDX-License-Identifier: Apache-2.0
// Pointwise maps: ranks, ragged extents, vector and scalar paths, broadcast operands, tiles of operands that lie along
// another axis.
#include "kernels/pointwise/maps.cuh"
#include "kernels/pointwise/turned_map.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

// y = gelu(x + bias), bias along `kBiasAxis` of a rank-3 space.
template <int kBiasAxis>
struct BiasGelu {
  const float* x;
  const float* bias;
  float* y;
  int64_t rows;
  int64_t columns;

  template <int kLanes>
  __device__ void apply(const Index<3>& at) const {
    const int64_t place = (at[0] * rows + at[1]) * columns + at[2];
    Lanes<float, kLanes> values = load_float_lanes<kLanes>(x + place);
    const Lanes<float, kLanes> shift =
        kBiasAxis == 2 ? load_float_lanes<kLanes>(bias + at[2]) : broadcast_lanes<kLanes>(bias[at[kBiasAxis]]);
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] = gelu(values[lane] + shift[lane]);
    }
    store_float_lanes(y + place, values);
  }
};

double gelu_reference(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

template <int kBiasAxis>
void check_bias(Checker& checker, int64_t planes, int64_t rows, int64_t columns) {
  const int64_t extents[3] = {planes, rows, columns};
  const auto x = random_floats(planes * rows * columns, 1, -3.0f, 3.0f);
  const auto bias = random_floats(extents[kBiasAxis], 2);
  const DeviceFloats device_x(x);
  const DeviceFloats device_bias(bias);
  const DeviceFloats device_y(planes * rows * columns);
  const BiasGelu<kBiasAxis> functor{device_x.data(), device_bias.data(), device_y.data(), rows, columns};
  const MapShape<3> shape{{planes, rows, columns}, lanes_aligned(device_x.data(), rows * columns, columns)};
  checker.launched("map", launch_map<3>(functor, shape, nullptr));
  std::vector<double> want;
  for (int64_t place = 0; place < planes * rows * columns; ++place) {
    const int64_t at[3] = {place / columns / rows, place / columns % rows, place % columns};
    want.push_back(gelu_reference(static_cast<double>(x[place]) + bias[at[kBiasAxis]]));
  }
  checker.close("map " + std::to_string(kBiasAxis) + " columns " + std::to_string(columns), device_y.values(), want,
                2e-6);
}

// Maps of different ranks, lanes and extents in one launch; one of them has nothing to do.
void check_together(Checker& checker) {
  constexpr int64_t kRows = 6, kColumns = 52;
  const auto x = random_floats(kRows * kColumns, 5, -3.0f, 3.0f);
  const std::vector<float> none(kColumns, 0.0f);
  const DeviceFloats device_x(x);
  const DeviceFloats device_none(none);
  const DeviceFloats device_y(kRows * kColumns);
  const auto functor = [&](int64_t from) {
    return BiasGelu<2>{device_x.data() + from, device_none.data(), device_y.data() + from, 1, kColumns};
  };
  const auto shape = [](int64_t rows, bool vectorised) { return MapShape<3>{{rows, 1, kColumns}, vectorised}; };
  checker.launched(
      "maps", launch_maps(nullptr, map_part<3>(functor(0), shape(1, true)), map_part<3>(functor(0), shape(0, true)),
                          map_part<3>(functor(kColumns), shape(3, false)),
                          map_part<3, 1>(functor(4 * kColumns), shape(2, true))));
  std::vector<double> want;
  for (const float element : x) {
    want.push_back(gelu_reference(element));
  }
  checker.close("maps", device_y.values(), want, 2e-6);
  checker.launched("no map", launch_maps(nullptr, map_part<3>(functor(0), shape(0, true))));
}

// y[b, c, l] = x[b, l, c] + bias[c]: the operand lies along the middle axis of the result.
struct Turned {
  const float* x;
  const float* bias;
  float* y;
  int64_t channels;
  int64_t length;

  template <int kLanes>
  __device__ void apply(const Index<3>& at) const {
    static_assert(kLanes == 1);
    y[(at[0] * channels + at[1]) * length + at[2]] = x[(at[0] * length + at[2]) * channels + at[1]] + bias[at[1]];
  }
};

void check_turned(Checker& checker, int64_t batch, int64_t channels, int64_t length) {
  const auto x = random_floats(batch * channels * length, 7);
  const auto bias = random_floats(channels, 8);
  const DeviceFloats device_x(x);
  const DeviceFloats device_bias(bias);
  const DeviceFloats device_y(batch * channels * length);
  const Turned functor{device_x.data(), device_bias.data(), device_y.data(), channels, length};
  checker.launched("turned", launch_turned_map<3, 1>(functor, MapShape<3>{{batch, channels, length}, false}, nullptr));
  std::vector<double> want;
  for (int64_t place = 0; place < batch * channels * length; ++place) {
    const int64_t at[3] = {place / length / channels, place / length % channels, place % length};
    want.push_back(static_cast<double>(x[(at[0] * length + at[2]) * channels + at[1]]) + bias[at[1]]);
  }
  checker.close("turned " + std::to_string(channels) + " x " + std::to_string(length), device_y.values(), want, 2e-7);
}

struct ToBool {
  const float* x;
  bool* y;

  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    const Lanes<float, kLanes> values = load_float_lanes<kLanes>(x + at[0]);
    Lanes<bool, kLanes> flags;
    for (int lane = 0; lane < kLanes; ++lane) {
      flags[lane] = values[lane] > 0.0f;
    }
    store_lanes(y + at[0], flags);
  }
};

void check_types(Checker& checker) {
  constexpr int64_t kCount = 1024;
  const auto x = random_floats(kCount, 3);
  const DeviceFloats device_x(x);
  bool* flags = nullptr;
  cudaMalloc(&flags, kCount);
  checker.launched("to bool", launch_map<1>(ToBool{device_x.data(), flags}, MapShape<1>{{kCount}, true}, nullptr));
  bool host[kCount];
  cudaMemcpy(host, flags, kCount, cudaMemcpyDeviceToHost);
  bool same = true;
  for (int64_t index = 0; index < kCount; ++index) {
    same = same && host[index] == (x[index] > 0.0f);
  }
  checker.is_true("to bool", same);
  cudaFree(flags);
}

void check_divider(Checker& checker) {
  bool exact = true;
  const int64_t indices[] = {
      0, 1, 2, 6, 7, 8, 1000003, 2147483646, 2147483647, 2147483648, 123456789012, INT64_MAX - 1, INT64_MAX};
  for (const int64_t divisor :
       {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{7}, int64_t{64}, int64_t{641}, int64_t{65537}, int64_t{2147483647},
        int64_t{4294967296}, int64_t{3037000500}, INT64_MAX - 1, INT64_MAX}) {
    for (const int64_t index : indices) {
      const QuotientRemainder split = Divider(divisor).divide(index);
      exact = exact && split.quotient == index / divisor && split.remainder == index % divisor;
    }
  }
  checker.is_true("divider", exact);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  for (const int64_t columns : {1, 4, 7, 64, 129}) {
    check_bias<0>(checker, 3, 5, columns);
    check_bias<1>(checker, 3, 5, columns);
    check_bias<2>(checker, 2, 9, columns);
  }
  check_together(checker);
  for (const int64_t channels : {1, 31, 32, 70}) {
    check_turned(checker, 2, channels, 33);
    check_turned(checker, 1, channels, 64);
    check_turned(checker, 3, channels, 5);
  }
  check_turned(checker, 0, 4, 4);
  check_types(checker);
  check_divider(checker);
  return checker.finish();
}
