// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of few channels by three fp16 products that are pooled, reduced over axes and softened over
// channels where they are computed: windows of many shapes, patches that hang over and of several images, what fp16
// does not hold.
#include <algorithm>
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/direct_fp16_pool.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

struct AddBias {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, int64_t, float sum) const {
    return sum + bias[channel];
  }
  __device__ float operator()(int64_t, int64_t channel, int64_t, int64_t, int64_t, float sum) const {
    return sum + bias[channel];
  }
};

// What a softmax has made, or is to begin with: of all places alike but for their sum.
struct ScaleByPlace {
  int64_t sum;

  __device__ float scaled(int64_t place, float value) const { return value * static_cast<float>(place % 3 + 1); }
  __device__ float operator()(int64_t, int64_t, float value) const { return scaled(0, value); }
  __device__ float operator()(int64_t, int64_t, int64_t x, float value) const { return scaled(x, value); }
  __device__ float operator()(int64_t, int64_t, int64_t y, int64_t x, float value) const {
    return scaled(y + x, value);
  }
  __device__ float operator()(int64_t, int64_t, int64_t z, int64_t y, int64_t x, float value) const {
    return scaled(z + y + x, value);
  }
};

// Everything that is left, `counts` without the axes that are not kept.
struct StoreLeft {
  float* y;
  int64_t channels;
  int64_t extents[3];

  __device__ void operator()(int64_t n, int64_t channel, int64_t pz, int64_t py, int64_t px, float value) const {
    y[(((n * channels + channel) * extents[0] + pz) * extents[1] + py) * extents[2] + px] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t a, int64_t b, float value) const {
    // One of three axes has one window.
    if (extents[0] == 1) {
      (*this)(n, channel, 0, a, b, value);
    } else if (extents[1] == 1) {
      (*this)(n, channel, a, 0, b, value);
    } else {
      (*this)(n, channel, a, b, 0, value);
    }
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t a, float value) const {
    y[(n * channels + channel) * extents[0] * extents[1] * extents[2] + a] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, float value) const { (*this)(n, channel, 0, value); }
};

// [images][channels][rest], over channels.
void soften(std::vector<double>& values, int64_t images, int64_t channels) {
  const auto rest = static_cast<int64_t>(values.size()) / images / channels;
  for (int64_t i = 0; i < images * rest; ++i) {
    double* const first = values.data() + i / rest * channels * rest + i % rest;
    double largest = first[0];
    for (int64_t c = 1; c < channels; ++c) {
      largest = std::isnan(first[c * rest]) || first[c * rest] > largest ? first[c * rest] : largest;
    }
    double sum = 0;
    for (int64_t c = 0; c < channels; ++c) {
      first[c * rest] = std::exp(first[c * rest] - largest);
      sum += first[c * rest];
    }
    for (int64_t c = 0; c < channels; ++c) {
      first[c * rest] /= sum;
    }
  }
}

// By extents of planes.
void scale_by_place(std::vector<double>& values, const int64_t (&extents)[3]) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    values[i] *= static_cast<double>(
        (at % extents[2] + at / extents[2] % extents[1] + at / extents[2] / extents[1] % extents[0]) % 3 + 1);
  }
}

template <typename Join>
double joined(double a, double b) {
  if (std::is_same_v<Join, MeanOfWindow>) {
    return a + b;
  }
  const bool is_first = std::is_same_v<Join, SmallestOfWindow> ? a < b : a > b;
  return std::isnan(a) || is_first ? a : b;
}

template <typename Pool, typename Join>
std::vector<double> pooled(const std::vector<double>& planes, const ConvShape& s, const int64_t (&counts)[3]) {
  std::vector<double> result;
  const auto plane = static_cast<size_t>(s.out_depth * s.out_height * s.out_width);
  for (size_t start = 0; start < planes.size(); start += plane) {
    for (int64_t window = 0; window < counts[0] * counts[1] * counts[2]; ++window) {
      double value = std::is_same_v<Join, MeanOfWindow> ? 0 : Join::identity;
      for (int64_t i = 0; i < Pool::depth * Pool::height * Pool::width; ++i) {
        const int64_t z = window / counts[2] / counts[1] * Pool::depth + i / Pool::width / Pool::height;
        const int64_t y = window / counts[2] % counts[1] * Pool::height + i / Pool::width % Pool::height;
        const int64_t x = window % counts[2] * Pool::width + i % Pool::width;
        value = joined<Join>(value, planes[start + static_cast<size_t>((z * s.out_height + y) * s.out_width + x)]);
      }
      result.push_back(std::is_same_v<Join, MeanOfWindow> ? value / (Pool::depth * Pool::height * Pool::width) : value);
    }
  }
  return result;
}

