// SPDX-License-Identifier: Apache-2.0
// The C ABI of a program (stitch_program.h) around one function, so that a candidate is as short as its idea. It
// includes this file after it said what it takes and gives,
//   #define TENSORS INPUT("x", F32, 64, 128), PARAMETER("weight", F32, 40, 128), OUTPUT("0", F32, 64, 40)
// and defines
//   static int run_program(const Call& call)      launches; 0 for success
// and, where it wants them, PREPARED_BYTES with prepare_program(), and WORKSPACE_BYTES.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "stitch_program.h"

namespace candidate {

constexpr int kMostAxes = 6;

struct Line {
  const char* name;
  int32_t role;
  int32_t dtype;
  int32_t rank;
  int64_t extents[kMostAxes];
  int32_t optional;
};

template <typename... Extents>
constexpr Line line(const char* name, int32_t role, int32_t dtype, Extents... extents) {
  return {name, role, dtype, static_cast<int32_t>(sizeof...(extents)), {static_cast<int64_t>(extents)...}, 0};
}

constexpr Line optional(Line line) {
  line.optional = 1;
  return line;
}

}  // namespace candidate

#define F32 STITCH_FLOAT32
#define F16 STITCH_FLOAT16
#define I64 STITCH_INT64
#define INPUT(name, dtype, ...) candidate::line(name, STITCH_INPUT, dtype, ##__VA_ARGS__)
// Numbers in place of those that the program draws: the last inputs, which a caller may leave out.
#define RANDOM(name, dtype, ...) candidate::optional(INPUT(name, dtype, ##__VA_ARGS__))
#define PARAMETER(name, dtype, ...) candidate::line(name, STITCH_PARAMETER, dtype, ##__VA_ARGS__)
#define CONSTANT(name, dtype, ...) candidate::line(name, STITCH_CONSTANT, dtype, ##__VA_ARGS__)
#define STATE(name, dtype, ...) candidate::line(name, STITCH_STATE, dtype, ##__VA_ARGS__)
#define OUTPUT(name, dtype, ...) candidate::line(name, STITCH_OUTPUT, dtype, ##__VA_ARGS__)

#ifndef WORKSPACE_BYTES
#define WORKSPACE_BYTES 0
#endif
#ifndef PREPARED_BYTES
#define PREPARED_BYTES 0
#endif

constexpr candidate::Line kLines[] = {TENSORS};
constexpr int kLineCount = static_cast<int>(sizeof(kLines) / sizeof(kLines[0]));

struct StitchHandle {
  const StitchTensor* parameters;
  const void* parameter_data[16];
  int parameter_count;
  void* prepared;
};

// One call: its tensors by number, in the order of TENSORS within each role.
struct Call {
  const StitchCall& raw;
  const StitchHandle& handle;

  template <typename T = float>
  const T* input(int number) const {
    return static_cast<const T*>(raw.inputs[number].data);
  }
  template <typename T = float>
  const T* parameter(int number) const {
    return static_cast<const T*>(handle.parameter_data[number]);
  }
  template <typename T = float>
  T* output(int number) const {
    return static_cast<T*>(raw.outputs[number].data);
  }
  template <typename T = float>
  const T* state_in(int number) const {
    return static_cast<const T*>(raw.states_in[number].data);
  }
  template <typename T = float>
  T* state_out(int number) const {
    return static_cast<T*>(raw.states_out[number].data);
  }
  template <typename T = float>
  T* prepared() const {
    return static_cast<T*>(handle.prepared);
  }
  template <typename T = float>
  T* workspace() const {
    return static_cast<T*>(raw.workspace);
  }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(raw.stream); }
};

constexpr unsigned blocks_for(int64_t count, int threads = 256) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

#define INDEX (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x)

static int run_program(const Call& call);
#if PREPARED_BYTES > 0
static int prepare_program(StitchHandle& handle, cudaStream_t stream);
#endif

namespace candidate {

static const StitchDescription* describe() {
  static const uint8_t fixed[kMostAxes] = {};
  static StitchTensorInfo tensors[kLineCount];
  for (int i = 0; i < kLineCount; ++i) {
    const Line& line = kLines[i];
    tensors[i] = {line.name, line.role,    line.dtype,   line.rank, 16,           line.extents,
                  fixed,     line.extents, line.extents, -1,        line.optional};
  }
  static const StitchDescription description = {
      sizeof(StitchDescription), STITCH_ABI_VERSION, "candidate", kLineCount, 0, tensors, PREPARED_BYTES};
  return &description;
}

static int create(int, StitchHandle** handle) {
  *handle = new StitchHandle{};
  return STITCH_OK;
}

static int prepare(StitchHandle* handle, const StitchParameters* parameters, void* stream) {
  handle->parameter_count = parameters->count;
  for (int i = 0; i < parameters->count && i < 16; ++i) {
    handle->parameter_data[i] = parameters->tensors[i].data;
  }
  handle->prepared = parameters->prepared_memory;
#if PREPARED_BYTES > 0
  if (prepare_program(*handle, static_cast<cudaStream_t>(stream)) != 0) {
    return STITCH_CUDA_ERROR;
  }
#else
  (void)stream;
#endif
  return STITCH_OK;
}

static uint64_t workspace_bytes(StitchHandle*, const StitchTensor*, int32_t) { return WORKSPACE_BYTES; }

static int run(StitchHandle* handle, const StitchCall* call) {
  return run_program(Call{*call, *handle}) == 0 ? STITCH_OK : STITCH_CUDA_ERROR;
}

static void destroy(StitchHandle* handle) { delete handle; }

static const char* last_error(const StitchHandle*) { return "a launch failed"; }

}  // namespace candidate

extern "C" const StitchProgramV1* stitch_program_v1(void) {
  static const StitchProgramV1 program = {sizeof(StitchProgramV1), STITCH_ABI_VERSION, candidate::describe,
                                          candidate::create,       candidate::prepare, candidate::workspace_bytes,
                                          candidate::run,          candidate::destroy, candidate::last_error};
  return &program;
}
