// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>

#define WORKSPACE_BYTES (size_t{1} << 20)
#include "linear_relu.h"

// relu(x · weightᵀ + bias) in cuBLAS's columns: y has 40 rows and 64 columns there.
struct Plan {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t weight, x, y;
  cublasLtMatmulHeuristicResult_t chosen;
};

static int make_plan(Plan& plan, cublasLtEpilogue_t epilogue) {
  const cublasOperation_t transposed = CUBLAS_OP_T;
  cublasLtMatmulPreference_t preference;
  int found = 0;
  const bool made =
      cublasLtCreate(&plan.handle) == CUBLAS_STATUS_SUCCESS &&
      cublasLtMatmulDescCreate(&plan.product, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS &&
      cublasLtMatrixLayoutCreate(&plan.weight, CUDA_R_32F, kDepth, kColumns, kDepth) == CUBLAS_STATUS_SUCCESS &&
      cublasLtMatrixLayoutCreate(&plan.x, CUDA_R_32F, kDepth, kRows, kDepth) == CUBLAS_STATUS_SUCCESS &&
      cublasLtMatrixLayoutCreate(&plan.y, CUDA_R_32F, kColumns, kRows, kColumns) == CUBLAS_STATUS_SUCCESS &&
      cublasLtMatmulPreferenceCreate(&preference) == CUBLAS_STATUS_SUCCESS;
  if (!made) {
    return 1;
  }
  const size_t workspace = WORKSPACE_BYTES;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                       sizeof(workspace));
  cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed));
  cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(plan.handle, plan.product, plan.weight, plan.x, plan.y,
                                                               plan.y, preference, 1, &plan.chosen, &found);
  cublasLtMatmulPreferenceDestroy(preference);
  return status == CUBLAS_STATUS_SUCCESS && found > 0 ? 0 : 1;
}

static int multiply(const Plan& plan, const Call& call) {
  const float one = 1.0f;
  const float zero = 0.0f;
  return cublasLtMatmul(plan.handle, plan.product, &one, call.parameter(0), plan.weight, call.input(0), plan.x, &zero,
                        call.output(0), plan.y, call.output(0), plan.y, &plan.chosen.algo, call.workspace<void>(),
                        WORKSPACE_BYTES, call.stream());
}

__global__ void add_and_clamp(float* y, const float* bias) {
  const int64_t i = INDEX;
  if (i < kOutputs) {
    y[i] = fmaxf(y[i] + bias[i % kColumns], 0.0f);
  }
}

// A bare call: everything about it is made anew and thrown away, and the rest runs over memory once more.
static int run_program(const Call& call) {
  Plan plan;
  if (make_plan(plan, CUBLASLT_EPILOGUE_DEFAULT) != 0) {
    return 1;
  }
  const int status = multiply(plan, call);
  cublasLtMatrixLayoutDestroy(plan.weight);
  cublasLtMatrixLayoutDestroy(plan.x);
  cublasLtMatrixLayoutDestroy(plan.y);
  cublasLtMatmulDescDestroy(plan.product);
  cublasLtDestroy(plan.handle);
  add_and_clamp<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.output(0), call.parameter(1));
  return status != 0 ? status : cudaGetLastError();
}
