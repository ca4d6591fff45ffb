// SPDX-License-Identifier: Apache-2.0
// Layer normalisation that is pooled in registers: windows over two and three axes, of which some are incomplete, rows
// of all widths that the lanes of a warp hold.
#include <algorithm>

#include "kernels/norm/layer_norm_pool.cuh"
#include "row_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr float kEpsilon = 1e-5f;

struct Scale {
  const float* weight;

  __device__ float operator()(int64_t, int64_t column, float value) const { return weight[column] * value + 1.0f; }
};

std::vector<double> normalised(const std::vector<float>& x, const std::vector<float>& weight) {
  const size_t columns = weight.size();
  std::vector<double> result;
  for (size_t start = 0; start < x.size(); start += columns) {
    double mean = 0;
    double variance = 0;
    for (size_t i = 0; i < columns; ++i) mean += x[start + i] / static_cast<double>(columns);
    for (size_t i = 0; i < columns; ++i) {
      variance += (x[start + i] - mean) * (x[start + i] - mean) / static_cast<double>(columns);
    }
    for (size_t i = 0; i < columns; ++i) {
      result.push_back(weight[i] * (x[start + i] - mean) / std::sqrt(variance + kEpsilon) + 1.0);
    }
  }
  return result;
}

template <typename Pool>
std::vector<double> expected(const std::vector<double>& from, const NormPoolShape& shape) {
  std::vector<double> want;
  const int64_t rows = shape.planes * shape.out_depth * shape.out_height;
  for (int64_t i = 0; i < rows * shape.out_columns; ++i) {
    const int64_t row = i / shape.out_columns;
    const int64_t z = row / shape.out_height % shape.out_depth * Pool::depth;
    const int64_t plane = row / shape.out_height / shape.out_depth;
    double largest = -INFINITY;
    double sum = 0;
    for (int64_t tap = 0; tap < Pool::rows * Pool::width; ++tap) {
      const int64_t y = row % shape.out_height * Pool::height + tap / Pool::width % Pool::height;
      const int64_t line = (plane * shape.depth + z + tap / Pool::width / Pool::height) * shape.height + y;
      const int64_t x = i % shape.out_columns * Pool::width + tap % Pool::width;
      const double element = from[static_cast<size_t>(line * shape.columns + x)];
      largest = std::max(largest, element);
      sum += element;
    }
    want.push_back(std::is_same_v<typename Pool::Join, LargestOfWindow> ? largest : sum / (Pool::rows * Pool::width));
  }
  return want;
}

template <typename Pool, int kThreads, int kPerThread>
void check(Checker& checker, const std::string& name, int64_t planes, int64_t depth, int64_t height, int64_t columns) {
  NormPoolShape shape{planes,
                      depth,
                      height,
                      columns,
                      depth / Pool::depth,
                      height / Pool::height,
                      columns / Pool::width,
                      columns % 4 == 0,
                      columns / Pool::width % 4 == 0};
  const auto x = random_floats(planes * depth * height * columns, 1, -2.0f, 3.0f);
  const auto weight = random_floats(columns, 2, -1.0f, 1.0f);
  const auto want = expected<Pool>(normalised(x, weight), shape);
  const DeviceFloats device_x(x);
  const DeviceFloats device_weight(weight);
  const DeviceFloats y(static_cast<int64_t>(want.size()));
  checker.launched(name,
                   launch_layer_norm_pool<Pool, kThreads, kPerThread>(
                       RowLanesLoad{device_x.data(), columns}, Scale{device_weight.data()},
                       RowLanesStore{y.data(), shape.out_columns}, shape, kEpsilon, Pool::rows * Pool::width, nullptr));
  checker.close(name, y.values(), want, 1e-5);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  using Volume = PoolBlock<MeanOfWindow, 2, 2, 2>;
  check<Volume, 16, 4>(checker, "mean of 2x2x2 in 64", 3, 4, 6, 64);
  check<Volume, 8, 4>(checker, "mean of 2x2x2 in 30", 2, 5, 7, 30);
  check<PoolBlock<LargestOfWindow, 1, 3, 4>, 32, 8>(checker, "largest of 3x4 in 203", 5, 1, 11, 203);
  check<PoolBlock<MeanOfWindow, 1, 2, 1>, 32, 16>(checker, "mean of 2x1 in 512", 2, 1, 5, 512);
  check<PoolBlock<LargestOfWindow, 3, 5, 2>, 16, 4>(checker, "largest of 3x5x2 in 36", 2, 6, 11, 36);
  check<PoolBlock<MeanOfWindow, 1, 1, 4>, 8, 4>(checker, "mean of 1x4 in 5", 1, 1, 3, 5);
  return checker.finish();
}
