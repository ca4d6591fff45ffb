// SPDX-License-Identifier: Apache-2.0
// A matrix product by cuBLASLt, with the little that it can do behind it. Handles, descriptors and the algorithm that
// its heuristics advise are made at the first call with a shape and kept in the program's handle; memory is the
// caller's.
#pragma once

#include "stitch/step.h"

namespace stitch {

constexpr uint64_t kCublasLtWorkspaceBytes = uint64_t{32} << 20;  // what its kernels for sm_90 ask for at most

enum class LibraryMath { kFp32, kTf32 };  // fp32: products of fp32 operands, never TF32
enum class LibraryType { kFloat32, kFloat16, kBfloat16 };
enum class LibraryActivation { kNone, kRelu, kGeluTanh };

// An operand as stored: rows of `contiguous` elements, `stride` elements apart, `batch_stride` from matrix to matrix.
struct LibraryOperand {
  const void* data;
  bool k_is_contiguous;  // else m (of A) or n (of B) is
  int64_t stride;
  int64_t batch_stride;
};

// d[b][i][j] = activation(sum over k of a[b][i][k] * b[b][k][j] + bias[j] + residual[b][i][j]); d and residual are
// contiguous.
struct LibraryGemm {
  LibraryMath math;
  LibraryType operand_type;
  LibraryType result_type;  // of bias and residual too
  LibraryActivation activation = LibraryActivation::kNone;
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  LibraryOperand a{};
  LibraryOperand b{};
  const void* bias = nullptr;
  const void* residual = nullptr;
  void* d = nullptr;
  void* workspace = nullptr;  // kCublasLtWorkspaceBytes
};

// cudaErrorNotSupported when cuBLASLt is not installed or takes no such product: nothing was enqueued then, and the
// caller uses its own kernel.
cudaError_t cublaslt_gemm(const LibraryGemm& gemm, StepLibraries* libraries, cudaStream_t stream);

}  // namespace stitch
