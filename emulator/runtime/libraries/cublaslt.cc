// SPDX-License-Identifier: Apache-2.0
// cuBLASLt's subset on the CPU: plain loops with float sums, TF32 operands rounded as the tensor cores round them. The
// one algorithm there is asks for some workspace and writes into it, so that a caller who gives none, or whose
// workspace overlaps something, is found out.
#include <cublasLt.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "api/state.h"
#include "control/apart.h"
#include "control/launch_ledger.h"
#include "libraries/elements.h"

struct cublasLtContext {};

struct cublasLtMatrixLayoutOpaque {
  cudaDataType type;
  int64_t rows;
  int64_t columns;
  int64_t leading;
  int32_t batch = 1;
  int64_t batch_stride = 0;
};

struct cublasLtMatmulDescOpaque {
  cublasComputeType_t compute;
  int32_t transposes_a = CUBLAS_OP_N;
  int32_t transposes_b = CUBLAS_OP_N;
  int32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};

struct cublasLtMatmulPreferenceOpaque {
  uint64_t workspace_bytes = 0;
};

namespace stitch_emulator {
namespace {

using Layout = cublasLtMatrixLayoutOpaque;
using Description = cublasLtMatmulDescOpaque;

constexpr uint64_t kAlgorithm = 0x656d756c61746564;  // what marks a choice of ours
constexpr size_t kWorkspaceBytes = 4096;

struct Product {
  Description description;
  float alpha;
  float beta;
  const void* a;
  const void* b;
  const void* c;
  void* d;
  Layout a_layout;
  Layout b_layout;
  Layout c_layout;
  Layout d_layout;
  void* workspace;

  uint64_t flops() const {
    return 2 * static_cast<uint64_t>(d_layout.rows * d_layout.columns * depth() * d_layout.batch);
  }
  int64_t depth() const { return description.transposes_a == CUBLAS_OP_T ? a_layout.rows : a_layout.columns; }
};

bool is_known(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF; }

int64_t element(const Layout& layout, int64_t batch, int64_t row, int64_t column) {
  return batch * layout.batch_stride + column * layout.leading + row;
}

// Rows of the first operand as seen by the product, and their operands rounded: one copy per matrix of the batch.
std::vector<float> gathered(const void* data, const Layout& layout, bool transposes, int64_t batch, bool to_tf32) {
  const int64_t rows = transposes ? layout.columns : layout.rows;
  const int64_t columns = transposes ? layout.rows : layout.columns;
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t place = transposes ? element(layout, batch, column, row) : element(layout, batch, row, column);
      const float value = load_element(data, layout.type, place);
      values[static_cast<size_t>(row * columns + column)] = to_tf32 ? rounded_to_tf32(value) : value;
    }
  }
  return values;
}

float activated(float value, int32_t epilogue) {
  if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0) {
    return value < 0 ? 0.0f : value;  // NaN stays, as in the library
  }
  if ((epilogue & CUBLASLT_EPILOGUE_GELU) != 0) {
    constexpr float kRootTwoOverPi = 0.7978845608f;
    constexpr float kCubic = 0.044715f;
    return 0.5f * value * (1.0f + std::tanh(kRootTwoOverPi * (value + kCubic * value * value * value)));
  }
  return value;
}

void multiply(const Product& product, int64_t batch) {
  const Description& description = product.description;
  const bool to_tf32 = description.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<float> a = gathered(product.a, product.a_layout, description.transposes_a == CUBLAS_OP_T, batch,
                                        to_tf32 && product.a_layout.type == CUDA_R_32F);
  const std::vector<float> b = gathered(product.b, product.b_layout, description.transposes_b == CUBLAS_OP_N, batch,
                                        to_tf32 && product.b_layout.type == CUDA_R_32F);
  const int64_t depth = product.depth();
  for (int64_t column = 0; column < product.d_layout.columns; ++column) {
    for (int64_t row = 0; row < product.d_layout.rows; ++row) {
      const float* left = a.data() + row * depth;
      const float* right = b.data() + column * depth;
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum += left[k] * right[k];
      }
      float value = product.alpha * sum;
      if (product.beta != 0) {
        value += product.beta *
                 load_element(product.c, product.c_layout.type, element(product.c_layout, batch, row, column));
      }
      if ((description.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
        value += load_element(description.bias, product.d_layout.type, row);
      }
      store_element(product.d, product.d_layout.type, element(product.d_layout, batch, row, column),
                    activated(value, description.epilogue));
    }
  }
}

