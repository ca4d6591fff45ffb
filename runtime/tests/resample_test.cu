// SPDX-License-Identifier: Apache-2.0
// Resampling against the formulas of ATen/native/UpSample.h in double precision: every mode over one, two and three
// axes, larger and smaller, the same size, from and to one element, with and without a factor.
#include "kernels/resample/interpolate.cuh"
#include "plane_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

// How much of each input element is in one output element.
using Weights = std::vector<double>;

// Which element is nearest is decided by arithmetic in float, as PyTorch decides it.
float nearest_scale(int64_t in, int64_t out, double factor) {
  return factor > 0 ? static_cast<float>(1.0 / factor) : static_cast<float>(in) / static_cast<float>(out);
}

Weights one_of(int64_t in, float position) {
  Weights weights(static_cast<size_t>(in), 0.0);
  weights[static_cast<size_t>(std::min(static_cast<int64_t>(std::floor(position)), in - 1))] = 1.0;
  return weights;
}

Weights weights_of(const NearestMode*, int64_t in, int64_t out, double factor, int64_t at) {
  if (in == out || 2 * in == out) {
    return one_of(in, static_cast<float>(in == out ? at : at / 2));
  }
  return one_of(in, static_cast<float>(at) * nearest_scale(in, out, factor));
}
Weights weights_of(const NearestExactMode*, int64_t in, int64_t out, double factor, int64_t at) {
  return one_of(in, (static_cast<float>(at) + 0.5f) * nearest_scale(in, out, factor));
}

double position_of(bool align_corners, int64_t in, int64_t out, double factor, int64_t at) {
  if (align_corners) {
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) * static_cast<double>(at) : 0.0;
  }
  const double scale = factor > 0 ? 1.0 / factor : static_cast<double>(in) / static_cast<double>(out);
  return scale * (static_cast<double>(at) + 0.5) - 0.5;
}

void add_weight(Weights& weights, int64_t place, double weight) {
  const int64_t last = static_cast<int64_t>(weights.size()) - 1;
  weights[static_cast<size_t>(std::min(std::max<int64_t>(place, 0), last))] += weight;
}

template <bool kAlignCorners>
Weights weights_of(const LinearMode<kAlignCorners>*, int64_t in, int64_t out, double factor, int64_t at) {
  const double position =
      in == out ? static_cast<double>(at) : std::fmax(0.0, position_of(kAlignCorners, in, out, factor, at));
  Weights weights(static_cast<size_t>(in), 0.0);
  const double first = std::fmin(std::floor(position), static_cast<double>(in - 1));
  const double part = std::fmin(position - first, 1.0);
  add_weight(weights, static_cast<int64_t>(first), 1.0 - part);
  add_weight(weights, static_cast<int64_t>(first) + 1, part);
  return weights;
}

double keys_weight(double distance) {
  constexpr double kA = -0.75;
  const double x = std::fabs(distance);
  if (x <= 1.0) {
    return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
  }
  return x < 2.0 ? ((kA * x - 5.0 * kA) * x + 8.0 * kA) * x - 4.0 * kA : 0.0;
}

template <bool kAlignCorners>
Weights weights_of(const CubicMode<kAlignCorners>*, int64_t in, int64_t out, double factor, int64_t at) {
  const double position = position_of(kAlignCorners, in, out, factor, at);
  Weights weights(static_cast<size_t>(in), 0.0);
  const double first = std::fmin(std::floor(position), static_cast<double>(in - 1));
  const double part = std::fmin(std::fmax(position - first, 0.0), 1.0);
  for (int tap = -1; tap <= 2; ++tap) {
    add_weight(weights, static_cast<int64_t>(first) + tap, keys_weight(part - tap));
  }
  return weights;
}

