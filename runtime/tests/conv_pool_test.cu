// SPDX-License-Identifier: Apache-2.0
// Direct convolutions that pool what they compute: by windows, some of which hang over the edge, and by planes.
#include <algorithm>

#include "conv_support.cuh"
#include "kernels/conv/direct_mma_pool.cuh"
#include "kernels/conv/direct_pool.cuh"
#include "kernels/conv/direct_rows_mean.cuh"
#include "kernels/conv/direct_rows_pool.cuh"
#include "kernels/conv/direct_wgmma_pool.cuh"

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

struct StorePooled {
  float* y;
  int64_t channels;
  int64_t height;
  int64_t width;

  __device__ void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    y[((image * channels + channel) * height + out_y) * width + out_x] = value;
  }
  __device__ void operator()(int64_t image, int64_t channel, float value) const {
    y[image * channels + channel] = value;
  }
};

// `rows` by `columns` outputs at a time, beginning at the first; what is left over is not pooled.
std::vector<double> pooled(const std::vector<double>& planes, int64_t in_height, int64_t in_width, int64_t rows,
                           int64_t columns, bool takes_largest) {
  std::vector<double> result;
  const auto plane = static_cast<size_t>(in_height * in_width);
  for (size_t start = 0; start < planes.size(); start += plane) {
    for (int64_t y = 0; y + rows <= in_height; y += rows) {
      for (int64_t x = 0; x + columns <= in_width; x += columns) {
        double largest = -INFINITY;
        double sum = 0;
        for (int64_t i = 0; i < rows * columns; ++i) {
          const double element = planes[start + static_cast<size_t>((y + i / columns) * in_width + x + i % columns)];
          largest = std::max(largest, element);
          sum += element;
        }
        result.push_back(takes_largest ? largest : sum / static_cast<double>(rows * columns));
      }
    }
  }
  return result;
}

// A convolution on the device, and what its pool has to be: `rows` by `columns` at a time, of planes below each other
// where there are several.
template <typename Window>
struct PooledCase {
  ConvCase<Window> problem;
  int64_t rows;
  int64_t columns;
  std::vector<double> want;
  DeviceFloats x;
  DeviceFloats weight;
  DeviceFloats bias;
  DeviceFloats y;

  PooledCase(const ConvShape& shape, int64_t rows, int64_t columns, bool takes_largest)
      : problem(shape),
        rows(rows),
        columns(columns),
        want(pooled(problem.want, shape.out_depth * shape.out_height, shape.out_width, rows, columns, takes_largest)),
        x(problem.x),
        weight(problem.weight),
        bias(problem.bias),
        y(static_cast<int64_t>(want.size())) {}
  PooledCase(const ConvShape& shape, int64_t rows, int64_t columns, bool takes_largest, const std::vector<float>& input)
      : PooledCase(shape, rows, columns, takes_largest) {
    const ConvShape& s = shape;
    want = pooled(reference<Window>(s, input.data(), problem.weight.data(), problem.bias.data()),
                  s.out_depth * s.out_height, s.out_width, rows, columns, takes_largest);
  }
  // By whole planes, of which it takes means.
  explicit PooledCase(const ConvShape& shape)
      : PooledCase(shape, shape.out_depth * shape.out_height, shape.out_width, false) {}

  const ConvShape& shape() const { return problem.shape; }
  int64_t height() const { return shape().out_depth * shape().out_height / rows; }
  int64_t width() const { return shape().out_width / columns; }
  AddBias element() const { return {bias.data()}; }
  StorePooled store() const { return {y.data(), shape().out_channels, height(), width()}; }
  float divisor() const { return static_cast<float>(rows * columns); }
};

template <int kChannels, typename Window, typename Join, int kHeight, int kWidth, int kThreads = 256>
void check_windows(Checker& checker, const std::string& name, const ConvShape& shape) {
  const PooledCase<Window> pool(shape, kHeight, kWidth, std::is_same_v<Join, LargestOfWindow>);
  checker.launched(name, launch_conv_direct_pool<DirectTile<kChannels, kThreads>, Window, Join, kHeight, kWidth>(
                             shape, pool.x.data(), pool.weight.data(), pool.element(), pool.store(), pool.height(),
                             pool.width(), pool.divisor(), nullptr));
  checker.close(name, pool.y.values(), pool.want, 1e-5);
}

