// SPDX-License-Identifier: Apache-2.0
// Products of fp32's class by two fp16 planes an operand: time, and error against double precision, beside 3 x TF32 and
// cuBLAS where its library is found. y = x W^T, both contiguous along K.
//   split_bench [error|speed|NUMBER]...
#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "harness.cuh"
#include "kernels/gemm/mma.cuh"
#include "kernels/gemm/wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

enum class Data { kUniform, kPositive, kNormal, kWide, kWider };
const char* name(Data data) {
  constexpr const char* kNames[] = {"uniform -1..1", "uniform 0..1", "normal", "2^+-8", "2^+-12"};
  return kNames[static_cast<int>(data)];
}

__device__ float uniform(uint64_t index) {
  uint64_t z = index * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<float>(z >> 40) / 16777216.0f;  // [0, 1)
}

__global__ void draw_kernel(float* values, int64_t count, Data data, uint64_t seed) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const float u = uniform(seed + 2 * static_cast<uint64_t>(i));
    const float v = uniform(seed + 2 * static_cast<uint64_t>(i) + 1);
    const float normal = sqrtf(-2.0f * logf(1.0f - u)) * cospif(2.0f * v);
    const float binades = data == Data::kWide ? 16.0f : 24.0f;
    values[i] = data == Data::kUniform    ? 2.0f * u - 1.0f
                : data == Data::kPositive ? u
                : data == Data::kNormal
                    ? normal
                    : normal * exp2f(binades * (uniform(~(seed + static_cast<uint64_t>(i))) - 0.5f));
  }
}

struct StoreC {
  float* c;
  int64_t n;
  __device__ void operator()(int64_t, int64_t row, int64_t column, float value) const { c[row * n + column] = value; }
  template <int kLanes>
  __device__ void lanes(int64_t, int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    store_lanes(c + row * n + column, values);
  }
};

constexpr int kSampled = 4096;

struct Sample {
  double got;
  double want;
  double size;  // sum of magnitudes
};

__global__ void sample_kernel(int64_t m, int64_t n, int64_t depth, const float* a, const float* b, const float* c,
                              Sample* samples) {
  const uint64_t at = blockIdx.x;
  const auto row = static_cast<int64_t>(at * 2654435761ull % static_cast<uint64_t>(m));
  const auto column = static_cast<int64_t>(at * 40503ull * 2246822519ull % static_cast<uint64_t>(n));
  double sum = 0.0;
  double size = 0.0;
  for (int64_t k = threadIdx.x; k < depth; k += 32) {
    const double product = static_cast<double>(a[row * depth + k]) * b[column * depth + k];
    sum += product;
    size += fabs(product);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    size += __shfl_xor_sync(0xffffffffu, size, distance);
  }
  if (threadIdx.x == 0) {
    samples[at] = {c[row * n + column], sum, size};
  }
}

// cuBLAS by name, so that it need not be installed where this is built.
class Cublas {
 public:
  Cublas() {
    for (const char* file : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
      library_ = library_ != nullptr ? library_ : dlopen(file, RTLD_NOW);
    }
    if (library_ == nullptr) {
      return;
    }
    const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library_, "cublasCreate_v2"));
    sgemm_ = reinterpret_cast<Sgemm>(dlsym(library_, "cublasSgemm_v2"));
    if (create == nullptr || create(&handle_) != 0) {
      sgemm_ = nullptr;
    }
  }
  explicit operator bool() const { return sgemm_ != nullptr; }
  cudaError_t operator()(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c) const {
    const float one = 1.0f;
    const float zero = 0.0f;
    const int status = sgemm_(handle_, 1, 0, static_cast<int>(n), static_cast<int>(m), static_cast<int>(k), &one, b,
                              static_cast<int>(k), a, static_cast<int>(k), &zero, c, static_cast<int>(n));
    return status == 0 ? cudaGetLastError() : cudaErrorUnknown;
  }

 private:
  using Sgemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                        const float*, float*, int);
  void* library_ = nullptr;
  void* handle_ = nullptr;
  Sgemm sgemm_ = nullptr;
};

