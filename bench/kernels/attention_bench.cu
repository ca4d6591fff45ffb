// SPDX-License-Identifier: Apache-2.0
// Times the attention skeletons and compares a sample of queries with double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include bench/kernels/attention_bench.cu
#include "harness.cuh"
#include "kernels/attention/flash.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct StoreOutput {
  float* out;
  AttentionShape shape;
  __device__ void operator()(int64_t batch, int64_t head, int64_t query, int64_t dimension, float value) const {
    out[((batch * shape.heads + head) * shape.queries + query) * shape.value_head_dimension + dimension] = value;
  }
};

constexpr int kSampled = 64;

// One block of a warp per sampled query; two passes over the keys.
__global__ void reference_kernel(AttentionShape shape, bool causal, const float* q, const float* k, const float* v,
                                 const float* out, double* got, double* want) {
  const int64_t rows = shape.batch * shape.heads * shape.queries;
  const auto row = static_cast<int64_t>(blockIdx.x * 2654435761ull % static_cast<uint64_t>(rows));
  const int64_t query = row % shape.queries;
  const int64_t plane = row / shape.queries;
  const int64_t keys = causal && query + 1 < shape.keys ? query + 1 : shape.keys;
  const int64_t width = shape.head_dimension;
  double total = 0.0;
  double sum = 0.0;
  for (int64_t key = 0; key < keys; ++key) {
    double score = 0.0;
    for (int64_t d = 0; d < width; ++d) {
      score += static_cast<double>(q[row * width + d]) * k[(plane * shape.keys + key) * width + d];
    }
    const double weight = exp(score * static_cast<double>(shape.scale));
    total += weight;
    sum += weight * v[(plane * shape.keys + key) * width + threadIdx.x];
  }
  want[blockIdx.x * blockDim.x + threadIdx.x] = sum / total;
  got[blockIdx.x * blockDim.x + threadIdx.x] = out[row * width + threadIdx.x];
}

template <int kHeadDimension, bool kCausal>
void bench(int64_t batch, int64_t heads, int64_t length) {
  const int64_t count = batch * heads * length * kHeadDimension;
  const Buffer q(count, 1);
  const Buffer k(count, 2);
  const Buffer v(count, 3);
  const Buffer out(count, 4);
  const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(kHeadDimension));
  const AttentionShape shape{batch, heads, heads, length, length, kHeadDimension, kHeadDimension, scale};
  const auto operand = [&](const Buffer& data) {
    return AttentionOperand{data.data(), heads * length * kHeadDimension, length * kHeadDimension, kHeadDimension};
  };
  const double elapsed_us = median_us([&] {
    return launch_flash_attention<kHeadDimension, kCausal>(shape, operand(q), operand(k), operand(v), NoMask{},
                                                           StoreOutput{out.data(), shape}, nullptr);
  });
  double* pairs = nullptr;
  constexpr int kPairs = kSampled * kHeadDimension;
  require(cudaMalloc(&pairs, 2 * kPairs * sizeof(double)), "cudaMalloc");
  reference_kernel<<<kSampled, kHeadDimension>>>(shape, kCausal, q.data(), k.data(), v.data(), out.data(), pairs,
                                                 pairs + kPairs);
  std::vector<double> host(2 * kPairs);
  require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "reference");
  cudaFree(pairs);
  const auto middle = host.begin() + kPairs;
  const double work = (kCausal ? 2.0 : 4.0) * static_cast<double>(count) * static_cast<double>(length);
  const std::string size = std::to_string(batch) + " x " + std::to_string(heads) + " x " + std::to_string(length) +
                           " x " + std::to_string(kHeadDimension);
  print_row("flash", size, kCausal ? "causal" : "full", elapsed_us, work / elapsed_us / 1e6,
            relative_error({host.begin(), middle}, {middle, host.end()}), 1e-4);
}

}  // namespace

int main() {
  print_header("TFLOP/s");
  bench<64, false>(8, 16, 1024);
  bench<64, true>(8, 16, 1024);
  bench<64, true>(2, 16, 4096);
  bench<128, true>(4, 16, 2048);
  bench<32, false>(16, 16, 512);
  return 0;
}