// An infinite input makes windows of its image infinite: the other images stay what they are.
template <typename Tile, typename Window, typename Join, int kHeight, int kWidth>
void check_windows_by_rows(Checker& checker, const std::string& name, const ConvShape& shape) {
  const PooledCase<Window> pool(shape, kHeight, kWidth, std::is_same_v<Join, LargestOfWindow>);
  const auto launch = [&](const DeviceFloats& input) {
    return launch_conv_direct_rows_pool<Tile, Window, Join, kHeight, kWidth>(
        shape, input.data(), pool.weight.data(), pool.element(), pool.store(), pool.height(), pool.width(),
        pool.divisor(), nullptr);
  };
  checker.launched(name, launch(pool.x));
  checker.close(name, pool.y.values(), pool.want, 1e-5);
  std::vector<float> large = pool.problem.x;
  large.back() = 0x1p90f;  // in an image that is taken by plain arithmetic then
  checker.launched(name + ", large", launch(DeviceFloats(large)));
  const PooledCase<Window> other(shape, kHeight, kWidth, std::is_same_v<Join, LargestOfWindow>, large);
  checker.close(name + ", large", pool.y.values(), other.want, 1e-5);
}

template <int kChannels, typename Window, int kThreads = 256>
void check_planes(Checker& checker, const std::string& name, const ConvShape& shape) {
  const PooledCase<Window> pool(shape);
  using Tile = DirectTile<kChannels, kThreads>;
  const int64_t parts = shape.out_depth * ceil_divide(shape.out_height, Tile::rows) *
                        (Tile::rows / Tile::rows_of_thread) * ceil_divide(shape.out_width, Tile::columns);
  const DeviceFloats scratch(shape.batch * shape.out_channels * parts);
  checker.launched(name, launch_conv_direct_mean<Tile, Window>(shape, pool.x.data(), pool.weight.data(), pool.element(),
                                                               pool.store(), pool.divisor(), scratch.data(), nullptr));
  checker.close(name, pool.y.values(), pool.want, 1e-5);
}

// An infinite input makes one plane of each channel infinite, or none: in that image the others stay what they are.
// launch_mean(shape, input, weight, element, store, divisor, scratch)
template <typename Window, typename LaunchMean>
void check_planes_of_mma(Checker& checker, const std::string& name, const ConvShape& shape,
                         const LaunchMean& launch_mean) {
  const PooledCase<Window> pool(shape);
  const DeviceFloats scratch(shape.batch * shape.out_channels * pool.rows * ceil_divide(shape.out_width, 32));
  const auto launch = [&](const DeviceFloats& input) {
    return launch_mean(shape, input.data(), pool.weight.data(), pool.element(), pool.store(), pool.divisor(),
                       scratch.data());
  };
  checker.launched(name, launch(pool.x));
  checker.close(name, pool.y.values(), pool.want, 1e-5);
  std::vector<float> infinite = pool.problem.x;  // its last element, of the last image
  infinite.back() = INFINITY;
  checker.launched(name + ", infinite", launch(DeviceFloats(infinite)));
  const auto others = pool.y.values();
  const auto before = static_cast<ptrdiff_t>((shape.batch - 1) * shape.out_channels);
  checker.close(name + ", images beside an infinite one",
                decltype(pool.y.values()){others.begin(), others.begin() + before},
                {pool.want.begin(), pool.want.begin() + before}, 1e-5);
}

template <typename Tile, typename Window>
void check_planes_by_warps(Checker& checker, const std::string& name, const ConvShape& shape) {
  check_planes_of_mma<Window>(
      checker, name, shape, [](auto s, auto x, auto weight, auto element, auto store, float divisor, float* scratch) {
        return launch_conv_direct_mma_mean<Tile, Window>(s, x, weight, element, store, divisor, scratch, nullptr);
      });
}

// A large element makes its image one that is taken by plain arithmetic. A plane has no more parts than its rows have
// 32 outputs.
template <typename Tile, typename Window>
void check_planes_by_rows(Checker& checker, const std::string& name, const ConvShape& shape) {
  const auto launch_mean = [](auto s, auto x, auto weight, auto element, auto store, float divisor, float* scratch) {
    return launch_conv_direct_rows_mean<Tile, Window>(s, x, weight, element, store, divisor, scratch, nullptr);
  };
  check_planes_of_mma<Window>(checker, name, shape, launch_mean);
  std::vector<float> large = ConvCase<Window>(shape).x;
  large.back() = 0x1p90f;
  const PooledCase<Window> pool(shape, shape.out_depth * shape.out_height, shape.out_width, false, large);
  const DeviceFloats scratch(shape.batch * shape.out_channels * pool.rows * ceil_divide(shape.out_width, 32));
  const DeviceFloats x(large);
  checker.launched(name + ", large", launch_mean(shape, x.data(), pool.weight.data(), pool.element(), pool.store(),
                                                 pool.divisor(), scratch.data()));
  checker.close(name + ", large", pool.y.values(), pool.want, 1e-5);
}

