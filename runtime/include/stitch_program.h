/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI of a generated program, version 1. A program's shared library exports one symbol, stitch_program_v1().
 *
 * All memory is the caller's. run() is asynchronous: no synchronisation, no allocation, capturable into a CUDA graph.
 * Its results are there in the order of the given stream: work on other streams is joined to it by events.
 * One handle = one thread; one workspace per (program, stream). Every tensor is contiguous, row-major, 16-byte aligned.
 * Functions return STITCH_OK or an error number; last_error() has the sentence. */
#ifndef STITCH_PROGRAM_H_
#define STITCH_PROGRAM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STITCH_ABI_VERSION 1u

enum {
  STITCH_OK = 0,
  STITCH_INVALID_ARGUMENT = 1, /* a null pointer, a wrong count, a wrong struct_size or abi_version */
  STITCH_INVALID_SHAPE = 2,    /* an extent outside the validity predicate */
  STITCH_CUDA_ERROR = 3,
  STITCH_NOT_PREPARED = 4
};

enum { STITCH_INPUT = 0, STITCH_PARAMETER = 1, STITCH_CONSTANT = 2, STITCH_STATE = 3, STITCH_OUTPUT = 4 };

enum {
  STITCH_FLOAT32 = 0,
  STITCH_FLOAT64 = 1,
  STITCH_FLOAT16 = 2,
  STITCH_BFLOAT16 = 3,
  STITCH_INT64 = 4,
  STITCH_INT32 = 5,
  STITCH_INT16 = 6,
  STITCH_INT8 = 7,
  STITCH_UINT8 = 8,
  STITCH_BOOL = 9
};

typedef struct StitchTensor {
  void* data;
  int32_t rank;
  int32_t reserved;
  const int64_t* extents;
} StitchTensor;

typedef struct StitchTensorInfo {
  const char* name; /* argument name, state-dict name, or path of the output in the returned structure */
  int32_t role;
  int32_t dtype;
  int32_t rank;
  int32_t alignment;            /* bytes */
  const int64_t* extents;       /* the declared extents */
  const uint8_t* run_time_axes; /* per axis: 1 when another extent is accepted, see min/max_extents */
  const int64_t* min_extents;   /* the validity predicate: min <= extent <= max, axis by axis */
  const int64_t* max_extents;
  int32_t alias_of; /* index of the state input that this state output replaces, else -1 */
  int32_t optional; /* 1: an input that may be left out, see StitchCall */
} StitchTensorInfo;

typedef struct StitchDescription {
  uint32_t struct_size;
  uint32_t abi_version;
  const char* name;
  int32_t tensor_count;   /* inputs, then parameters, constants, states (in), states (out), outputs */
  int32_t plain_launches; /* 1: a call is not worth recording as a CUDA graph */
  const StitchTensorInfo* tensors;
  uint64_t prepared_bytes;
} StitchDescription;

/* Tensors are passed in the order of describe(), role by role. */
typedef struct StitchParameters {
  uint32_t struct_size;
  uint32_t abi_version;
  int32_t count; /* parameters, then constants; they must stay where they are until the next prepare() or destroy() */
  int32_t reserved;
  const StitchTensor* tensors;
  void* prepared_memory; /* prepared_bytes of device memory, 256-byte aligned; stays in use like the parameters */
} StitchParameters;

typedef struct StitchCall {
  uint32_t struct_size;
  uint32_t abi_version;
  int32_t input_count;
  int32_t state_count;
  int32_t output_count;
  int32_t reserved;
  const StitchTensor* inputs;
  const StitchTensor* states_in;
  const StitchTensor* states_out; /* may be the same memory as states_in */
  const StitchTensor* outputs;
  void* workspace; /* workspace_bytes(), 256-byte aligned */
  uint64_t workspace_size;
  void* stream; /* cudaStream_t */
  /* Random numbers follow from seed, offset and their place in the program: another offset, other numbers. The numbers
   * of each random operator may be handed in instead, as one of the optional inputs; these are the last ones. A caller
   * who does not leaves them out of input_count, or gives null data. */
  uint64_t rng_seed;
  uint64_t rng_offset;
} StitchCall;

typedef struct StitchHandle StitchHandle;

typedef struct StitchProgramV1 {
  uint32_t struct_size;
  uint32_t abi_version;
  const StitchDescription* (*describe)(void);
  int (*create)(int device, StitchHandle** handle);
  /* Called after any change of a parameter. Asynchronous on `stream`. */
  int (*prepare)(StitchHandle* handle, const StitchParameters* parameters, void* stream);
  /* Bytes of workspace that run() needs for these inputs, or UINT64_MAX for shapes it refuses. */
  uint64_t (*workspace_bytes)(StitchHandle* handle, const StitchTensor* inputs, int32_t input_count);
  int (*run)(StitchHandle* handle, const StitchCall* call);
  void (*destroy)(StitchHandle* handle);
  const char* (*last_error)(const StitchHandle* handle);
} StitchProgramV1;

const StitchProgramV1* stitch_program_v1(void);

#ifdef __cplusplus
}
#endif
#endif