template <typename Tile, typename Window, typename Join, typename Kept, typename Before, typename Behind>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  using Pool = typename Tile::Pool;
  const ConvShape& s = problem.shape;
  const int64_t extents[3] = {s.out_depth, s.out_height, s.out_width};
  const int64_t counts[3] = {s.out_depth / Pool::depth, s.out_height / Pool::height, s.out_width / Pool::width};
  std::vector<double> want = problem.want;
  if (Before::is_there) {
    soften(want, s.batch, s.out_channels);
    scale_by_place(want, extents);
  }
  want = pooled<Pool, Join>(want, s, counts);
  if (Behind::is_there) {
    scale_by_place(want, counts);
    soften(want, s.batch, s.out_channels);
  }
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(static_cast<int64_t>(want.size()));
  const WindowChain<Join, Kept, Before, Behind, AddBias, ScaleByPlace, ScaleByPlace, StoreLeft> chain{
      {bias.data()},
      {},
      {},
      {y.data(), s.out_channels, {counts[0], counts[1], counts[2]}},
      {static_cast<int>(counts[0]), static_cast<int>(counts[1]), static_cast<int>(counts[2])},
      static_cast<float>(Pool::depth * Pool::height * Pool::width)};
  checker.launched(name, launch_conv_direct_fp16_pool<Tile, Window>(s, x.data(), weight.data(), chain, nullptr));
  checker.close(name, y.values(), want, 1e-5);
}

template <typename Tile, typename Window, typename Join, typename Kept, typename Before = NoSoftmax,
          typename Behind = NoSoftmax>
void check(Checker& checker, const std::string& name, const ConvShape& shape) {
  check<Tile, Window, Join, Kept, Before, Behind>(checker, name, ConvCase<Window>(shape));
}

// By tiles of eight channels, input channels, outputs together; images, and windows behind, below and beside each
// other.
template <typename Pool, int kTiles, int kChannels, int kTogether, int kImages, int kDeep, int kDown, int kAcross>
using Eight = DirectWindowsTile<Pool, kTiles, 8, kChannels, kTogether, kImages, kDeep, kDown, kAcross>;

using Plane = KeptAxes<false, true, true>;
using Volume = KeptAxes<true, true, true>;
using Soft = SoftmaxOfChannels;
using Five = ConvWindow<5, 5, 1, 1, 0, 0, 1, 1>;
using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;

// Windows of images; lanes of a warp that share one, and windows of odd extents, whose outputs do not fill a product.
void check_images(Checker& checker) {
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Two = PooledWindow<1, 2, 2>;
  check<Eight<Two, 2, 6, 4, 4, 1, 5, 5>, Five, LargestOfWindow, Plane>(checker, "small images",
                                                                       conv_shape<Five>(6, 6, 14, 14, 16, 1));
  check<Eight<Two, 1, 1, 4, 1, 1, 4, 7>, Five, MeanOfWindow, Plane>(checker, "beside each other",
                                                                    conv_shape<Five>(2, 1, 23, 40, 6, 1));
  check<Eight<PooledWindow<1, 3, 3>, 3, 3, 4, 1, 1, 3, 5>, Same, SmallestOfWindow, Plane>(
      checker, "three by three", conv_shape<Same>(2, 3, 13, 31, 19, 1));
  check<Eight<PooledWindow<1, 1, 8>, 2, 5, 8, 1, 1, 2, 3>, Strided, MeanOfWindow, Plane>(
      checker, "rows of eight", conv_shape<Strided>(2, 5, 12, 84, 40, 1));
  check<Eight<PooledWindow<1, 2, 16>, 1, 2, 4, 1, 1, 2, 3>, Same, LargestOfWindow, Plane>(
      checker, "rows of sixteen", conv_shape<Same>(1, 2, 5, 52, 9, 1));
  check<Eight<PooledWindow<1, 1, 6>, 1, 4, 8, 3, 1, 1, 1>, Same, LargestOfWindow, Plane>(
      checker, "rows of six", conv_shape<Same>(4, 4, 3, 13, 8, 1));
}

// Axes that a window has all of.
void check_reductions(Checker& checker) {
  check<Eight<PooledWindow<10, 1, 1>, 3, 3, 4, 1, 1, 2, 9>, Cube, SmallestOfWindow, Plane, NoSoftmax, Soft>(
      checker, "depth, softened", conv_shape<Cube>(2, 3, 12, 7, 11, 24, 1));
  check<Eight<PooledWindow<1, 6, 1>, 1, 2, 4, 1, 2, 1, 12>, Cube, MeanOfWindow, KeptAxes<true, false, true>>(
      checker, "rows below each other", conv_shape<Cube>(1, 2, 5, 8, 17, 7, 1));
  check<Eight<PooledWindow<1, 1, 11>, 2, 3, 4, 1, 1, 4, 1>, Cube, LargestOfWindow, KeptAxes<true, true, false>>(
      checker, "rows", conv_shape<Cube>(1, 3, 4, 9, 13, 10, 1));
  check<Eight<PooledWindow<1, 4, 6>, 4, 7, 8, 4, 1, 1, 1>, Same, MeanOfWindow, KeptAxes<false, false, false>, Soft,
        Soft>(checker, "planes, softened twice", conv_shape<Same>(7, 7, 4, 6, 29, 1));
  check<Eight<PooledWindow<3, 1, 5>, 1, 1, 4, 2, 1, 3, 1>, Cube, MeanOfWindow, KeptAxes<false, true, false>>(
      checker, "depth and rows", conv_shape<Cube>(3, 1, 5, 6, 7, 3, 1));
}