template <typename Mode>
std::vector<double> resampled(const std::vector<float>& x, const PoolShape& shape, const ResampleFactors& factors) {
  const Mode* mode = nullptr;
  std::vector<double> out;
  for (int64_t plane = 0; plane < shape.planes; ++plane) {
    for (int64_t z = 0; z < shape.out_depth; ++z) {
      const Weights of_z = weights_of(mode, shape.depth, shape.out_depth, factors.z, z);
      for (int64_t y = 0; y < shape.out_height; ++y) {
        const Weights of_y = weights_of(mode, shape.height, shape.out_height, factors.y, y);
        for (int64_t column = 0; column < shape.out_width; ++column) {
          const Weights of_x = weights_of(mode, shape.width, shape.out_width, factors.x, column);
          double sum = 0.0;
          for (size_t at = 0; at < of_z.size() * of_y.size() * of_x.size(); ++at) {
            const size_t row = at / of_x.size();
            const double weight = of_z[row / of_y.size()] * of_y[row % of_y.size()] * of_x[at % of_x.size()];
            const size_t first = static_cast<size_t>(plane) * of_z.size() * of_y.size() * of_x.size();
            sum += weight == 0.0 ? 0.0 : weight * x[first + at];
          }
          out.push_back(sum);
        }
      }
    }
  }
  return out;
}

template <int kRank, typename Mode>
void check(Checker& checker, const char* mode, const PoolShape& shape, const ResampleFactors& factors) {
  const auto x = random_floats(shape.planes * shape.depth * shape.height * shape.width, 3);
  const DeviceFloats input(x);
  const DeviceFloats out(shape.planes * shape.out_depth * shape.out_height * shape.out_width);
  const auto extents = [](int64_t z, int64_t y, int64_t width) {
    return std::to_string(z) + "x" + std::to_string(y) + "x" + std::to_string(width);
  };
  const std::string name = std::string(mode) + " of rank " + std::to_string(kRank) + ": " +
                           extents(shape.depth, shape.height, shape.width) + " to " +
                           extents(shape.out_depth, shape.out_height, shape.out_width);
  checker.launched(name, launch_interpolate<kRank, Mode>(PlaneLoad{input.data(), shape}, PlaneStore{out.data(), shape},
                                                         shape, factors, nullptr));
  checker.close(name, out.values(), resampled<Mode>(x, shape, factors), 1e-4);
}

// What the launch leaves alone in fewer axes stays one element long.
PoolShape axes(int rank, int64_t planes, int64_t in, int64_t out) {
  PoolShape shape{planes, 1, in, 1, out};
  if (rank > 1) {
    shape.height = in + 2;
    shape.out_height = out + 3;
  }
  if (rank > 2) {
    shape.depth = in;
    shape.out_depth = out + 1;
  }
  return shape;
}

template <int kRank>
void check_rank(Checker& checker, int64_t in, int64_t out, double factor) {
  const PoolShape shape = axes(kRank, 3, in, out);
  const ResampleFactors factors{0.0, 0.0, factor};
  check<kRank, NearestMode>(checker, "nearest", shape, factors);
  check<kRank, NearestExactMode>(checker, "nearest exact", shape, factors);
  check<kRank, LinearMode<false>>(checker, "linear", shape, factors);
  check<kRank, LinearMode<true>>(checker, "linear, corners aligned", shape, factors);
  if (kRank == 2) {
    check<2, CubicMode<false>>(checker, "cubic", shape, factors);
    check<2, CubicMode<true>>(checker, "cubic, corners aligned", shape, factors);
  }
}

void check_extents(Checker& checker, int64_t in, int64_t out, double factor = 0.0) {
  check_rank<1>(checker, in, out, factor);
  check_rank<2>(checker, in, out, factor);
  check_rank<3>(checker, in, out, factor);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_extents(checker, 1, 1);
  check_extents(checker, 1, 5);
  check_extents(checker, 7, 1);
  check_extents(checker, 5, 5);
  check_extents(checker, 5, 10);
  check_extents(checker, 4, 13);
  check_extents(checker, 11, 4);
  check_extents(checker, 10, 17, 1.75);
  check_extents(checker, 9, 3, 0.4);
  check_rank<1>(checker, 300, 131, 0.0);
  // No image at all is no launch.
  const DeviceFloats none(1);
  const PoolShape empty = axes(2, 0, 4, 9);
  checker.launched("no planes", launch_interpolate<2, LinearMode<false>>(
                                    PlaneLoad{none.data(), empty}, PlaneStore{none.data(), empty}, empty, {}, nullptr));
  return checker.finish();
}
