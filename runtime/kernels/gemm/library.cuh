// SPDX-License-Identifier: Apache-2.0
// GEMM by cuBLASLt in the terms of the skeletons here. Each function answers cudaErrorNotSupported, having enqueued
// nothing, where cuBLASLt is not installed or takes no such product: the step then launches its own kernel.
#pragma once

#include "kernels/gemm/split_k.cuh"
#include "libraries/cublaslt.h"

namespace stitch {

// library_half.cuh has the 16-bit types.
template <typename T>
inline constexpr LibraryType kLibraryType = LibraryType::kFloat32;

// What cuBLASLt does behind the product: d = activation(product + bias + residual). Null pointers add nothing.
struct LibraryEpilogue {
  const void* bias = nullptr;
  const void* residual = nullptr;
  LibraryActivation activation = LibraryActivation::kNone;
};

// d is contiguous. Batches of several levels are not taken.
template <LibraryMath kMath, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Result>
cudaError_t launch_gemm_library(const StepArgs* args, const GemmShape& shape, const StridedMatrix<T>& lhs,
                                const StridedMatrix<T>& rhs, Result* d, const LibraryEpilogue& epilogue,
                                void* workspace, cudaStream_t stream) {
  if (shape.inner_batch != 1 || shape.middle_batch != 1) {
    return cudaErrorNotSupported;
  }
  constexpr bool kAlongK[] = {kLhsLayout == Layout::kContiguousK, kRhsLayout == Layout::kContiguousK};
  return cublaslt_gemm({.math = kMath,
                        .operand_type = kLibraryType<T>,
                        .result_type = kLibraryType<Result>,
                        .activation = epilogue.activation,
                        .batch = shape.batch,
                        .m = shape.m,
                        .n = shape.n,
                        .k = shape.k,
                        .a = {lhs.data, kAlongK[0], kAlongK[0] ? lhs.row_stride : lhs.column_stride, lhs.batch_stride},
                        .b = {rhs.data, kAlongK[1], kAlongK[1] ? rhs.column_stride : rhs.row_stride, rhs.batch_stride},
                        .bias = epilogue.bias,
                        .residual = epilogue.residual,
                        .d = d,
                        .workspace = workspace},
                       args->libraries, stream);
}

// Any epilogue: cuBLASLt leaves the product in scratch (its workspace, then batch * m * n floats), and a second kernel
// takes it from there.
template <LibraryMath kMath, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_gemm_library_then(const StepArgs* args, const GemmShape& shape, const StridedMatrix<T>& lhs,
                                     const StridedMatrix<T>& rhs, const Epilogue& epilogue, cudaStream_t stream) {
  auto* workspace = static_cast<char*>(args->scratch);
  auto* product = reinterpret_cast<float*>(workspace + kCublasLtWorkspaceBytes);
  const cudaError_t error = launch_gemm_library<kMath, kLhsLayout, kRhsLayout>(args, shape, lhs, rhs, product,
                                                                               LibraryEpilogue{}, workspace, stream);
  return error == cudaSuccess ? launch_join_splits(shape, product, epilogue, 1, stream) : error;
}

}  // namespace stitch
