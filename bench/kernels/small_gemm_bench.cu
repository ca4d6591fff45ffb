// SPDX-License-Identifier: Apache-2.0
// Times products of fp32's class that are small, or deep and narrow, or thin: settings that split in a launch before,
// and those that split on the way. Errors beside those of double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/small_gemm_bench.cu
// Arguments: names of groups; none for all.
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "harness.cuh"
#include "kernels/gemm/mma.cuh"
#include "kernels/gemm/mma_thin.cuh"
#include "kernels/gemm/wgmma.cuh"
#include "kernels/gemm/wgmma_chunks.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kErrorLimit = 2e-5;
constexpr int kSampled = 2048;

struct StoreC {
  float* c;
  int64_t m;
  int64_t n;
  __device__ void operator()(int64_t batch, int64_t row, int64_t column, float value) const {
    c[(batch * m + row) * n + column] = value;
  }
  template <int kLanes>
  __device__ void lanes(int64_t batch, int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    store_global_lanes(c + (batch * m + row) * n + column, values);
  }
};

__global__ void reference_kernel(GemmShape shape, StridedMatrix<float> a, StridedMatrix<float> b, const float* c,
                                 double* got, double* want) {
  const uint64_t sample = blockIdx.x;
  const auto outputs = static_cast<uint64_t>(shape.batch * shape.m * shape.n);
  const auto place = static_cast<int64_t>((sample + 1) * 0x9e3779b97f4a7c15ull % outputs);
  const int64_t batch = place / (shape.m * shape.n);
  const int64_t row = place / shape.n % shape.m;
  const int64_t column = place % shape.n;
  double sum = 0.0;
  for (int64_t k = threadIdx.x; k < shape.k; k += 32) {
    sum += static_cast<double>(a.data[batch * a.batch_stride + row * a.row_stride + k * a.column_stride]) *
           b.data[batch * b.batch_stride + k * b.row_stride + column * b.column_stride];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) {
    want[sample] = sum;
    got[sample] = c[place];
  }
}

// Ends the process when a row takes long: the kernel hangs.
void watch(const char* kernel, const std::string& setting) {
  constexpr unsigned kMostSeconds = 4;
  static char row[128];
  std::snprintf(row, sizeof(row), "%s %s HANGS\n", kernel, setting.c_str());
  std::signal(SIGALRM, [](int) {
    [[maybe_unused]] const auto written = write(STDOUT_FILENO, row, __builtin_strlen(row));
    _exit(1);
  });
  alarm(kMostSeconds);
}

template <Layout kLayoutA, Layout kLayoutB>
struct Problem {
  static constexpr int64_t kMaxPartials = int64_t{1} << 26;  // floats

  GemmShape shape;
  Buffer a;
  Buffer b;
  Buffer c;
  Buffer planes;
  Buffer kept;
  std::string size;

  Problem(int64_t batch, int64_t m, int64_t n, int64_t k)
      : shape{batch, m, n, k},
        a(batch * m * k, 1),
        b(batch * k * n, 2),
        c(batch * m * n, 3),
        planes(std::max((split_bytes(batch, m, k) + split_bytes(batch, n, k)) / 4 + 64,
                        std::min(kMaxPartials, 32 * batch * m * n))),
        kept(split_bytes(1, n, k) / 4),
        size((batch > 1 ? std::to_string(batch) + " x " : "") + std::to_string(m) + " x " + std::to_string(n) + " x " +
             std::to_string(k)) {
    shape.epilogue_vectorised = n % 4 == 0;
    require(launch_split_rhs<kLayoutB>(view_b(), n, k, kept.data(), nullptr), "split of b");
  }

  StridedMatrix<float> view_a() const {
    return kLayoutA == kK ? StridedMatrix<float>{a.data(), shape.m * shape.k, shape.k, 1}
                          : StridedMatrix<float>{a.data(), shape.m * shape.k, 1, shape.m};
  }
  StridedMatrix<float> view_b() const {
    return kLayoutB == kK ? StridedMatrix<float>{b.data(), shape.n * shape.k, 1, shape.k}
                          : StridedMatrix<float>{b.data(), shape.n * shape.k, shape.n, 1};
  }
  StoreC store() const { return {c.data(), shape.m, shape.n}; }

