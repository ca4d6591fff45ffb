// SPDX-License-Identifier: Apache-2.0
// One product with bias and ReLU by the library, which is left to choose how; its plan is kept.
#include <cublasLt.h>

#include "linear_relu.h"

struct Plan {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t weight, x, y;
  Plan() {
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed));
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    cublasLtMatrixLayoutCreate(&weight, CUDA_R_32F, kDepth, kColumns, kDepth);
    cublasLtMatrixLayoutCreate(&x, CUDA_R_32F, kDepth, kRows, kDepth);
    cublasLtMatrixLayoutCreate(&y, CUDA_R_32F, kColumns, kRows, kColumns);
  }
};

static int run_program(const Call& call) {
  static const Plan plan;
  const float one = 1.0f, zero = 0.0f;
  const float* bias = call.parameter(1);
  cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
  return cublasLtMatmul(plan.handle, plan.product, &one, call.parameter(0), plan.weight, call.input(0), plan.x, &zero,
                        call.output(0), plan.y, call.output(0), plan.y, nullptr, nullptr, 0, call.stream());
}
