// SPDX-License-Identifier: Apache-2.0
// Times the GEMM skeletons' settings and compares a sample of their outputs with double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include bench/kernels/gemm_bench.cu
#include "harness.cuh"
#include "kernels/gemm/ffma.cuh"
#include "kernels/gemm/mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;

struct StoreC {
  float* c;
  int64_t n;
  __device__ void operator()(int64_t, int64_t row, int64_t column, float value) const { c[row * n + column] = value; }
  template <int kLanes>
  __device__ void lanes(int64_t, int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    store_lanes(c + row * n + column, values);
  }
};

constexpr int kSampled = 2048;

__global__ void reference_kernel(GemmShape shape, StridedMatrix<float> a, StridedMatrix<float> b, const float* c,
                                 double* got, double* want) {
  const uint64_t sample = blockIdx.x;
  const int64_t row = static_cast<int64_t>(sample * 2654435761ull % static_cast<uint64_t>(shape.m));
  const int64_t column = static_cast<int64_t>(sample * 40503ull * 2246822519ull % static_cast<uint64_t>(shape.n));
  double sum = 0.0;
  for (int64_t k = threadIdx.x; k < shape.k; k += 32) {
    sum += static_cast<double>(a.data[row * a.row_stride + k * a.column_stride]) *
           b.data[k * b.row_stride + column * b.column_stride];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) {
    want[sample] = sum;
    got[sample] = c[row * shape.n + column];
  }
}

struct Problem {
  GemmShape shape;
  Buffer a;
  Buffer b;
  Buffer c;
  Buffer scratch;
  std::string size;

  static constexpr int64_t kMaxSplits = 16;

  Problem(int64_t m, int64_t n, int64_t k)
      : shape{1, m, n, k},
        a(m * k, 1),
        b(k * n, 2),
        c(m * n, 3),
        scratch(m * n <= 1 << 20 ? kMaxSplits * m * n : 1),
        size(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k)) {
    shape.epilogue_vectorised = n % 4 == 0;
  }

  template <Layout kLayout>
  StridedMatrix<float> view_a() const {
    return kLayout == kK ? StridedMatrix<float>{a.data(), 0, shape.k, 1}
                         : StridedMatrix<float>{a.data(), 0, 1, shape.m};
  }
  template <Layout kLayout>
  StridedMatrix<float> view_b() const {
    return kLayout == kK ? StridedMatrix<float>{b.data(), 0, 1, shape.k}
                         : StridedMatrix<float>{b.data(), 0, shape.n, 1};
  }

  template <Layout kLayoutA, Layout kLayoutB>
  double error() const {
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * kSampled * sizeof(double)), "cudaMalloc");
    reference_kernel<<<kSampled, 32>>>(shape, view_a<kLayoutA>(), view_b<kLayoutB>(), c.data(), pairs,
                                       pairs + kSampled);
    std::vector<double> host(2 * kSampled);
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "reference");
    cudaFree(pairs);
    const auto middle = host.begin() + kSampled;
    return relative_error({host.begin(), middle}, {middle, host.end()});
  }

  template <Layout kLayoutA, Layout kLayoutB, typename Launch>
  void report(const char* kernel, const char* setting, double error_limit, const Launch& launch) const {
    cudaMemset(c.data(), 0xff, static_cast<std::size_t>(c.count()) * sizeof(float));
    const double elapsed_us = median_us(launch);
    const double tflops =
        2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k) / elapsed_us / 1e6;
    print_row(kernel, size, setting, elapsed_us, tflops, error<kLayoutA, kLayoutB>(), error_limit);
  }

  template <typename Tile, Layout kLayoutA, Layout kLayoutB>
  void ffma(const char* setting) const {
    report<kLayoutA, kLayoutB>("ffma", setting, 1e-4, [&] {
      return launch_gemm_ffma<Tile, kLayoutA, kLayoutB>(shape, view_a<kLayoutA>(), view_b<kLayoutB>(),
                                                        StoreC{c.data(), shape.n}, nullptr);
    });
  }

  template <typename Math, typename Tile, Layout kLayoutA, Layout kLayoutB>
  void mma(const char* kernel, const char* setting, double error_limit) const {
    report<kLayoutA, kLayoutB>(kernel, setting, error_limit, [&] {
      return launch_gemm_mma<Math, Tile, kLayoutA, kLayoutB>(shape, view_a<kLayoutA>(), view_b<kLayoutB>(),
                                                             StoreC{c.data(), shape.n}, nullptr);
    });
  }

  template <typename Math, typename Tile>
  void mma_split(const char* kernel, const char* setting, int64_t splits) const {
    report<kK, kK>(kernel, setting, 1e-4, [&] {
      return launch_gemm_mma_split_k<Math, Tile, kK, kK>(shape, view_a<kK>(), view_b<kK>(), StoreC{c.data(), shape.n},
                                                         splits, scratch.data(), nullptr);
    });
  }
};

