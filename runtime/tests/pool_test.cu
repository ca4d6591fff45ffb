// SPDX-License-Identifier: Apache-2.0
// Pooling over two and three axes: padding, dilation, ceil mode, both divisors, an overriding one, indices, and
// adaptive windows. By tiles: of one row and of several, wider than a block, with lanes and without.
#include "kernels/pool/adaptive.cuh"
#include "kernels/pool/tile.cuh"
#include "kernels/pool/window.cuh"
#include "plane_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

int64_t pooled(int64_t extent, int kernel, int stride, int padding, int dilation, bool ceil_mode) {
  const int64_t reach = extent + 2 * padding - dilation * (kernel - 1) - 1;
  int64_t out = reach / stride + 1;
  if (ceil_mode && reach % stride != 0 && out * stride < extent + padding) {
    ++out;
  }
  return out;
}

enum class Kind { kMax, kIndex, kAverageInside, kAveragePadded, kAverageOver7 };

// What one window holds.
struct Seen {
  double sum = 0.0;
  double largest = -INFINITY;
  int64_t index = -1;
  int inside = 0;
  int padded = 0;

  void add(double value, int64_t at) {
    ++inside;
    sum += value;
    if (value > largest) {
      largest = value;
      index = at;
    }
  }

  double result(Kind kind) const {
    switch (kind) {
      case Kind::kMax:
        return largest;
      case Kind::kIndex:
        return static_cast<double>(index);
      case Kind::kAverageInside:
        return sum / inside;
      case Kind::kAveragePadded:
        return sum / padded;
      default:
        return sum / 7.0;
    }
  }
};

template <typename Window>
double reference(Kind kind, const float* plane, const PoolShape& shape, const int64_t (&out)[3]) {
  Seen seen;
  for (int tap = 0; tap < Window::taps; ++tap) {
    const int64_t z =
        out[0] * Window::stride_z - Window::padding_z + tap / Window::kernel_x / Window::kernel_y * Window::dilation_z;
    const int64_t y =
        out[1] * Window::stride_y - Window::padding_y + tap / Window::kernel_x % Window::kernel_y * Window::dilation_y;
    const int64_t x = out[2] * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
    seen.padded += z < shape.depth + Window::padding_z && y < shape.height + Window::padding_y &&
                   x < shape.width + Window::padding_x;
    if (z >= 0 && y >= 0 && x >= 0 && z < shape.depth && y < shape.height && x < shape.width) {
      const int64_t at = (z * shape.height + y) * shape.width + x;
      seen.add(plane[at], at);
    }
  }
  return seen.result(kind);
}

// reference(plane, out) for every output.
template <typename Reference>
std::vector<double> wanted(const std::vector<float>& x, const PoolShape& shape, const Reference& reference) {
  std::vector<double> want;
  const int64_t outputs = shape.out_depth * shape.out_height * shape.out_width;
  for (int64_t place = 0; place < shape.planes * outputs; ++place) {
    const int64_t out[3] = {place / shape.out_width / shape.out_height % shape.out_depth,
                            place / shape.out_width % shape.out_height, place % shape.out_width};
    want.push_back(reference(x.data() + place / outputs * shape.depth * shape.height * shape.width, out));
  }
  return want;
}

template <typename Window>
cudaError_t launch(Kind kind, const PlaneLoad& load, const PlaneStore& store, const PoolShape& shape) {
  switch (kind) {
    case Kind::kMax:
      return launch_max_pool<Window>(load, store, shape, nullptr);
    case Kind::kIndex:
      return launch_max_pool<Window, true>(load, store, shape, nullptr);
    case Kind::kAverageInside:
      return launch_average_pool<Window, PoolDivisor::kInsideInput>(load, store, shape, nullptr);
    case Kind::kAveragePadded:
      return launch_average_pool<Window, PoolDivisor::kWithPadding>(load, store, shape, nullptr);
    default:
      return launch_average_pool<Window, PoolDivisor::kInsideInput, 7>(load, store, shape, nullptr);
  }
}

