// SPDX-License-Identifier: Apache-2.0
// What the kernel benchmarks share: random data made on the GPU, timing by events, and a table on standard output.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace stitch_bench {

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

__global__ void fill_kernel(float* data, int64_t count, uint64_t seed) {
  for (int64_t index = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; index < count;
       index += int64_t{gridDim.x} * blockDim.x) {
    uint64_t z = (static_cast<uint64_t>(index) + seed) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[index] = static_cast<float>(z >> 40) / 8388608.0f - 1.0f;  // [-1, 1)
  }
}

// Device memory filled with random numbers.
class Buffer {
 public:
  explicit Buffer(int64_t count, uint64_t seed = 1) : count_(count) {
    require(cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(float)), "cudaMalloc");
    fill_kernel<<<1024, 256>>>(data_, count, seed << 40);
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  float* data() const { return data_; }
  int64_t count() const { return count_; }
  std::vector<float> values() const {
    std::vector<float> host(static_cast<std::size_t>(count_));
    require(cudaMemcpy(host.data(), data_, host.size() * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return host;
  }

 private:
  float* data_ = nullptr;
  int64_t count_;
};

// Median time of a launch in microseconds, each after `before`, which is not timed. `launch` returns a cudaError_t.
template <typename Launch, typename Before>
double median_us(const Launch& launch, const Before& before) {
  constexpr int kWarmUps = 2;
  constexpr int kSamples = 7;
  cudaEvent_t begin;
  cudaEvent_t end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> samples_ms;
  for (int sample = -kWarmUps; sample < kSamples; ++sample) {
    before();
    cudaEventRecord(begin);
    require(launch(), "launch");
    cudaEventRecord(end);
    require(cudaEventSynchronize(end), "kernel");
    float elapsed_ms = 0.0f;
    cudaEventElapsedTime(&elapsed_ms, begin, end);
    if (sample >= 0) {
      samples_ms.push_back(elapsed_ms);
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(samples_ms.begin(), samples_ms.end());
  return samples_ms[samples_ms.size() / 2] * 1000.0;
}

template <typename Launch>
double median_us(const Launch& launch) {
  return median_us(launch, [] {});
}

// The same of a launch that finds nothing in the L2 cache.
template <typename Launch>
double cold_us(const Launch& launch) {
  static const Buffer other(int64_t{64} << 20);
  return median_us(launch,
                   [&] { cudaMemsetAsync(other.data(), 0, static_cast<std::size_t>(other.count()) * sizeof(float)); });
}

inline void print_header(const char* unit) {
  std::printf("%-12s %-30s %-34s %12s %10s %12s\n", "kernel", "size", "setting", "us", unit, "max error");
}

// `error`: largest difference from the double-precision reference, over the outputs compared, as a multiple of their
// root mean square. An honest fp32 result is about 1e-6; a wrong one is marked.
inline void print_row(const char* kernel, const std::string& size, const char* setting, double elapsed_us, double rate,
                      double error, double error_limit) {
  std::printf("%-12s %-30s %-34s %12.1f %10.2f %12.2e%s\n", kernel, size.c_str(), setting, elapsed_us, rate, error,
              error <= error_limit ? "" : "  WRONG");
  std::fflush(stdout);
}

// Largest difference relative to the root mean square of what was expected.
inline double relative_error(const std::vector<double>& got, const std::vector<double>& want) {
  double squares = 0.0;
  double largest = 0.0;
  bool comparable = true;
  for (std::size_t index = 0; index < want.size(); ++index) {
    squares += want[index] * want[index];
    const double difference = std::abs(got[index] - want[index]);
    comparable = comparable && difference == difference;
    largest = std::max(largest, difference);
  }
  const double rms = __builtin_sqrt(squares / static_cast<double>(want.size()));
  return comparable ? largest / rms : __builtin_inf();
}

}  // namespace stitch_bench