bool fit_together(const Product& product) {
  const auto rows = [](const Layout& layout, bool transposes) { return transposes ? layout.columns : layout.rows; };
  const bool transposes_a = product.description.transposes_a == CUBLAS_OP_T;
  const bool transposes_b = product.description.transposes_b == CUBLAS_OP_T;
  return rows(product.a_layout, transposes_a) == product.d_layout.rows &&
         rows(product.b_layout, !transposes_b) == product.d_layout.columns &&
         rows(product.b_layout, transposes_b) == product.depth() && product.c_layout.rows == product.d_layout.rows &&
         product.c_layout.columns == product.d_layout.columns && product.a_layout.batch == product.d_layout.batch &&
         product.b_layout.batch == product.d_layout.batch && product.c_layout.batch == product.d_layout.batch;
}

// Copies an attribute of the size it must have.
template <typename T>
cublasStatus_t take(T& attribute, const void* value, size_t bytes) {
  if (value == nullptr || bytes != sizeof(T)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(&attribute, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t destroyed(T* object) {
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return destroyed(handle); }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
  if (!is_known(type) || ld < static_cast<int64_t>(rows)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *layout = new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(cols), ld};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroyed(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  return attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT            ? take(layout->batch, value, bytes)
         : attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET ? take(layout->batch_stride, value, bytes)
                                                                    : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  const bool is_ours = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (!is_ours || scale != CUDA_R_32F) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  *description = new Description{compute};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) { return destroyed(description); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return take(description->transposes_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return take(description->transposes_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return take(description->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return take(description->bias, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new cublasLtMatmulPreferenceOpaque;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroyed(preference); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t bytes) {
  uint32_t alignment = 0;
  return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? take(preference->workspace_bytes, value, bytes)
                                                               : take(alignment, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
  const LedgerEntry entry("cublasLtMatmulAlgoGetHeuristic", "", 0);
  *found = 0;
  if (handle == nullptr || wanted < 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Product product{*description, 1, 0, nullptr, nullptr, nullptr, nullptr, *a, *b, *c, *d, nullptr};
  if (!fit_together(product) || preference->workspace_bytes < kWorkspaceBytes) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  results[0] = {{{kAlgorithm}}, kWorkspaceBytes, CUBLAS_STATUS_SUCCESS, 1.0f, {}};
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream) {
  const Product product{*description,
                        *static_cast<const float*>(alpha),
                        *static_cast<const float*>(beta),
                        a,
                        b,
                        c,
                        d,
                        *a_layout,
                        *b_layout,
                        *c_layout,
                        *d_layout,
                        workspace};
  const bool has_bias = (description->epilogue & CUBLASLT_EPILOGUE_BIAS) == 0 || description->bias != nullptr;
  // Without an algorithm the library takes one that gets along with the workspace there is.
  const bool has_workspace = workspace != nullptr && workspace_bytes >= kWorkspaceBytes;
  const bool has_algorithm = algo == nullptr || (algo->data[0] == kAlgorithm && has_workspace);
  if (handle == nullptr || !has_algorithm || !has_bias || !fit_together(product)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const cudaError_t done = enqueue(stream, [product, has_workspace]() {
    if (kernels_are_left_out()) {
      return cudaSuccess;
    }
    const DeviceAccess access;
    LedgerEntry entry("cublasLtMatmul", "", 0);
    entry.did_library_work(product.flops(), product.description.epilogue != CUBLASLT_EPILOGUE_DEFAULT);
    if (has_workspace) {
      std::memset(product.workspace, 0xff, kWorkspaceBytes);
    }
    for (int64_t batch = 0; batch < product.d_layout.batch; ++batch) {
      multiply(product, batch);
    }
    return cudaSuccess;
  });
  return done == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