  double error() const {
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * kSampled * sizeof(double)), "cudaMalloc");
    reference_kernel<<<kSampled, 32>>>(shape, view_a(), view_b(), c.data(), pairs, pairs + kSampled);
    std::vector<double> host(2 * kSampled);
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "reference");
    cudaFree(pairs);
    const auto middle = host.begin() + kSampled;
    return relative_error({host.begin(), middle}, {middle, host.end()});
  }

  template <typename Launch>
  void report(const char* kernel, const std::string& setting, const Launch& launch) const {
    watch(kernel, setting);
    cudaMemset(c.data(), 0xff, static_cast<std::size_t>(c.count()) * sizeof(float));
    const double elapsed_us = cold_us(launch);
    const double tflops =
        2.0 * static_cast<double>(shape.batch * shape.m * shape.n) * static_cast<double>(shape.k) / elapsed_us / 1e6;
    print_row(kernel, size, setting.c_str(), elapsed_us, tflops, error(), kErrorLimit);
  }

  template <typename Tile>
  void tf32x3(const char* tile, int64_t splits) const {
    report("tf32x3", std::string(tile) + " splits " + std::to_string(splits), [&] {
      return splits == 1
                 ? launch_gemm_mma<Tf32x3, Tile, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), nullptr)
                 : launch_gemm_mma_split_k<Tf32x3, Tile, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), splits,
                                                                             planes.data(), nullptr);
    });
  }
  template <int kDepth>
  void thin() const {
    report("tf32x3", "thin", [&] {
      return launch_gemm_mma_thin<Tf32x3, kDepth, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), nullptr);
    });
  }
  template <typename Tile>
  void in_planes(const char* tile) const {
    report("planes", tile, [&] {
      return launch_gemm_planes<Tile, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), planes.data(), nullptr);
    });
  }
  template <typename Tile>
  void in_kept_planes(const char* tile) const {
    report("planes", std::string(tile) + " kept", [&] {
      return launch_gemm_kept_planes<Tile, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), kept.data(),
                                                               planes.data(), nullptr);
    });
  }
  template <typename Tile, int kCluster>
  void in_chunks(const char* tile) const {
    report("chunks", std::string(tile) + " cluster " + std::to_string(kCluster), [&] {
      return launch_gemm_chunks<Tile, kCluster, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), nullptr);
    });
  }
  template <typename Tile>
  void in_chunks_split(const char* tile, int64_t splits) const {
    report("chunks", std::string(tile) + " splits " + std::to_string(splits), [&] {
      return launch_gemm_chunks_split_k<Tile, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(), splits,
                                                                  planes.data(), nullptr);
    });
  }
  template <typename Tile, int kCluster>
  void in_kept_chunks(const char* tile) const {
    report("chunks", std::string(tile) + " kept cluster " + std::to_string(kCluster), [&] {
      return launch_gemm_kept_chunks<Tile, kCluster, kLayoutA, kLayoutB>(shape, view_a(), view_b(), store(),
                                                                         kept.data(), nullptr);
    });
  }
};

// Of a layer whose weight is given.
void linear(int64_t m, int64_t n, int64_t k) {
  const Problem<kK, kK> problem(1, m, n, k);
  problem.in_kept_planes<PlaneTileSquare>("128x128");
  problem.in_kept_chunks<ChunkTileSmallKept, 1>("64x128, 2 blocks");
  problem.in_kept_chunks<ChunkTileKept, 1>("64x128");
  if (k >= 512) {
    problem.in_kept_chunks<ChunkTileKept, 2>("64x128");
    problem.in_kept_chunks<ChunkTileKept, 4>("64x128");
    problem.in_kept_chunks<ChunkTileKept, 8>("64x128");
  }
}

void small() {
  linear(394, 1536, 512);
  linear(394, 512, 512);
  linear(394, 2048, 512);
  linear(394, 512, 2048);
  linear(1024, 1024, 1024);
}

void transformers() {
  linear(31360, 288, 96);
  linear(31360, 384, 96);
  linear(31360, 96, 384);
  linear(7840, 576, 192);
  linear(5120, 1024, 256);
  linear(5120, 768, 256);
}

void deep() {
  const Problem<kK, kOuter> problem(1, 256, 256, 524288);
  problem.tf32x3<MmaTileBroad>("64x128", 16);
  problem.in_chunks_split<ChunkTileSquare>("128x128", 32);
  problem.in_chunks_split<ChunkTileSquare>("128x128", 33);
}

void thin() {
  {
    const Problem<kOuter, kOuter> shallow(1, 32768, 32768, 32);
    shallow.thin<32>();
  }
  const Problem<kK, kOuter> problem(1, 32768, 32768, 64);
  problem.thin<64>();
  problem.in_planes<PlaneTileBroad>("128x256");
  const double fill_us = cold_us(
      [&] { return cudaMemsetAsync(problem.c.data(), 0, static_cast<std::size_t>(problem.c.count()) * 4, nullptr); });
  std::printf("filling as much: %.1f us\n", fill_us);
}

void batches() {
  {
    const Problem<kK, kOuter> problem(128, 512, 2048, 1024);
    problem.in_planes<PlaneTileBroad>("128x256");
    problem.in_chunks<ChunkTileSquare, 1>("128x128");
    const double pass_us = cold_us([&] {
      const GemmShape& shape = problem.shape;
      auto* memory = reinterpret_cast<unsigned char*>(problem.planes.data());
      launch_split<kK>(problem.view_a(), shape.batch, shape.levels(), shape.m, shape.k, memory, nullptr);
      return launch_split<kOuter>(transposed(problem.view_b()), shape.batch, shape.levels(), shape.n, shape.k,
                                  memory + split_bytes(shape.batch, shape.m, shape.k), nullptr);
    });
    std::printf("of which the launches that split: %.1f us\n", pass_us);
  }
  {
    const Problem<kK, kOuter> problem(1, 16 * 1024, 768, 2048);
    problem.in_planes<PlaneTileBroad>("128x256");
    problem.in_chunks<ChunkTileSquare, 1>("128x128");
  }
  {
    const Problem<kK, kOuter> problem(1, 1048576, 768, 256);
    problem.in_planes<PlaneTileBroad>("128x256");
    problem.in_kept_planes<PlaneTileBroad>("128x256");
    problem.in_chunks<ChunkTileSquare, 1>("128x128");
  }
}

}  // namespace

int main(int count, char** arguments) {
  struct Part {
    std::string_view name;
    void (*run)();
  };
  print_header("TFLOP/s");
  for (const Part& part :
       {Part{"small", small}, {"transformers", transformers}, {"deep", deep}, {"thin", thin}, {"batches", batches}}) {
    bool wanted = count == 1;
    for (int i = 1; i < count; ++i) {
      wanted = wanted || part.name == arguments[i];
    }
    if (wanted) {
      part.run();
    }
  }
  return 0;
}