void check_volumes(Checker& checker) {
  using Dilated = ConvWindow3d<2, 3, 2, 2, 1, 1, 2, 3, 0, 3, 2, 4>;
  check<Eight<PooledWindow<4, 4, 4>, 2, 3, 8, 1, 1, 2, 3>, Cube, LargestOfWindow, Volume, Soft>(
      checker, "softened volumes", conv_shape<Cube>(2, 3, 7, 15, 16, 16, 1));
  check<Eight<PooledWindow<2, 2, 2>, 2, 5, 8, 2, 1, 2, 4>, Dilated, MeanOfWindow, Volume, NoSoftmax, Soft>(
      checker, "dilated", conv_shape<Dilated>(3, 5, 7, 9, 20, 13, 1));
}

// More patches than blocks are under way at once: a block takes some after each other.
void check_patches(Checker& checker) {
  using Point = ConvWindow<1, 2, 1, 1, 0, 0, 1, 1>;
  check<Eight<PooledWindow<1, 1, 2>, 1, 2, 4, 2, 1, 1, 2>, Point, LargestOfWindow, Plane, NoSoftmax, Soft>(
      checker, "many patches", conv_shape<Point>(2301, 2, 1, 5, 5, 1));
}

// Infinities and NaN reach exactly what they are part of.
void check_not_finite(Checker& checker) {
  const auto changed = [&](const char* name, const auto& change) {
    ConvCase<Cube> problem(conv_shape<Cube>(2, 3, 6, 6, 12, 9, 1));
    change(problem);
    problem.want = reference<Cube>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    check<Eight<PooledWindow<2, 2, 4>, 2, 3, 4, 1, 1, 2, 2>, Cube, LargestOfWindow, Volume, Soft, NoSoftmax>(
        checker, std::string(name) + ", softened before", problem);
    check<Eight<PooledWindow<4, 1, 1>, 2, 3, 4, 1, 1, 2, 10>, Cube, SmallestOfWindow, Plane, NoSoftmax, Soft>(
        checker, std::string(name) + ", softened behind", problem);
    check<Eight<PooledWindow<1, 2, 2>, 1, 3, 4, 2, 4, 2, 5>, Cube, SmallestOfWindow, Volume, NoSoftmax, NoSoftmax>(
        checker, name, problem);
  };
  changed("infinity", [](auto& problem) { problem.x[7] = INFINITY; });
  changed("less than all", [](auto& problem) { problem.x[900] = -INFINITY; });
  changed("NaN", [](auto& problem) { problem.x[300] = NAN; });
  changed("infinite weight", [](auto& problem) { problem.weight[20] = -INFINITY; });
  changed("infinite bias", [](auto& problem) { problem.bias[3] = INFINITY; });
  changed("all of a bias", [](auto& problem) { std::fill(problem.bias.begin(), problem.bias.end(), -INFINITY); });
  changed("channels of many scales", [](auto& problem) {
    for (size_t i = 0; i < problem.weight.size(); ++i) {
      problem.weight[i] *= std::exp2f(static_cast<float>(i * 9 / problem.weight.size()) - 6);
    }
  });
  changed("beyond fp16's scales", [](auto& problem) { problem.x[50] = 0x1p90f; });
  changed("nothing", [](auto& problem) { std::fill(problem.x.begin(), problem.x.end(), 0.0f); });
  changed("large and small", [](auto& problem) {
    for (size_t i = 0; i < problem.x.size(); ++i) {
      problem.x[i] *= i % 12 < 6 ? 0x1p-70f : 1.0f;
    }
  });
}

void check_refusals(Checker& checker) {
  using Tile = Eight<PooledWindow<1, 2, 2>, 1, 3, 4, 1, 1, 4, 4>;
  const ConvShape shape = conv_shape<Same>(1, 3, 8, 8, 9, 1);
  const DeviceFloats memory(1024);
  const WindowChain<LargestOfWindow, Plane, NoSoftmax, Soft, AddBias, ScaleByPlace, ScaleByPlace, StoreLeft> chain{
      {memory.data()}, {}, {}, {memory.data(), 9, {1, 4, 4}}, {1, 4, 4}, 1};
  checker.is_true("a softmax of more channels than a warp has",
                  launch_conv_direct_fp16_pool<Tile, Same>(shape, memory.data(), memory.data(), chain, nullptr) ==
                      cudaErrorInvalidValue);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_images(checker);
  check_reductions(checker);
  check_volumes(checker);
  check_patches(checker);
  check_not_finite(checker);
  check_refusals(checker);
  return checker.finish();
}