// launch(load, store)
template <typename Launch>
void check_close(Checker& checker, const std::string& name, const std::vector<float>& x, const PoolShape& shape,
                 const std::vector<double>& want, const Launch& launch) {
  const DeviceFloats device_x(x);
  const DeviceFloats y(static_cast<int64_t>(want.size()));
  checker.launched(name, launch(PlaneLoad{device_x.data(), shape}, PlaneStore{y.data(), shape}));
  checker.close(name, y.values(), want, 1e-6);
}

template <typename Window, int kRows>
cudaError_t launch_tiles(Kind kind, const PlaneLanesLoad& load, const PlaneStore& store, const PoolShape& shape) {
  const bool vectorised = shape.width % 4 == 0;
  switch (kind) {
    case Kind::kMax:
      return launch_max_pool_tiles<Window, kRows>(load, store, shape, vectorised, nullptr);
    case Kind::kAverageInside:
      return launch_average_pool_tiles<Window, PoolDivisor::kInsideInput, 0, kRows>(load, store, shape, vectorised,
                                                                                    nullptr);
    case Kind::kAveragePadded:
      return launch_average_pool_tiles<Window, PoolDivisor::kWithPadding, 0, kRows>(load, store, shape, vectorised,
                                                                                    nullptr);
    default:
      return launch_average_pool_tiles<Window, PoolDivisor::kInsideInput, 7, kRows>(load, store, shape, vectorised,
                                                                                    nullptr);
  }
}

template <typename Window>
PoolShape pooled_shape(int64_t planes, int64_t depth, int64_t height, int64_t width, bool ceil_mode) {
  return {planes,
          height,
          width,
          pooled(height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, ceil_mode),
          pooled(width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, ceil_mode),
          depth,
          pooled(depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, ceil_mode)};
}

template <typename Window>
void check(Checker& checker, Kind kind, int64_t depth, int64_t height, int64_t width, bool ceil_mode) {
  const PoolShape shape = pooled_shape<Window>(6, depth, height, width, ceil_mode);
  const auto x = random_floats(shape.planes * depth * height * width, 1);
  const std::string name = "pool " + std::to_string(static_cast<int>(kind)) + " " + std::to_string(height) + "x" +
                           std::to_string(width) + (ceil_mode ? " ceil" : "");
  const auto want = wanted(
      x, shape, [&](const float* plane, const int64_t(&out)[3]) { return reference<Window>(kind, plane, shape, out); });
  check_close(checker, name, x, shape, want,
              [&](const PlaneLoad& load, const PlaneStore& store) { return launch<Window>(kind, load, store, shape); });
}

template <typename Window, int kRows>
void check_tiles(Checker& checker, Kind kind, int64_t planes, int64_t depth, int64_t height, int64_t width) {
  for (const bool ceil_mode : {false, true}) {
    const PoolShape shape = pooled_shape<Window>(planes, depth, height, width, ceil_mode);
    const DeviceFloats x(random_floats(planes * depth * height * width, 3));
    const std::string name = "tiles of " + std::to_string(kRows) + ", pool " + std::to_string(static_cast<int>(kind)) +
                             " " + std::to_string(height) + "x" + std::to_string(width);
    const auto want = wanted(x.values(), shape, [&](const float* plane, const int64_t(&out)[3]) {
      return reference<Window>(kind, plane, shape, out);
    });
    const DeviceFloats y(static_cast<int64_t>(want.size()));
    checker.launched(name, launch_tiles<Window, kRows>(kind, {{x.data(), shape}}, {y.data(), shape}, shape));
    checker.close(name, y.values(), want, 1e-6);
  }
}

// Part i of n of an axis: while its neighbours' borders, rounded outwards, hold the position.
bool in_part(int64_t position, int64_t out, int64_t extent, int64_t parts) {
  return position >= out * extent / parts && position * parts < (out + 1) * extent;
}

