// SPDX-License-Identifier: Apache-2.0
// Pooling: padding, dilation, ceil mode, both divisors, an overriding one, and adaptive windows.
#include "kernels/pool/window_2d.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct Load {
  const float* x;
  int64_t height;
  int64_t width;
  __device__ float operator()(int64_t plane, int64_t y, int64_t column) const {
    return x[(plane * height + y) * width + column];
  }
};

struct Store {
  float* out;
  int64_t height;
  int64_t width;
  __device__ void operator()(int64_t plane, int64_t y, int64_t x, float value) const {
    out[(plane * height + y) * width + x] = value;
  }
};

int64_t pooled(int64_t extent, int kernel, int stride, int padding, int dilation, bool ceil_mode) {
  const int64_t reach = extent + 2 * padding - dilation * (kernel - 1) - 1;
  int64_t out = reach / stride + 1;
  if (ceil_mode && reach % stride != 0 && out * stride < extent + padding) {
    ++out;
  }
  return out;
}

enum class Kind { kMax, kAverageInside, kAveragePadded, kAverageOver7 };

template <typename Window>
double reference(Kind kind, const float* plane, const Pool2dShape& shape, int64_t out_y, int64_t out_x) {
  double sum = 0.0;
  double largest = -INFINITY;
  int inside = 0;
  int padded = 0;
  for (int ky = 0; ky < Window::kernel_y; ++ky) {
    for (int kx = 0; kx < Window::kernel_x; ++kx) {
      const int64_t y = out_y * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
      const int64_t x = out_x * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
      padded += y < shape.height + Window::padding_y && x < shape.width + Window::padding_x;
      if (y >= 0 && x >= 0 && y < shape.height && x < shape.width) {
        ++inside;
        sum += plane[y * shape.width + x];
        largest = std::fmax(largest, plane[y * shape.width + x]);
      }
    }
  }
  switch (kind) {
    case Kind::kMax:
      return largest;
    case Kind::kAverageInside:
      return sum / inside;
    case Kind::kAveragePadded:
      return sum / padded;
    default:
      return sum / 7.0;
  }
}

template <typename Window>
cudaError_t launch(Kind kind, const Load& load, const Store& store, const Pool2dShape& shape) {
  switch (kind) {
    case Kind::kMax:
      return launch_max_pool<Window>(load, store, shape, nullptr);
    case Kind::kAverageInside:
      return launch_average_pool<Window, PoolDivisor::kInsideInput>(load, store, shape, nullptr);
    case Kind::kAveragePadded:
      return launch_average_pool<Window, PoolDivisor::kWithPadding>(load, store, shape, nullptr);
    default:
      return launch_average_pool<Window, PoolDivisor::kInsideInput, 7>(load, store, shape, nullptr);
  }
}

template <typename Window>
void check(Checker& checker, Kind kind, int64_t height, int64_t width, bool ceil_mode) {
  const Pool2dShape shape{
      6, height, width,
      pooled(height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, ceil_mode),
      pooled(width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, ceil_mode)};
  const auto x = random_floats(shape.planes * height * width, 1);
  const DeviceFloats device_x(x);
  const DeviceFloats y(shape.planes * shape.out_height * shape.out_width);
  const std::string name = "pool " + std::to_string(static_cast<int>(kind)) + " " + std::to_string(height) + "x" +
                           std::to_string(width) + (ceil_mode ? " ceil" : "");
  checker.launched(name, launch<Window>(kind, {device_x.data(), height, width},
                                        {y.data(), shape.out_height, shape.out_width}, shape));
  std::vector<double> want;
  for (int64_t place = 0; place < shape.planes * shape.out_height * shape.out_width; ++place) {
    const float* plane = x.data() + place / shape.out_width / shape.out_height * height * width;
    want.push_back(
        reference<Window>(kind, plane, shape, place / shape.out_width % shape.out_height, place % shape.out_width));
  }
  checker.close(name, y.values(), want, 1e-6);
}

void check_adaptive(Checker& checker, const Pool2dShape& shape) {
  const auto x = random_floats(shape.planes * shape.height * shape.width, 2);
  const DeviceFloats device_x(x);
  const DeviceFloats y(shape.planes * shape.out_height * shape.out_width);
  checker.launched("adaptive",
                   launch_adaptive_average_pool(Load{device_x.data(), shape.height, shape.width},
                                                Store{y.data(), shape.out_height, shape.out_width}, shape, nullptr));
  std::vector<double> want;
  for (int64_t plane = 0; plane < shape.planes; ++plane) {
    for (int64_t out_y = 0; out_y < shape.out_height; ++out_y) {
      for (int64_t out_x = 0; out_x < shape.out_width; ++out_x) {
        double sum = 0.0;
        int count = 0;
        for (int64_t row = out_y * shape.height / shape.out_height; row * shape.out_height < (out_y + 1) * shape.height;
             ++row) {
          for (int64_t column = out_x * shape.width / shape.out_width;
               column * shape.out_width < (out_x + 1) * shape.width; ++column, ++count) {
            sum += x[(plane * shape.height + row) * shape.width + column];
          }
        }
        want.push_back(sum / count);
      }
    }
  }
  checker.close("adaptive", y.values(), want, 1e-6);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  for (const bool ceil_mode : {false, true}) {
    for (const Kind kind : {Kind::kMax, Kind::kAverageInside, Kind::kAveragePadded, Kind::kAverageOver7}) {
      check<Window2d<3, 2, 2, 2, 1, 1>>(checker, kind, 13, 10, ceil_mode);
      check<Window2d<2, 2, 2, 2, 0, 0>>(checker, kind, 8, 9, ceil_mode);
    }
    check<Window2d<3, 3, 2, 1, 1, 1, 2, 2>>(checker, Kind::kMax, 11, 12, ceil_mode);
  }
  check_adaptive(checker, {4, 7, 9, 3, 4});
  check_adaptive(checker, {4, 7, 9, 1, 1});
  return checker.finish();
}
