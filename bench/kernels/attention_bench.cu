// SPDX-License-Identifier: Apache-2.0
// Times the attention skeletons, their operands in no cache, and compares a sample of queries with double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/attention_bench.cu
#include "harness.cuh"
#include "kernels/attention/flash.cuh"
#include "kernels/attention/flash_mma.cuh"
#include "kernels/attention/flash_wgmma.cuh"

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

// What is causal, said by a matrix, as programs have it that write attention out.
struct ReadMask {
  const float* mask;
  int64_t keys;
  __device__ float operator()(int64_t, int64_t, int64_t query, int64_t key, float score) const {
    return mask[query * keys + key] == 0.0f ? -INFINITY : score;
  }
};

__global__ void fill_mask_kernel(float* mask, int64_t keys) {
  for (int64_t key = threadIdx.x; key < keys; key += blockDim.x) {
    mask[blockIdx.x * keys + key] = key > blockIdx.x ? 0.0f : 1.0f;
  }
}

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

struct Problem {
  AttentionShape shape;
  bool causal;
  Buffer q;
  Buffer k;
  Buffer v;
  Buffer out;
  std::string size;

  Problem(int64_t batch, int64_t heads, int64_t length, int64_t width, bool causal)
      : shape{batch, heads, heads, length, length, width, width, 1.0f / __builtin_sqrtf(static_cast<float>(width))},
        causal(causal),
        q(batch * heads * length * width, 1),
        k(q.count(), 2),
        v(q.count(), 3),
        out(q.count(), 4),
        size(std::to_string(batch) + " x " + std::to_string(heads) + " x " + std::to_string(length) + " x " +
             std::to_string(width)) {}

  AttentionOperand operand(const Buffer& data) const {
    const int64_t plane = shape.queries * shape.head_dimension;
    return {data.data(), shape.heads * plane, plane, shape.head_dimension};
  }

  double error() const {
    const auto width = static_cast<int>(shape.head_dimension);
    const int pairs_count = kSampled * width;
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * sizeof(double) * static_cast<std::size_t>(pairs_count)), "cudaMalloc");
    reference_kernel<<<kSampled, width>>>(shape, causal, q.data(), k.data(), v.data(), out.data(), pairs,
                                          pairs + pairs_count);
    std::vector<double> host(2 * static_cast<std::size_t>(pairs_count));
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "reference");
    cudaFree(pairs);
    const auto middle = host.begin() + pairs_count;
    return relative_error({host.begin(), middle}, {middle, host.end()});
  }

  // launch(q, k, v, store)
  template <typename Launch>
  void report(const char* kernel, double error_limit, const Launch& launch) const {
    cudaMemset(out.data(), 0xff, static_cast<std::size_t>(out.count()) * sizeof(float));
    const double elapsed_us =
        median_us([&] { return launch(operand(q), operand(k), operand(v), StoreOutput{out.data(), shape}); });
    const double flops = (causal ? 2.0 : 4.0) * static_cast<double>(q.count()) * static_cast<double>(shape.keys);
    print_row(kernel, size, causal ? "causal" : "full", elapsed_us, flops / elapsed_us / 1e6, error(), error_limit);
  }
};

// The compiled width of the kernels that have no heads of 96.
constexpr int width_of(int head_dimension) { return head_dimension == 96 ? 128 : head_dimension; }

template <int kHeadDimension, bool kCausal>
void bench(int64_t batch, int64_t heads, int64_t length) {
  constexpr int kWidth = width_of(kHeadDimension);
  const Problem problem(batch, heads, length, kHeadDimension, kCausal);
  const Buffer planes(key_plane_bytes<kHeadDimension>(batch, heads, length) / 4);
  if (length <= 1024) {
    problem.report("ffma", 1e-4, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
      return launch_flash_attention<kWidth, kCausal>(problem.shape, q, k, v, NoMask{}, store, nullptr);
    });
  }
  problem.report("tf32x3", 1e-4, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
    return launch_flash_attention_mma<Tf32x3, kWidth, kCausal>(problem.shape, q, k, v, NoMask{}, store, nullptr);
  });
  problem.report("tf32", 1e-1, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
    return launch_flash_attention_mma<Tf32, kWidth, kCausal>(problem.shape, q, k, v, NoMask{}, store, nullptr);
  });
  problem.report("split", INFINITY, [&](const auto&, const auto& k, const auto& v, const auto&) {
    return launch_split_keys_and_values<kHeadDimension>(problem.shape, k, v, planes.data(), nullptr);
  });
  problem.report("fp16x3", 1e-4, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
    return launch_flash_attention_wgmma<3, kHeadDimension, kCausal>(problem.shape, q, k, v, NoMask{}, store,
                                                                    planes.data(), nullptr);
  });
  if (kCausal && length <= 1024) {
    const Buffer mask(length * length);
    fill_mask_kernel<<<static_cast<unsigned>(length), 256>>>(mask.data(), length);
    problem.report("fp16x3 mask", 1e-4, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
      return launch_flash_attention_wgmma<3, kHeadDimension, false>(
          problem.shape, q, k, v, ReadMask{mask.data(), length}, store, planes.data(), nullptr);
    });
  }
  problem.report("fp16", 1e-1, [&](const auto& q, const auto& k, const auto& v, const auto& store) {
    return launch_flash_attention_wgmma<1, kHeadDimension, kCausal>(problem.shape, q, k, v, NoMask{}, store,
                                                                    planes.data(), nullptr);
  });
}

}  // namespace

int main() {
  print_header("TFLOP/s");
  bench<32, false>(2, 4, 16384);
  bench<32, false>(32, 32, 512);
  bench<96, true>(64, 8, 512);
  bench<96, false>(64, 8, 512);
  bench<64, true>(64, 8, 512);
  bench<64, false>(12, 16, 1024);
  bench<128, false>(4, 16, 2048);
  bench<64, true>(2, 16, 4096);
  bench<128, true>(4, 16, 2048);
  return 0;
}