struct Problem {
  int64_t m;
  int64_t n;
  int64_t k;
  Data data;
  GemmShape shape;
  Buffer a;
  Buffer b;
  Buffer c;
  Buffer split_a;
  Buffer split_b;
  Buffer samples;

  Problem(int64_t m_, int64_t n_, int64_t k_, Data data_)
      : m(m_),
        n(n_),
        k(k_),
        data(data_),
        shape{1, m, n, k},
        a(m * k),
        b(n * k),
        c(m * n),
        split_a(split_bytes(1, m, k) / 4),
        split_b(split_bytes(1, n, k) / 4),
        samples(kSampled * 6) {
    shape.epilogue_vectorised = n % 4 == 0;
    draw_kernel<<<2048, 256>>>(a.data(), m * k, data, 1ull << 40);
    draw_kernel<<<2048, 256>>>(b.data(), n * k, data, 2ull << 40);
    require(split(a, m, split_a), "split");
    require(split(b, n, split_b), "split");
  }

  cudaError_t split(const Buffer& from, int64_t rows, const Buffer& to) const {
    return launch_split<Layout::kContiguousK>({from.data(), 0, k, 1}, 1, BatchLevels{}, rows, k, to.data(), nullptr);
  }
  SplitMatrix planes(const Buffer& of, int64_t rows) const { return split_matrix(of.data(), 1, rows, k); }
  StoreC store() const { return {c.data(), n}; }
};

using Launch = std::function<cudaError_t(const Problem&)>;
struct Kernel {
  const char* name;
  const char* setting;
  bool splits;  // its time is printed with no operand split, A split, both split
  Launch launch;
};

template <typename Tile>
Kernel planes(const char* setting) {
  return {"fp16x3", setting, true, [](const Problem& p) {
            return launch_gemm_split<Tile, Layout::kContiguousK, Layout::kContiguousK>(
                p.shape, {p.a.data(), 0, p.k, 1}, {p.b.data(), 0, 1, p.k}, p.planes(p.split_a, p.m),
                p.planes(p.split_b, p.n), p.store(), nullptr);
          }};
}

template <typename Tile>
Kernel tf32x3(const char* setting) {
  return {"tf32x3", setting, false, [](const Problem& p) {
            return launch_gemm_mma<Tf32x3, Tile, Layout::kContiguousK, Layout::kContiguousK>(
                p.shape, {p.a.data(), 0, p.k, 1}, {p.b.data(), 0, 1, p.k}, p.store(), nullptr);
          }};
}

std::vector<Kernel> kernels() {
  static const Cublas cublas;
  std::vector<Kernel> all{
      planes<PlaneTileBroad>("128x256, promoted every 32"),
      planes<PlaneTileSquare>("128x128, promoted every 64"),
      planes<PlaneTile<1, 6, 4>>("128x128, promoted every 128"),
      tf32x3<MmaTileLarge>("128x128"),
  };
  if (cublas) {
    all.push_back({"cublas", "fp32", false,
                   [](const Problem& p) { return cublas(p.m, p.n, p.k, p.a.data(), p.b.data(), p.c.data()); }});
  }
  return all;
}

// max and rms error, each as a multiple of 2^-24 of the outputs' root mean square; max as one of 2^-24 of an output's
// sum of magnitudes.
void print_errors(const Problem& p) {
  auto* device = reinterpret_cast<Sample*>(p.samples.data());
  sample_kernel<<<kSampled, 32>>>(p.m, p.n, p.k, p.a.data(), p.b.data(), p.c.data(), device);
  std::vector<Sample> samples(kSampled);
  require(cudaMemcpy(samples.data(), device, kSampled * sizeof(Sample), cudaMemcpyDeviceToHost), "samples");
  const double unit = std::ldexp(1.0, -24);
  double squares = 0.0;
  double wrong_squares = 0.0;
  double largest = 0.0;
  double largest_of_size = 0.0;
  int not_numbers = 0;
  for (const Sample& sample : samples) {
    const double error = std::abs(sample.got - sample.want);
    not_numbers += error == error ? 0 : 1;
    squares += sample.want * sample.want;
    wrong_squares += error * error;
    largest = std::max(largest, error);
    largest_of_size = std::max(largest_of_size, error / sample.size);
  }
  const double rms = std::sqrt(squares / kSampled);
  const double error_rms = std::sqrt(wrong_squares / kSampled);
  std::printf(" %10.3g %10.3g %10.3g", largest / rms / unit, error_rms / rms / unit, largest_of_size / unit);
  if (not_numbers > 0) {
    std::printf("  %d of %d NaN", not_numbers, kSampled);
  } else if (!(largest / rms < 1e-2)) {
    std::printf("  WRONG:");
    for (int i = 0; i < 6; ++i) {
      std::printf(" %g(%g)", samples[static_cast<size_t>(i)].got, samples[static_cast<size_t>(i)].want);
    }
  }
}

