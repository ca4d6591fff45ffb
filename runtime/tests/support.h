// SPDX-License-Identifier: Apache-2.0
// What the self-checking kernel tests share: numbers, device arrays, comparison. A test is a program that prints what
// failed and returns 1 if anything did.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#ifdef STITCH_EMULATED
#include <stitch_emulator_control.h>
#endif

namespace stitch_test {

// `TEST SEED` on the emulated device: threads run in an order drawn from the seed, which brings out missing barriers.
inline void use_schedule(int count, char** arguments) {
#ifdef STITCH_EMULATED
  stitch_emulator_set_schedule_seed(count > 1 ? std::stoull(arguments[1]) : 0);
#else
  (void)count;
  (void)arguments;
#endif
}

// Floats in [low, high), the same on every run.
inline std::vector<float> random_floats(std::int64_t count, std::uint64_t seed, float low = -1.0f, float high = 1.0f) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (float& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = low + (high - low) * static_cast<float>(state >> 40) / static_cast<float>(1 << 24);
  }
  return values;
}

// An array in device memory, exactly as long as its values: an emulated overrun is caught by checked builds.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    const std::unique_ptr<T[]> host(new T[count_]);  // bool's vector has no array to copy from
    std::copy(values.begin(), values.end(), host.get());
    cudaMalloc(&data_, count_ * sizeof(T));
    cudaMemcpy(data_, host.get(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  // Filled with a value no kernel produces, so that an element left out shows.
  explicit DeviceArray(std::int64_t count)
      : DeviceArray(std::vector<T>(static_cast<std::size_t>(count), static_cast<T>(-12345))) {}
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    const std::unique_ptr<T[]> host(new T[count_]);
    cudaMemcpy(host.get(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return std::vector<T>(host.get(), host.get() + count_);
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};
using DeviceFloats = DeviceArray<float>;

class Checker {
 public:
  // Accepts |got - want| <= tolerance * max(1, |want|); non-finite values must agree.
  template <typename T>
  void close(const std::string& name, const std::vector<T>& got, const std::vector<double>& want, double tolerance) {
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess || got.size() != want.size()) {
      fail(name, error != cudaSuccess ? cudaGetErrorString(error) : "sizes differ");
      return;
    }
    for (std::size_t index = 0; index < got.size(); ++index) {
      const double value = got[index];
      const bool same = std::isfinite(want[index])
                            ? std::fabs(value - want[index]) <= tolerance * std::fmax(1.0, std::fabs(want[index]))
                            : value == want[index] || (std::isnan(value) && std::isnan(want[index]));
      if (!same) {
        char text[120];
        std::snprintf(text, sizeof(text), "element %zu of %zu is %.9g, expected %.9g", index, got.size(), value,
                      want[index]);
        fail(name, text);
        return;
      }
    }
    ++passed_;
  }

  // Accepts the very same values; any NaN is as good as another, and 0 is not -0.
  template <typename T>
  void same(const std::string& name, const std::vector<T>& got, const std::vector<T>& want) {
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess || got.size() != want.size()) {
      fail(name, error != cudaSuccess ? cudaGetErrorString(error) : "sizes differ");
      return;
    }
    for (std::size_t index = 0; index < got.size(); ++index) {
      const T value = got[index];
      const T wanted = want[index];
      const auto as_double = [](T number) { return static_cast<double>(number); };
      const bool both_nan = std::isnan(as_double(value)) && std::isnan(as_double(wanted));
      if (!both_nan && (value != wanted || std::signbit(as_double(value)) != std::signbit(as_double(wanted)))) {
        char text[120];
        std::snprintf(text, sizeof(text), "element %zu of %zu is %.17g, expected %.17g", index, got.size(),
                      as_double(value), as_double(wanted));
        fail(name, text);
        return;
      }
    }
    ++passed_;
  }

  void launched(const std::string& name, cudaError_t error) {
    if (error != cudaSuccess) {
      fail(name, cudaGetErrorString(error));
    }
  }

  void is_true(const std::string& name, bool holds) {
    if (holds) {
      ++passed_;
    } else {
      fail(name, "does not hold");
    }
  }

  int finish() const {
    std::printf("%d passed, %d failed\n", passed_, failed_);
    return failed_ == 0 && passed_ > 0 ? 0 : 1;
  }

 private:
  void fail(const std::string& name, const std::string& what) {
    std::printf("FAILED %s: %s\n", name.c_str(), what.c_str());
    ++failed_;
  }

  int passed_ = 0;
  int failed_ = 0;
};

}  // namespace stitch_test