void sweep_large(int64_t m, int64_t n, int64_t k) {
  const Problem problem(m, n, k);
  problem.ffma<FfmaTileLarge, kK, kK>("128x128x16 NT");
  problem.ffma<FfmaTileLarge, kK, kOuter>("128x128x16 NN");
  problem.ffma<FfmaTile<128, 128, 8, 8, 8>, kK, kK>("128x128x8 NT");
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 2, 4, 3>, kK, kK>("tf32x3", "128x128 warps 2x4 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 2, 4, 4>, kK, kK>("tf32x3", "128x128 warps 2x4 stages 4 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 4, 2, 3>, kK, kK>("tf32x3", "128x128 warps 4x2 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 4, 4, 3>, kK, kK>("tf32x3", "128x128 warps 4x4 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 64, 32, 2, 2, 3>, kK, kK>("tf32x3", "128x64 warps 2x2 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<64, 128, 32, 1, 4, 3>, kK, kK>("tf32x3", "64x128 warps 1x4 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<64, 64, 32, 2, 2, 3>, kK, kK>("tf32x3", "64x64 warps 2x2 stages 3 NT", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 2, 4, 3>, kK, kOuter>("tf32x3", "128x128 warps 2x4 stages 3 NN", 1e-4);
  problem.mma<Tf32x3, MmaTile<128, 128, 32, 2, 4, 3>, kOuter, kOuter>("tf32x3", "128x128 warps 2x4 stages 3 TN", 1e-4);
  problem.mma<Tf32, MmaTile<128, 128, 32, 2, 4, 3>, kK, kK>("tf32", "128x128 warps 2x4 stages 3 NT", 1e-2);
  problem.mma<Tf32, MmaTile<128, 128, 32, 4, 2, 3>, kK, kK>("tf32", "128x128 warps 4x2 stages 3 NT", 1e-2);
  problem.mma<Bf16, MmaTile<128, 128, 32, 2, 4, 3>, kK, kK>("bf16", "128x128 warps 2x4 stages 3 NT", 5e-2);
}

void sweep_small(int64_t m, int64_t n, int64_t k) {
  const Problem problem(m, n, k);
  problem.ffma<FfmaTileLarge, kK, kK>("128x128x16 NT");
  problem.ffma<FfmaTileMedium, kK, kK>("64x64x16 NT");
  problem.ffma<FfmaTileSmall, kK, kK>("32x32x16 NT");
  problem.mma<Tf32x3, MmaTileLarge, kK, kK>("tf32x3", "large NT", 1e-4);
  problem.mma<Tf32x3, MmaTileBroad, kK, kK>("tf32x3", "broad NT", 1e-4);
  problem.mma<Tf32x3, MmaTileMedium, kK, kK>("tf32x3", "medium NT", 1e-4);
  problem.mma<Tf32x3, MmaTileSmall, kK, kK>("tf32x3", "small NT", 1e-4);
  problem.mma<Tf32x3, MmaTileWide, kK, kK>("tf32x3", "wide NT", 1e-4);
  if (m * n <= 1 << 20) {
    problem.mma_split<Tf32x3, MmaTileMedium>("tf32x3", "medium NT split 4", 4);
    problem.mma_split<Tf32x3, MmaTileWide>("tf32x3", "wide NT split 8", 8);
  }
}

}  // namespace

int main() {
  print_header("TFLOP/s");
  sweep_large(4096, 4096, 4096);
  sweep_large(8192, 8192, 2048);
  sweep_small(1024, 1024, 1024);
  sweep_small(2048, 2048, 2048);
  sweep_small(32, 4096, 4096);
  sweep_small(128, 512, 4096);
  sweep_small(1023, 1021, 777);
  return 0;
}
