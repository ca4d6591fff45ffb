// SPDX-License-Identifier: Apache-2.0
// What every idiom file uses to hold device data and to compare with answers computed on the host.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error, const char* call, int line) {
  if (error != cudaSuccess) {
    std::printf("WRONG line %d: %s gave %s\n", line, call, cudaGetErrorString(error));
    std::exit(1);
  }
}
#define CHECK(CALL) check(CALL, #CALL, __LINE__)

template <class T>
struct DeviceArray {
  T* data = nullptr;
  size_t count;

  explicit DeviceArray(size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) { set(host); }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data); }

  void set(const std::vector<T>& host) {
    CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
};

inline std::vector<float> ramp(size_t count, float scale = 0.01f, float offset = -1.0f) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = offset + scale * static_cast<float>(i % 251);
  }
  return values;
}

template <class T, class U>
void expect_equal(const std::vector<T>& got, const std::vector<U>& expected, const char* what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!(i < got.size() && got[i] == static_cast<T>(expected[i]))) {
      std::printf("WRONG %s[%zu]: got %.9g, expected %.9g\n", what, i, i < got.size() ? double(got[i]) : 0.0,
                  double(expected[i]));
      std::exit(1);
    }
  }
}

inline void expect_near(const std::vector<float>& got, const std::vector<double>& expected, double tolerance,
                        const char* what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const double allowed = tolerance * (1.0 + std::fabs(expected[i]));
    if (!(i < got.size() && std::fabs(double(got[i]) - expected[i]) <= allowed)) {
      std::printf("WRONG %s[%zu]: got %.9g, expected %.9g\n", what, i, i < got.size() ? double(got[i]) : 0.0,
                  expected[i]);
      std::exit(1);
    }
  }
}

inline int pass() {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  std::printf("PASS\n");
  return 0;
}