template <int kChannels, typename Window>
void check_planes_by_groups(Checker& checker, const std::string& name, const ConvShape& shape) {
  check_planes_of_mma<Window>(checker, name, shape,
                              [](auto s, auto x, auto weight, auto element, auto store, float divisor, float* scratch) {
                                return launch_conv_direct_wgmma_mean<DirectWgmmaTile<kChannels>, Window>(
                                    s, x, weight, element, store, divisor, scratch, nullptr);
                              });
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  check_windows<16, Same, LargestOfWindow, 2, 2>(checker, "largest of 2x2", conv_shape<Same>(2, 3, 19, 37, 12, 1));
  check_windows<64, Same, MeanOfWindow, 4, 4>(checker, "mean of 4x4", conv_shape<Same>(1, 5, 9, 70, 66, 1));
  check_windows<32, Strided, MeanOfWindow, 8, 1>(checker, "mean of 8x1", conv_shape<Strided>(2, 3, 70, 14, 9, 1));
  check_windows<32, Same, LargestOfWindow, 1, 32>(checker, "largest of 1x32", conv_shape<Same>(1, 2, 5, 70, 20, 1));
  check_windows<8, Same, LargestOfWindow, 2, 2, 128>(checker, "largest of 2x2, few rows",
                                                     conv_shape<Same>(2, 1, 29, 37, 6, 1));
  check_windows<16, Strided, MeanOfWindow, 4, 2, 64>(checker, "mean of 4x2, few rows",
                                                     conv_shape<Strided>(2, 3, 17, 14, 19, 1));
  using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  using Five = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
  check_windows_by_rows<DirectRowsPoolTile<2, 8, 4>, Valid, LargestOfWindow, 4, 4>(
      checker, "largest of 4x4 by rows", conv_shape<Valid>(2, 8, 17, 72, 64, 1));
  check_windows_by_rows<DirectRowsPoolTile<4, 4, 6>, Five, MeanOfWindow, 3, 2>(checker, "mean of 3x2 by rows",
                                                                               conv_shape<Five>(1, 3, 13, 21, 70, 1));
  check_windows_by_rows<DirectRowsPoolTile<2, 8, 2>, Same, MeanOfWindow, 2, 8>(checker, "mean of 2x8 by rows",
                                                                               conv_shape<Same>(2, 5, 7, 67, 33, 1));
  check_planes<16, Same>(checker, "planes", conv_shape<Same>(2, 3, 45, 37, 12, 1));
  check_planes<8, Same, 64>(checker, "planes of few rows", conv_shape<Same>(2, 2, 21, 37, 12, 1));
  check_planes<64, Strided>(checker, "planes, strided", conv_shape<Strided>(1, 3, 21, 14, 70, 1));
  check_planes<32, Volume>(checker, "volumes", conv_shape<Volume>(2, 4, 4, 19, 8, 10, 1));
  check_planes_by_warps<DirectMmaTile<32, 4>, Same>(checker, "planes by tensor cores",
                                                    conv_shape<Same>(2, 3, 19, 37, 12, 1));
  check_planes_by_warps<DirectMmaTile<64, 8>, Strided>(checker, "planes by tensor cores, strided",
                                                       conv_shape<Strided>(2, 9, 21, 14, 70, 1));
  check_planes_by_warps<DirectMmaTile<32, 8>, Volume>(checker, "volumes by tensor cores",
                                                      conv_shape<Volume>(2, 4, 4, 19, 8, 10, 1));
  check_planes_by_groups<32, Same>(checker, "planes by groups of warps", conv_shape<Same>(2, 3, 45, 67, 12, 1));
  using Long = ConvWindow3d<3, 3, 3, 2, 1, 1, 1, 0, 1, 1, 2, 1>;
  check_planes_by_rows<DirectRowsMeanTile<2, 8, 1, 4>, Valid>(checker, "planes by rows",
                                                              conv_shape<Valid>(2, 8, 17, 72, 64, 1));
  check_planes_by_rows<DirectRowsMeanTile<4, 4, 1, 5>, Five>(checker, "planes by odd rows",
                                                             conv_shape<Five>(3, 3, 14, 21, 70, 1));
  check_planes_by_rows<DirectRowsMeanTile<2, 8, 2, 4>, Long>(checker, "volumes by rows",
                                                             conv_shape<Long>(2, 5, 7, 11, 23, 40, 1));
  using Wide = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;
  check_planes_by_groups<64, Wide>(checker, "planes by groups of warps, strided",
                                   conv_shape<Wide>(2, 7, 21, 14, 70, 1));
  return checker.finish();
}
