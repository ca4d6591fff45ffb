// SPDX-License-Identifier: Apache-2.0
// Random numbers: Philox against its authors' test vectors, moments and independence of what is drawn from it, numbers
// that are handed in.
#include "kernels/pointwise/map.cuh"
#include "kernels/random/numbers.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

// kat_vectors of Random123, philox4x32 with ten rounds
void check_philox(Checker& checker) {
  const auto is = [](const PhiloxBlock& got, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return got.word[0] == a && got.word[1] == b && got.word[2] == c && got.word[3] == d;
  };
  checker.is_true("zeros", is(philox({{0, 0, 0, 0}}, 0), 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  constexpr uint32_t kOnes = 0xffffffffu;
  checker.is_true("ones", is(philox({{kOnes, kOnes, kOnes, kOnes}}, ~uint64_t{0}), 0x408f276du, 0x41c83b0eu,
                             0xa20bc7c6u, 0x6d5451fdu));
  checker.is_true("pi", is(philox({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0x299f31d0a4093822ull),
                           0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

template <bool kIsNormal>
struct Draw {
  RandomNumbers numbers;
  float* out;

  template <int kLanes>
  __device__ void apply(const Index<1>& at) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t place = at[0] + lane;
      out[place] = kIsNormal ? numbers.normal(place) : numbers.uniform(place);
    }
  }
};

constexpr int64_t kCount = 1 << 16;

template <bool kIsNormal>
std::vector<float> drawn(Checker& checker, uint64_t seed, uint64_t offset, uint32_t stream) {
  const DeviceFloats out(kCount);
  const Draw<kIsNormal> functor{{nullptr, seed, offset, stream}, out.data()};
  checker.launched("draw", launch_map<1>(functor, MapShape<1>{{kCount}, false}, nullptr));
  checker.is_true("drawn", cudaDeviceSynchronize() == cudaSuccess);
  return out.values();
}

double mean_power(const std::vector<float>& values, int power) {
  double sum = 0.0;
  for (const float value : values) {
    sum += std::pow(static_cast<double>(value), power);
  }
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<float>& a, const std::vector<float>& b, size_t lag = 0) {
  const double mean_a = mean_power(a, 1);
  const double mean_b = mean_power(b, 1);
  double product = 0.0;
  double squares_a = 0.0;
  double squares_b = 0.0;
  for (size_t i = 0; i + lag < a.size(); ++i) {
    const double x = a[i] - mean_a;
    const double y = b[i + lag] - mean_b;
    product += x * y;
    squares_a += x * x;
    squares_b += y * y;
  }
  return product / std::sqrt(squares_a * squares_b);
}

// Whether |got - want| is within five standard errors of a mean over all that was drawn.
bool near(double got, double want, double deviation) {
  return std::fabs(got - want) <= 5.0 * deviation / std::sqrt(static_cast<double>(kCount));
}

void check_uniform(Checker& checker) {
  const std::vector<float> values = drawn<false>(checker, 42, 7, 0);
  bool is_inside = true;
  std::vector<double> bins(16, 0.0);
  for (const float value : values) {
    is_inside = is_inside && value >= 0.0f && value < 1.0f;
    bins[static_cast<size_t>(value * 16.0f) & 15] += 1.0;
  }
  checker.is_true("uniform in [0, 1)", is_inside);
  checker.is_true("uniform mean", near(mean_power(values, 1), 0.5, std::sqrt(1.0 / 12.0)));
  checker.is_true("uniform square", near(mean_power(values, 2), 1.0 / 3.0, std::sqrt(4.0 / 45.0)));
  double chi_squared = 0.0;
  const double expected = static_cast<double>(kCount) / 16.0;
  for (const double count : bins) {
    chi_squared += (count - expected) * (count - expected) / expected;
  }
  checker.is_true("uniform chi squared, 15 degrees of freedom, one in 100,000", chi_squared <= 49.0);
  for (const size_t lag : {1, 2, 3, 4, 5}) {
    checker.is_true("no correlation with neighbours", near(correlation(values, values, lag), 0.0, 1.0));
  }
}

void check_normal(Checker& checker) {
  const std::vector<float> values = drawn<true>(checker, 42, 7, 3);
  checker.is_true("normal mean", near(mean_power(values, 1), 0.0, 1.0));
  checker.is_true("normal variance", near(mean_power(values, 2), 1.0, std::sqrt(2.0)));
  checker.is_true("normal skewness", near(mean_power(values, 3), 0.0, std::sqrt(15.0)));
  checker.is_true("normal fourth moment", near(mean_power(values, 4), 3.0, std::sqrt(96.0)));
  for (const size_t lag : {1, 2, 3}) {
    checker.is_true("no correlation with neighbours", near(correlation(values, values, lag), 0.0, 1.0));
  }
}

// Another seed, offset or stream: other numbers. The same ones: the same numbers.
void check_independence(Checker& checker) {
  const std::vector<float> values = drawn<false>(checker, 42, 7, 0);
  checker.is_true("the same again", drawn<false>(checker, 42, 7, 0) == values);
  checker.is_true("another seed", near(correlation(values, drawn<false>(checker, 43, 7, 0)), 0.0, 1.0));
  checker.is_true("another offset", near(correlation(values, drawn<false>(checker, 42, 8, 0)), 0.0, 1.0));
  checker.is_true("another stream", near(correlation(values, drawn<false>(checker, 42, 7, 1)), 0.0, 1.0));
}

void check_given(Checker& checker) {
  const std::vector<float> values = random_floats(100, 5);
  const DeviceFloats given(values);
  const DeviceFloats out(100);
  const Draw<true> functor{{given.data(), 1, 2, 3}, out.data()};
  checker.launched("given", launch_map<1>(functor, MapShape<1>{{100}, false}, nullptr));
  checker.close("numbers that are handed in", out.values(), std::vector<double>(values.begin(), values.end()), 0.0);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_philox(checker);
  check_uniform(checker);
  check_normal(checker);
  check_independence(checker);
  check_given(checker);
  return checker.finish();
}