void run_once(const Problem& p, const Kernel& kernel) {
  cudaMemset(p.c.data(), 0xff, static_cast<size_t>(p.c.count()) * sizeof(float));
  require(kernel.launch(p), kernel.setting);
  require(cudaDeviceSynchronize(), kernel.setting);
}

void errors(const std::vector<Kernel>& all) {
  std::printf("\n%-9s %-36s %-24s %10s %10s %10s\n", "kernel", "setting", "size, data", "max", "rms", "max/size");
  for (const Data data : {Data::kPositive, Data::kNormal, Data::kWide, Data::kWider}) {
    for (const int64_t k : {96, 600, 1001, 4096, 16384}) {
      const Problem p(512, 520, k, data);
      for (const Kernel& kernel : all) {
        run_once(p, kernel);
        std::printf("%-9s %-36s %6ld %-17s", kernel.name, kernel.setting, static_cast<long>(k), name(data));
        print_errors(p);
        std::printf("\n");
        std::fflush(stdout);
      }
    }
  }
}

void speed_of(const std::vector<Kernel>& all, int64_t m, int64_t n, int64_t k) {
  const Problem p(m, n, k, Data::kNormal);
  const double split_a_us = median_us([&] { return p.split(p.a, m, p.split_a); });
  const double split_b_us = median_us([&] { return p.split(p.b, n, p.split_b); });
  const double across_us = median_us([&] {
    return launch_split<Layout::kContiguousOuter>({p.b.data(), 0, 1, n}, 1, BatchLevels{}, n, k, p.split_b.data(),
                                                  nullptr);
  });
  require(p.split(p.b, n, p.split_b), "split");
  std::printf("\n%ld x %ld x %ld: A split in %.1f us, B in %.1f us, in %.1f us were it contiguous across k\n",
              static_cast<long>(m), static_cast<long>(n), static_cast<long>(k), split_a_us, split_b_us, across_us);
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / 1e6;
  for (const Kernel& kernel : all) {
    run_once(p, kernel);
    const double us = median_us([&] { return kernel.launch(p); });
    const double us_a = us + (kernel.splits ? split_a_us : 0.0);
    const double us_both = us_a + (kernel.splits ? split_b_us : 0.0);
    std::printf("%-9s %-36s %10.1f us %8.1f TFLOP/s, A split %8.1f, both %8.1f;", kernel.name, kernel.setting, us,
                operations / us, operations / us_a, operations / us_both);
    print_errors(p);
    std::printf("\n");
    std::fflush(stdout);
  }
}

void speed(const std::vector<Kernel>& all) {
  speed_of(all, 4096, 4096, 4096);
  speed_of(all, 1024, 8192, 8192);
  speed_of(all, 2048, 8192, 4096);
  speed_of(all, 16384, 1024, 4096);
  speed_of(all, 512, 512, 512);
  speed_of(all, 1000, 1000, 1001);
  speed_of(all, 128, 32768, 32768);
}

}  // namespace

// A number chooses one kernel: a fault or a hang of another does not spoil its measurement.
int main(int count, char** words) {
  bool with_errors = count == 1;
  bool with_speed = count == 1;
  std::vector<Kernel> chosen = kernels();
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    with_errors = with_errors || word == "error";
    with_speed = with_speed || word == "speed";
    const auto index = static_cast<size_t>(std::atoi(words[i]));
    if (word != "error" && word != "speed" && index < chosen.size()) {
      chosen = {chosen[index]};
    }
  }
  if (with_errors) {
    errors(chosen);
  }
  if (with_speed) {
    speed(chosen);
  }
  return 0;
}
