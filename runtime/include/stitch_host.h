/* SPDX-License-Identifier: Apache-2.0 */
/* An optional layer over stitch_program.h for hosts that are not C++: calls through recorded CUDA graphs. It works on
 * any program; a library that has it exports stitch_host_v1(). C++ hosts use host/graph_cache.h and
 * host/host_calls.h themselves. */
#ifndef STITCH_HOST_H_
#define STITCH_HOST_H_

#include "stitch_program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StitchGraphs StitchGraphs;

typedef struct StitchHostV1 {
  uint32_t struct_size;
  uint32_t abi_version;
  /* A cache of graphs over one handle; both outlive it. Null when there is no memory. One cache = one thread. */
  StitchGraphs* (*create_graphs)(const StitchProgramV1* program, StitchHandle* handle);
  /* As StitchProgramV1::run; a call whose pointers have been seen before replays a graph. */
  int (*run)(StitchGraphs* graphs, const StitchCall* call);
  /* To be called after prepare() with parameters or prepared memory at other addresses. */
  void (*clear)(StitchGraphs* graphs);
  uint64_t (*replays)(const StitchGraphs* graphs);
  void (*destroy_graphs)(StitchGraphs* graphs);
} StitchHostV1;

const StitchHostV1* stitch_host_v1(void);

#ifdef __cplusplus
}
#endif
#endif
