// SPDX-License-Identifier: Apache-2.0
// Floats to fp16 and back: every value that it has, what lies halfway between two, and what it has not.
#include <cmath>

#include "ptx/convert.cuh"
#include "support.h"

namespace {

using namespace stitch_test;

constexpr uint32_t kInfinity = 0x7c00;  // the bits below are those of all finite values, smaller ones first

// Bits of a value and of its negative, and what is read from them again.
__global__ void convert_kernel(const float* values, float* converted, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    const uint32_t packed = stitch::ptx::pack_fp16x2(values[i], -values[i]);
    converted[4 * i] = static_cast<float>(packed & 0xffffu);
    converted[4 * i + 1] = static_cast<float>(packed >> 16);
    converted[4 * i + 2] = stitch::ptx::low_fp16(packed);
    converted[4 * i + 3] = stitch::ptx::high_fp16(packed);
  }
}

double value_of(uint32_t bits) {
  const auto exponent = static_cast<int>(bits >> 10);
  const double fraction = bits & 0x3ff;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

struct Conversions {
  std::vector<float> values;
  std::vector<double> wanted;

  void add(double value, uint32_t bits) {
    const double rounded = bits == kInfinity ? INFINITY : value_of(bits);
    values.push_back(static_cast<float>(value));
    wanted.insert(wanted.end(), {static_cast<double>(bits), static_cast<double>(bits | 0x8000u), rounded, -rounded});
  }
};

Conversions all_conversions() {
  Conversions all;
  for (uint32_t bits = 0; bits < kInfinity; ++bits) {
    const double value = value_of(bits);
    const double next = value_of(bits + 1);  // of the largest: what would be next
    const auto middle = static_cast<float>((value + next) / 2);
    all.add(value, bits);
    all.add(middle, bits + bits % 2);
    all.add(std::nextafter(middle, 0.0f), bits);
    all.add(std::nextafter(middle, INFINITY), bits + 1);
  }
  all.add(1e5, kInfinity);
  all.add(INFINITY, kInfinity);
  all.add(std::ldexp(1.0, -140), 0);
  return all;
}

void check_conversions(Checker& checker) {
  constexpr int kThreads = 128;
  const Conversions all = all_conversions();
  const auto count = static_cast<int64_t>(all.values.size());
  const DeviceFloats values(all.values);
  const DeviceFloats converted(4 * count);
  convert_kernel<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads>>>(values.data(),
                                                                                         converted.data(), count);
  checker.launched("conversions", cudaGetLastError());
  checker.close("conversions", converted.values(), all.wanted, 0);
}

// A NaN of fp16 has its sign and some payload; that it is one is what matters.
void check_nan(Checker& checker) {
  const DeviceFloats values(std::vector<float>{NAN, -NAN});
  const DeviceFloats converted(8);
  convert_kernel<<<1, 2>>>(values.data(), converted.data(), 2);
  const std::vector<float> got = converted.values();
  checker.close("NaN", std::vector<float>{got[2], got[3], got[6], got[7]}, {NAN, NAN, NAN, NAN}, 0);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_conversions(checker);
  check_nan(checker);
  return checker.finish();
}
