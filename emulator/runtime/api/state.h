// SPDX-License-Identifier: Apache-2.0
// What the runtime API keeps: the last error, streams, events, graphs, and what functions were allowed.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "control/lent.h"
#include "stitch_emulator/launch.h"

namespace stitch_emulator {

// Of the streams of a capture: how many nodes of each have ended before what comes next.
using CaptureClock = std::map<cudaStream_t, size_t>;

// Work recorded by a capturing stream: run in order, any number of times.
struct Graph {
  std::vector<std::function<cudaError_t()>> nodes;
  std::map<cudaStream_t, CaptureClock> clocks;  // by stream that takes part
  bool invalidated = false;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaStream_t origin = nullptr;
};

// Remembers an error for cudaGetLastError and returns it.
cudaError_t report(cudaError_t error);

// Runs work now, or records it when the stream captures. Errors are remembered.
cudaError_t enqueue(cudaStream_t stream, std::function<cudaError_t()> work);
// The graph a stream records into, null when it does not capture.
std::shared_ptr<Graph> capture_of(cudaStream_t stream);
// For calls that a capture forbids: an error, and the capture is spoilt.
bool forbidden_by_capture();
bool valid_stream(cudaStream_t stream);
// The piece of memory that the program allocated, and that holds an address.
MemoryPiece allocated_piece(const void* address);
// What host code and kernels both see: pinned, managed and registered memory.
std::vector<MemoryPiece> visible_pieces();
// What the program allocated for kernels alone.
std::vector<MemoryPiece> device_pieces();

cudaError_t run_launch(const LaunchConfig& config, const KernelCall& call);
// Dynamic shared memory a kernel may have; `function` null means the largest any kernel was allowed.
size_t allowed_dynamic_shared(const void* function);

}  // namespace stitch_emulator
