// SPDX-License-Identifier: Apache-2.0
// Functions of our own beyond CUDA's: known values, and what they make of NaN, infinities and zeros, in float and
// double.
#include "kernels/common.cuh"
#include "support.h"

namespace {

using namespace stitch_test;

// One thread computes all: the table is what matters, not how it is spread.
template <typename Real>
__global__ void compute(Real* got) {
  const Real inf = Real(INFINITY);
  const Real nan = Real(NAN);
  int at = 0;
  const auto put = [&](Real value) { got[at++] = value; };
  put(stitch::remainder(Real(-5), Real(3)));
  put(stitch::remainder(Real(5), -inf));
  put(stitch::floor_divide(Real(1), Real(0.1)));
  put(stitch::floor_divide(Real(-7), Real(2)));
  put(stitch::floor_divide(Real(-7), Real(0)));
  put(stitch::heaviside(nan, Real(7)));
  put(stitch::heaviside(Real(-0.0), Real(7)));
  put(stitch::lerp(Real(1), Real(3), Real(0.75)));
  put(stitch::nan_to_num(-inf, Real(1), Real(2), Real(3)));
  put(stitch::nan_to_num(nan, Real(1), Real(2), Real(3)));
  put(stitch::hardshrink(nan, Real(0.5)));
  put(stitch::hardshrink(Real(-0.5), Real(0.5)));
  put(stitch::softshrink(nan, Real(0.5)));
  put(stitch::softshrink(Real(-2), Real(0.5)));
  put(stitch::sinc(Real(0)));
  put(stitch::sinc(Real(2.5)));
  put(stitch::logaddexp(Real(1000), Real(999)));
  put(stitch::logaddexp(-inf, -inf));
  put(stitch::logaddexp2(inf, inf));
  put(stitch::logaddexp2(Real(3), Real(3)));
  put(stitch::xlogy(Real(0), Real(0)));
  put(stitch::xlogy(Real(0), nan));
  put(stitch::xlog1py(Real(2), Real(1)));
  put(stitch::digamma(Real(1)));
  put(stitch::digamma(Real(-2.5)));
  put(stitch::digamma(Real(-3)));
  put(stitch::digamma(Real(0)));
  put(stitch::digamma(Real(40)));
  put(stitch::mish(Real(1)));
  put(stitch::mish(Real(-1)));
  put(stitch::mish(Real(-30)) * Real(1e12));
  put(stitch::mish(Real(0)));
  put(stitch::mish(Real(90)));  // whose exponential is beyond floats
  put(stitch::mish(inf));
  put(stitch::mish(nan));
  put(stitch::sigmoid(Real(2)));
  put(stitch::sigmoid(Real(-2)));
  put(stitch::sigmoid(Real(-80)) * Real(1e34));
  put(stitch::sigmoid(-inf));
  put(stitch::sigmoid(inf));
  put(stitch::sigmoid(nan));
  put(stitch::silu(Real(-3)));
  put(stitch::silu(inf));
  put(stitch::silu(-inf));
  put(stitch::hardswish(Real(7)));
  put(stitch::hardswish(Real(1)));
  put(stitch::hardswish(Real(-3)));
  put(stitch::hardswish(inf));
  put(stitch::hardswish(nan));
  put(stitch::hardsigmoid(Real(3)));
  put(stitch::hardsigmoid(Real(-1)));
}

const std::vector<double> kExpected = {1,
                                       -INFINITY,
                                       9,
                                       -4,
                                       -INFINITY,
                                       0,
                                       7,
                                       2.5,
                                       3,
                                       1,
                                       NAN,
                                       0,
                                       NAN,
                                       -1.5,
                                       1,
                                       0.12732395447351627,
                                       1000.3132616875182,
                                       -INFINITY,
                                       INFINITY,
                                       4,
                                       0,
                                       NAN,
                                       1.3862943611198906,
                                       -0.57721566490153287,
                                       1.1031566406452432,
                                       NAN,
                                       -INFINITY,
                                       3.6763273740398125,
                                       0.8650983882673103,
                                       -0.30340146137410895,
                                       -2.807286890651921,
                                       0,
                                       90,
                                       INFINITY,
                                       NAN,
                                       0.8807970779778823,
                                       0.11920292202211755,
                                       0.18048513878454153,
                                       0,
                                       1,
                                       NAN,
                                       -0.14227761953270035,
                                       INFINITY,
                                       NAN,
                                       7,
                                       0.66666666666666663,
                                       0,
                                       INFINITY,
                                       NAN,
                                       1,
                                       0.33333333333333331};

template <typename Real>
void check(Checker& checker, const char* name, double tolerance) {
  Real* memory = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&memory), kExpected.size() * sizeof(Real));
  compute<Real><<<1, 1>>>(memory);
  std::vector<Real> got(kExpected.size());
  checker.launched(name, cudaMemcpy(got.data(), memory, got.size() * sizeof(Real), cudaMemcpyDeviceToHost));
  cudaFree(memory);
  std::vector<float> rounded(got.begin(), got.end());
  checker.close(name, rounded, kExpected, tolerance);
}

__global__ void compute_integers(int64_t* got) {
  int at = 0;
  const auto put = [&](int64_t value) { got[at++] = value; };
  put(stitch::floor_divide(int64_t{-7}, int64_t{2}));
  put(stitch::remainder(int64_t{-7}, int64_t{2}));
  put(stitch::truncated_remainder(-7, 2));
  put(stitch::quotient(INT64_MIN, -1));
  put(stitch::quotient(5, 0));
  put(stitch::integer_power(3, 39));
  put(stitch::integer_power(-1, -3));
  put(stitch::integer_power(2, 64));
  put(stitch::wrapped<uint8_t>(-1));
  put(stitch::wrapped<int8_t>(200));
  put(stitch::shifted_left<32>(1, 32));
  put(stitch::shifted_right<64>(-8, 64));
  put(stitch::wrapping_add(INT64_MAX, 1));
}

void check_integers(Checker& checker) {
  const std::vector<int64_t> expected = {-4,  1,   -1, INT64_MIN, 0,        4052555153018976267, -1, 0,
                                         255, -56, 0,  -1,        INT64_MIN};
  int64_t* memory = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&memory), expected.size() * sizeof(int64_t));
  compute_integers<<<1, 1>>>(memory);
  std::vector<int64_t> got(expected.size());
  checker.launched("integers", cudaMemcpy(got.data(), memory, got.size() * 8, cudaMemcpyDeviceToHost));
  cudaFree(memory);
  for (size_t i = 0; i < got.size(); ++i) {
    checker.is_true("integer " + std::to_string(i), got[i] == expected[i]);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<float>(checker, "float", 2e-6);
  check<double>(checker, "double", 2e-7);
  check_integers(checker);
  return checker.finish();
}
