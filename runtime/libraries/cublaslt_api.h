// SPDX-License-Identifier: Apache-2.0
// The part of cuBLASLt's interface that programs use, declared here so that they compile where its header is not
// installed. Names and values are those of cublasLt.h in CUDA 12 and 13.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

namespace stitch {

namespace cublaslt {

constexpr int kSuccess = 0;  // of cublasStatus_t

enum ComputeType { kCompute32F = 68, kCompute32FFastTf32 = 77 };
enum DataType { kR32F = 0, kR16F = 2, kR16Bf = 14 };  // of cudaDataType
enum Operation { kNormal = 0, kTransposed = 1 };
enum LayoutAttribute { kBatchCount = 5, kStridedBatchOffset = 6 };
enum DescriptionAttribute { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8 };
enum PreferenceAttribute {
  kMaxWorkspaceBytes = 1,
  kMinAlignmentA = 5,
  kMinAlignmentB = 6,
  kMinAlignmentC = 7,
  kMinAlignmentD = 8,
};
enum Epilogue { kNothing = 1, kRelu = 2, kBias = 4, kGelu = 32 };

struct Algorithm {
  uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

using Handle = void*;
using Layout = void*;
using Description = void*;
using Preference = void*;

}  // namespace cublaslt

struct CublasLtApi {
  int (*create)(cublaslt::Handle*);
  int (*destroy)(cublaslt::Handle);
  int (*layout_create)(cublaslt::Layout*, int type, uint64_t rows, uint64_t columns, int64_t leading_dimension);
  int (*layout_destroy)(cublaslt::Layout);
  int (*layout_set)(cublaslt::Layout, int attribute, const void* value, size_t bytes);
  int (*description_create)(cublaslt::Description*, int compute_type, int scale_type);
  int (*description_destroy)(cublaslt::Description);
  int (*description_set)(cublaslt::Description, int attribute, const void* value, size_t bytes);
  int (*preference_create)(cublaslt::Preference*);
  int (*preference_destroy)(cublaslt::Preference);
  int (*preference_set)(cublaslt::Preference, int attribute, const void* value, size_t bytes);
  int (*heuristic)(cublaslt::Handle, cublaslt::Description, cublaslt::Layout a, cublaslt::Layout b, cublaslt::Layout c,
                   cublaslt::Layout d, cublaslt::Preference, int wanted, cublaslt::HeuristicResult* results,
                   int* found);
  int (*multiply)(cublaslt::Handle, cublaslt::Description, const void* alpha, const void* a, cublaslt::Layout,
                  const void* b, cublaslt::Layout, const void* beta, const void* c, cublaslt::Layout, void* d,
                  cublaslt::Layout, const cublaslt::Algorithm*, void* workspace, size_t workspace_bytes, cudaStream_t);
};

// Null when cuBLASLt is not installed here. Looked for once a process.
const CublasLtApi* cublaslt_api();

}  // namespace stitch