template <int kRank>
void check_adaptive(Checker& checker, const PoolShape& shape) {
  const auto x = random_floats(shape.planes * shape.depth * shape.height * shape.width, 2);
  for (const Kind kind : {Kind::kMax, Kind::kIndex, Kind::kAverageInside}) {
    const auto want = wanted(x, shape, [&](const float* plane, const int64_t(&out)[3]) {
      Seen seen;
      for (int64_t at = 0; at < shape.depth * shape.height * shape.width; ++at) {
        if (in_part(at / shape.width / shape.height, out[0], shape.depth, shape.out_depth) &&
            in_part(at / shape.width % shape.height, out[1], shape.height, shape.out_height) &&
            in_part(at % shape.width, out[2], shape.width, shape.out_width)) {
          seen.add(plane[at], at);
        }
      }
      return seen.result(kind);
    });
    const std::string name = "adaptive " + std::to_string(static_cast<int>(kind));
    check_close(checker, name, x, shape, want, [&](const PlaneLoad& load, const PlaneStore& store) {
      return kind == Kind::kMax     ? launch_adaptive_max_pool<kRank>(load, store, shape, nullptr)
             : kind == Kind::kIndex ? launch_adaptive_max_pool<kRank, true>(load, store, shape, nullptr)
                                    : launch_adaptive_average_pool<kRank>(load, store, shape, nullptr);
    });
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  for (const bool ceil_mode : {false, true}) {
    for (const Kind kind :
         {Kind::kMax, Kind::kIndex, Kind::kAverageInside, Kind::kAveragePadded, Kind::kAverageOver7}) {
      check<Window2d<3, 2, 2, 2, 1, 1>>(checker, kind, 1, 13, 10, ceil_mode);
      check<Window2d<2, 2, 2, 2, 0, 0>>(checker, kind, 1, 8, 9, ceil_mode);
      check<Window3d<2, 3, 2, 2, 1, 3, 1, 1, 0>>(checker, kind, 6, 5, 10, ceil_mode);
    }
    check<Window2d<3, 3, 2, 1, 1, 1, 2, 2>>(checker, Kind::kMax, 1, 11, 12, ceil_mode);
    check<Window2d<9, 10, 3, 4, 4, 5>>(checker, Kind::kIndex, 1, 14, 15, ceil_mode);  // too many taps to unroll
    check<Window3d<2, 3, 2, 2, 1, 3, 1, 1, 0, 3, 2, 1>>(checker, Kind::kIndex, 6, 7, 10, ceil_mode);
  }
  for (const Kind kind : {Kind::kMax, Kind::kAverageInside, Kind::kAveragePadded, Kind::kAverageOver7}) {
    check_tiles<Window2d<4, 4, 1, 1, 1, 1>, 8>(checker, kind, 3, 1, 19, 20);
    check_tiles<Window2d<3, 3, 2, 2, 1, 1>, 4>(checker, kind, 5, 1, 13, 13);
    check_tiles<Window3d<2, 3, 2, 2, 1, 3, 1, 1, 0>, 2>(checker, kind, 3, 6, 5, 12);
  }
  check_tiles<Window2d<1, 8, 1, 1, 0, 4, 1, 3>, 1>(checker, Kind::kMax, 2, 1, 1, 2500);
  check_tiles<Window2d<1, 8, 1, 1, 0, 4>, 1>(checker, Kind::kAveragePadded, 2, 1, 1, 601);
  check_tiles<Window2d<11, 11, 11, 11, 0, 0>, 1>(checker, Kind::kAverageInside, 1, 1, 23, 1100);
  check_tiles<Window2d<3, 40, 2, 1, 1, 20, 2, 1>, 2>(checker, Kind::kMax, 2, 1, 9, 44);
  check_adaptive<2>(checker, {4, 7, 9, 3, 4});
  check_adaptive<2>(checker, {4, 7, 9, 1, 1});
  check_adaptive<3>(checker, {3, 7, 9, 3, 4, 5, 2});
  return checker.finish();
}
