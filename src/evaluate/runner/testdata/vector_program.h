// SPDX-License-Identifier: Apache-2.0
// A whole program by hand: sum = x + y * scale, and a state that counts calls. Each file of this folder includes it and
// supplies launch(): what the call does.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "stitch_program.h"

struct VectorCall {
  const float* x;
  const float* y;
  const float* doubled_scale;  // prepared
  const float* calls_in;
  float* calls_out;
  float* sum;
  void* workspace;
  int64_t count;
  cudaStream_t stream;
};

static int launch(const VectorCall& call);

__global__ void add_kernel(VectorCall call) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < call.count) {
    call.sum[i] = call.x[i] + call.y[i] * (0.5f * call.doubled_scale[i]);
  }
  if (i == 0) {
    call.calls_out[0] = call.calls_in[0] + 1.0f;
  }
}

__global__ void double_kernel(const float* scale, float* doubled, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) {
    doubled[i] = 2.0f * scale[i];
  }
}

static unsigned blocks_for(int64_t count) { return static_cast<unsigned>((count + 255) / 256); }

static int add(const VectorCall& call) {
  add_kernel<<<blocks_for(call.count), 256, 0, call.stream>>>(call);
  return cudaGetLastError();
}

struct StitchHandle {
  const float* doubled_scale;
};

constexpr int64_t kCount = 1000;
#ifdef VECTOR_TAKES_SHORTER  // then the axis of x, y and sum is a run-time one
constexpr int64_t kLeastCount = 1;
#else
constexpr int64_t kLeastCount = kCount;
#endif

#ifndef VECTOR_WORKSPACE_BYTES
#define VECTOR_WORKSPACE_BYTES 4096
#endif

#ifndef VECTOR_MORE_TENSORS  // behind the others
#define VECTOR_MORE_TENSORS
#endif

static const StitchDescription* describe() {
  static const int64_t extents[] = {kCount};
  static const int64_t one[] = {1};
  static const int64_t least[] = {kLeastCount};
  static const uint8_t fixed[] = {0};
  static const uint8_t free[] = {kLeastCount < kCount};
  static const StitchTensorInfo tensors[] = {
      {"x", STITCH_INPUT, STITCH_FLOAT32, 1, 16, extents, free, least, extents, -1, 0},
      {"y", STITCH_INPUT, STITCH_FLOAT32, 1, 16, extents, free, least, extents, -1, 0},
      {"scale", STITCH_PARAMETER, STITCH_FLOAT32, 1, 16, extents, fixed, extents, extents, -1, 0},
      {"calls", STITCH_STATE, STITCH_FLOAT32, 1, 16, one, fixed, one, one, -1, 0},
      {"calls", STITCH_STATE, STITCH_FLOAT32, 1, 16, one, fixed, one, one, 0, 0},
      {"sum", STITCH_OUTPUT, STITCH_FLOAT32, 1, 16, extents, free, least, extents, -1, 0},
      VECTOR_MORE_TENSORS};
  static const StitchDescription description = {
      sizeof(StitchDescription), STITCH_ABI_VERSION, "vector", sizeof(tensors) / sizeof(tensors[0]), 0, tensors,
      kCount * sizeof(float)};
  return &description;
}

static int create(int, StitchHandle** handle) {
  *handle = new StitchHandle{nullptr};
  return STITCH_OK;
}

static int prepare(StitchHandle* handle, const StitchParameters* parameters, void* stream) {
  float* doubled = static_cast<float*>(parameters->prepared_memory);
  const float* scale = static_cast<const float*>(parameters->tensors[0].data);
  double_kernel<<<blocks_for(kCount), 256, 0, static_cast<cudaStream_t>(stream)>>>(scale, doubled, kCount);
  handle->doubled_scale = doubled;
  return cudaGetLastError() == cudaSuccess ? STITCH_OK : STITCH_CUDA_ERROR;
}

static uint64_t workspace_bytes(StitchHandle*, const StitchTensor* inputs, int32_t input_count) {
  const int64_t count = inputs[0].extents[0];
  return input_count == 2 && count >= kLeastCount && count <= kCount ? VECTOR_WORKSPACE_BYTES : UINT64_MAX;
}

static int run(StitchHandle* handle, const StitchCall* call) {
  if (handle->doubled_scale == nullptr) {
    return STITCH_NOT_PREPARED;
  }
  VectorCall vector;
  vector.x = static_cast<const float*>(call->inputs[0].data);
  vector.y = static_cast<const float*>(call->inputs[1].data);
  vector.doubled_scale = handle->doubled_scale;
  vector.calls_in = static_cast<const float*>(call->states_in[0].data);
  vector.calls_out = static_cast<float*>(call->states_out[0].data);
  vector.sum = static_cast<float*>(call->outputs[0].data);
  vector.workspace = call->workspace;
  vector.count = call->inputs[0].extents[0];
  vector.stream = static_cast<cudaStream_t>(call->stream);
  return launch(vector) == 0 ? STITCH_OK : STITCH_CUDA_ERROR;
}

static void destroy(StitchHandle* handle) { delete handle; }

static const char* last_error(const StitchHandle*) { return "vector program: a launch failed"; }

extern "C" const StitchProgramV1* stitch_program_v1(void) {
  static const StitchProgramV1 program = {sizeof(StitchProgramV1),
                                          STITCH_ABI_VERSION,
                                          describe,
                                          create,
                                          prepare,
                                          workspace_bytes,
                                          run,
                                          destroy,
                                          last_error};
  return &program;
}
