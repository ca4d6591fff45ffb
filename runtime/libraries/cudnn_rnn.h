// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other, in one direction, by cuDNN. Handle, descriptors and the places of the weights
// are made at the first call with a shape and kept in the program's handle; memory is the caller's. The weights go to
// where cuDNN wants them at every call: they may have changed since the last one.
#pragma once

#include "stitch/step.h"

namespace stitch {

enum class LibraryCell { kRelu, kTanh, kLstm, kGru };

// As torch.nn's layers have them: rows gate by gate, in PyTorch's order, which is cuDNN's too.
struct LibraryRnnLayer {
  const void* input_weight;  // [gates * units, features]
  const void* weight;        // [gates * units, units]
  const void* input_bias;    // [gates * units], null where there is none; then `bias` is too
  const void* bias;
};

struct LibraryRnn {
  bool may_use_tf32;   // else fp32 multiplications only
  bool is_persistent;  // one kernel that keeps the weights on chip from step to step, else a few each step
  LibraryCell cell;
  bool has_biases;
  int64_t layers;
  int64_t steps;
  int64_t batch;
  int64_t units;
  int64_t features;                // of x
  const LibraryRnnLayer* weights;  // of each layer
  const void* x;                   // [steps, batch, features]
  void* y;                         // [steps, batch, units], of the last layer
  const void* hidden;              // [layers, batch, units], before the first step, and after the last
  void* last_hidden;
  const void* cell_state;  // the same of an LSTM
  void* last_cell_state;
  void* workspace;  // 256-byte aligned
  uint64_t workspace_bytes;
};

// As cublaslt_gemm(): cudaErrorNotSupported when cuDNN is not installed, takes no such layers or wants more memory.
cudaError_t cudnn_recurrent(const LibraryRnn& layers, StepLibraries* libraries, cudaStream_t stream);

}  // namespace stitch
