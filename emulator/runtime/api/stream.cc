// SPDX-License-Identifier: Apache-2.0
// Streams, events, capture. All work runs when it is enqueued, so every order the program asks for holds; only a
// capturing stream sets work aside.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "api/state.h"
#include "control/launch_ledger.h"
#include "control/tape.h"
#include "fault/fault.h"

struct CUstream_st {
  std::shared_ptr<stitch_emulator::Graph> capture;
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
};

struct CUevent_st {
  std::shared_ptr<stitch_emulator::Graph> capture;  // recorded inside a capture
  stitch_emulator::CaptureClock clock;              // what it comes behind there
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
  bool timed = true;
};

struct CUgraph_st {
  std::shared_ptr<stitch_emulator::Graph> graph;
};

struct CUgraphExec_st {
  std::shared_ptr<stitch_emulator::Graph> graph;
};

namespace stitch_emulator {
namespace {

std::set<cudaStream_t>& streams() {
  static std::set<cudaStream_t> set;
  return set;
}

std::set<Graph*>& open_captures() {
  static std::set<Graph*> set;
  return set;
}

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t sticky() { return kernel_faulted() ? cudaErrorLaunchFailure : cudaSuccess; }

// Waiting is over at once, but not allowed while capturing.
cudaError_t synchronised(cudaStream_t stream) {
  if (capture_of(stream) != nullptr) {
    capture_of(stream)->invalidated = true;
    return report(cudaErrorStreamCaptureUnsupported);
  }
  return report(sticky());
}

// What a stream held that the first one never waited for would be lost to whoever replays the graph.
bool is_joined(Graph& graph) {
  const CaptureClock& end = graph.clocks[graph.origin];
  for (const auto& [stream, clock] : graph.clocks) {
    const auto own = clock.find(stream);
    const auto seen = end.find(stream);
    if (own != clock.end() && (seen == end.end() || seen->second < own->second)) {
      return false;
    }
  }
  return true;
}

cudaError_t replay(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    const cudaError_t result = do_command(node);
    if (result != cudaSuccess) {
      return result;
    }
  }
  return sticky();
}

}  // namespace

bool valid_stream(cudaStream_t stream) { return is_default(stream) || streams().count(stream) != 0; }

std::shared_ptr<Graph> capture_of(cudaStream_t stream) {
  return is_default(stream) || streams().count(stream) == 0 ? nullptr : stream->capture;
}

bool forbidden_by_capture() {
  bool forbidden = false;
  for (Graph* graph : open_captures()) {
    if (graph->mode == cudaStreamCaptureModeGlobal) {
      graph->invalidated = true;
      forbidden = true;
    }
  }
  return forbidden;
}

cudaError_t enqueue(cudaStream_t stream, std::function<cudaError_t()> work) {
  if (!valid_stream(stream)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  if (const auto graph = capture_of(stream)) {
    if (graph->invalidated) {
      return report(cudaErrorStreamCaptureInvalidated);
    }
    graph->nodes.push_back(std::move(work));
    graph->clocks[stream][stream] = graph->nodes.size();
    return cudaSuccess;
  }
  return report(do_command(work));
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  *stream = new CUstream_st{nullptr, flags, priority};
  streams().insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (streams().erase(stream) == 0) {
    return report(cudaErrorInvalidResourceHandle);
  }
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const LedgerEntry entry("cudaStreamSynchronize", "", 0);
  return synchronised(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return synchronised(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  *flags = is_default(stream) ? 0 : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = is_default(stream) ? 0 : stream->priority;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const LedgerEntry entry("cudaDeviceSynchronize", "", 0);
  return forbidden_by_capture() ? report(cudaErrorStreamCaptureUnsupported) : report(sticky());
}

// A stream that waits for an event of a capture joins that capture.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event == nullptr || !valid_stream(stream)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  const CountedCall entry("cudaStreamWaitEvent");
  if (event->capture != nullptr && open_captures().count(event->capture.get()) != 0) {
    if (is_default(stream)) {
      event->capture->invalidated = true;
      return report(cudaErrorStreamCaptureImplicit);
    }
    stream->capture = event->capture;
    CaptureClock& clock = stream->capture->clocks[stream];
    for (const auto& [other, nodes] : event->clock) {
      clock[other] = std::max(clock[other], nodes);
    }
  }
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return enqueue(stream, [=] {
    if (!plays_commands()) {
      function(data);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  *event = new CUevent_st;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr || !valid_stream(stream)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  event->capture = capture_of(stream);
  event->clock = event->capture == nullptr ? CaptureClock{} : event->capture->clocks[stream];
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const CountedCall entry("cudaEventSynchronize");
  return event->capture != nullptr && open_captures().count(event->capture.get()) != 0
             ? report(cudaErrorStreamCaptureUnsupported)
             : report(sticky());
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start->recorded || !end->recorded || !start->timed || !end->timed) {
    return report(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return report(sticky());
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (is_default(stream)) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  if (!valid_stream(stream)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  if (stream->capture != nullptr) {
    return report(cudaErrorIllegalState);
  }
  stream->capture = std::make_shared<Graph>();
  stream->capture->mode = mode;
  stream->capture->origin = stream;
  open_captures().insert(stream->capture.get());
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* result) {
  *result = nullptr;
  const auto graph = capture_of(stream);
  if (graph == nullptr) {
    return report(cudaErrorIllegalState);
  }
  if (graph->origin != stream) {
    return report(cudaErrorStreamCaptureUnmatched);
  }
  open_captures().erase(graph.get());
  for (cudaStream_t other : streams()) {
    if (other->capture == graph) {
      other->capture = nullptr;
    }
  }
  if (graph->invalidated) {
    return report(cudaErrorStreamCaptureInvalidated);
  }
  if (!is_joined(*graph)) {
    return report(cudaErrorStreamCaptureUnjoined);
  }
  *result = new CUgraph_st{graph};
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const auto graph = capture_of(stream);
  *status = graph == nullptr     ? cudaStreamCaptureStatusNone
            : graph->invalidated ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static cudaStreamCaptureMode present = cudaStreamCaptureModeGlobal;
  std::swap(present, *mode);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  *graph = new CUgraph_st{std::make_shared<Graph>()};
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes != nullptr) {
    return report(cudaErrorNotSupported);
  }
  *count = graph->graph->nodes.size();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long) {
  // Later changes of the graph must not reach what was instantiated.
  *result = new CUgraphExec_st{std::make_shared<Graph>(*graph->graph)};
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(result, graph, flags);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const auto graph = executable->graph;
  if (capture_of(stream) == nullptr && valid_stream(stream)) {
    return report(replay(*graph));  // whose nodes are commands of their own
  }
  return enqueue(stream, [graph] { return replay(*graph); });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  *info = {};
  if (executable->graph->nodes.size() != graph->graph->nodes.size()) {
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return report(cudaErrorGraphExecUpdateFailure);
  }
  info->result = cudaGraphExecUpdateSuccess;
  executable->graph = std::make_shared<Graph>(*graph->graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

}  // extern "C"
