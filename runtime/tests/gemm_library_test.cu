// SPDX-License-Identifier: Apache-2.0
// Products by cuBLASLt, here the emulator's: all layouts, batches, what it does behind the product, TF32, what is kept
// from call to call, and what it does not take.
#include "gemm_support.cuh"
#include "kernels/gemm/library.cuh"

namespace {

using namespace stitch_test;

constexpr double kTolerance = 2e-5;
constexpr double kTf32Tolerance = 2e-2;

struct Libraries {
  StepLibraries slots{};
  ~Libraries() { slots.cublaslt.destroy(slots.cublaslt.state); }
};

struct Operands {
  explicit Operands(const GemmCase& problem)
      : a(problem.a), b(problem.b), bias(problem.bias), scratch(kCublasLtWorkspaceBytes / sizeof(float) + 100000) {}
  DeviceFloats a;
  DeviceFloats b;
  DeviceFloats bias;
  DeviceFloats scratch;
};

template <LibraryMath kMath, Layout kLayoutA, Layout kLayoutB>
void check_then(Checker& checker, StepLibraries* libraries, const GemmShape& shape) {
  const GemmCase problem(shape);
  const Operands operands(problem);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), operands.bias.data(), shape.m, shape.n};
  StepArgs args{};
  args.scratch = operands.scratch.data();
  args.libraries = libraries;
  checker.launched("then", launch_gemm_library_then<kMath, kLayoutA, kLayoutB>(
                               &args, shape, matrix_a<kLayoutA>(operands.a.data(), shape),
                               matrix_b<kLayoutB>(operands.b.data(), shape), epilogue, nullptr));
  checker.close(problem.name("then"), c.values(), problem.expected<kLayoutA, kLayoutB>(),
                kMath == LibraryMath::kTf32 ? kTf32Tolerance : kTolerance);
}

double gelu_tanh(double x) { return 0.5 * x * (1.0 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

// gelu(product + bias + residual), all by the library.
void check_whole(Checker& checker, StepLibraries* libraries) {
  constexpr Layout kK = Layout::kContiguousK;
  const GemmShape shape = gemm_shape(2, 17, 12, 30);
  const GemmCase problem(shape);
  const Operands operands(problem);
  const auto residual_values = random_floats(shape.batch * shape.m * shape.n, 9);
  const DeviceFloats residual(residual_values);
  const DeviceFloats d(shape.batch * shape.m * shape.n);
  StepArgs args{};
  args.libraries = libraries;
  const LibraryEpilogue epilogue{operands.bias.data(), residual.data(), LibraryActivation::kGeluTanh};
  checker.launched("whole",
                   launch_gemm_library<LibraryMath::kFp32, kK, kK>(&args, shape, matrix_a<kK>(operands.a.data(), shape),
                                                                   matrix_b<kK>(operands.b.data(), shape), d.data(),
                                                                   epilogue, operands.scratch.data(), nullptr));
  std::vector<double> want;
  for (int64_t place = 0; place < shape.batch * shape.m * shape.n; ++place) {
    const int64_t batch = place / shape.n / shape.m;
    double sum = problem.bias[place % shape.n] + residual_values[place];
    for (int64_t k = 0; k < shape.k; ++k) {
      sum += static_cast<double>(problem.a[(batch * shape.m + place / shape.n % shape.m) * shape.k + k]) *
             problem.b[(batch * shape.n + place % shape.n) * shape.k + k];
    }
    want.push_back(gelu_tanh(sum));
  }
  checker.close("bias, residual and GELU", d.values(), want, kTolerance);
}

void check_refusals(Checker& checker, StepLibraries* libraries) {
  constexpr Layout kK = Layout::kContiguousK;
  GemmShape shape = gemm_shape(6, 8, 12, 16);
  const GemmCase problem(shape);
  const Operands operands(problem);
  const DeviceFloats d(shape.batch * shape.m * shape.n);
  StepArgs args{};
  const auto run = [&](const GemmShape& asked, const StridedMatrix<float>& a) {
    return launch_gemm_library<LibraryMath::kFp32, kK, kK>(&args, asked, a, matrix_b<kK>(operands.b.data(), shape),
                                                           d.data(), {}, operands.scratch.data(), nullptr);
  };
  const StridedMatrix<float> a = matrix_a<kK>(operands.a.data(), shape);
  checker.is_true("no place to keep a handle", run(shape, a) == cudaErrorNotSupported);
  args.libraries = libraries;
  shape.inner_batch = 3;
  checker.is_true("two batch levels", run(shape, a) == cudaErrorNotSupported);
  shape.inner_batch = 1;
  StridedMatrix<float> broadcast = a;
  broadcast.row_stride = 0;
  checker.is_true("rows that repeat", run(shape, broadcast) == cudaErrorNotSupported);
  shape.k = 0;
  checker.is_true("nothing to sum", run(shape, a) == cudaErrorNotSupported);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  Libraries libraries;
  constexpr Layout kK = Layout::kContiguousK;
  constexpr Layout kOuter = Layout::kContiguousOuter;
  constexpr LibraryMath kFp32 = LibraryMath::kFp32;
  for (int call = 0; call < 2; ++call) {  // the second finds what the first has kept
    check_then<kFp32, kK, kK>(checker, &libraries.slots, gemm_shape(1, 33, 20, 41));
    check_then<kFp32, kK, kOuter>(checker, &libraries.slots, gemm_shape(1, 33, 20, 41));
    check_then<kFp32, kOuter, kK>(checker, &libraries.slots, gemm_shape(3, 5, 7, 9));
    check_then<kFp32, kOuter, kOuter>(checker, &libraries.slots, gemm_shape(2, 16, 31, 8));
    check_then<LibraryMath::kTf32, kK, kK>(checker, &libraries.slots, gemm_shape(1, 33, 20, 41));
    check_then<kFp32, kK, kK>(checker, &libraries.slots, gemm_shape(1, 1, 1, 1));
  }
  check_whole(checker, &libraries.slots);
  check_refusals(checker, &libraries.slots);
  return checker.finish();
}
