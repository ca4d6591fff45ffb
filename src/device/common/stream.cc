// SPDX-License-Identifier: Apache-2.0
#include "device/stream.h"

#include <utility>

#include "device/bulk.h"
#include "device/common/status.h"

namespace stitch::device {
namespace {

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

Graph::Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}

Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(executable_, other.executable_);
  return *this;
}

Graph::~Graph() {
  if (executable_ != nullptr) {
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
  }
}

Result<Event> Event::create() {
  cudaEvent_t created = nullptr;
  STITCH_TRY(check(cudaEventCreate(&created), "making an event"));
  Event event;
  event.event_ = created;
  return event;
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

Event::~Event() {
  if (event_ != nullptr) {
    cudaEventDestroy(static_cast<cudaEvent_t>(event_));
  }
}

Result<double> microseconds_between(const Event& start, const Event& stop) {
  float milliseconds = 0;
  STITCH_TRY(check(
      cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start.get()), static_cast<cudaEvent_t>(stop.get())),
      "reading the events"));
  return 1e3 * static_cast<double>(milliseconds);
}

Result<void> wait_for_device() {
  STITCH_TRY(check(cudaDeviceSynchronize(), "the work on the device"));
  return check(cudaGetLastError(), "the work on the device");
}

Result<Stream> Stream::create() {
  int least = 0;
  int greatest = 0;
  STITCH_TRY(check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for streams' priorities"));
  cudaStream_t created = nullptr;
  STITCH_TRY(check(cudaStreamCreateWithPriority(&created, cudaStreamNonBlocking, greatest), "making a stream"));
  Stream stream;
  stream.stream_ = created;
  return stream;
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(stream_, other.stream_);
  return *this;
}

Stream::~Stream() {
  if (stream_ != nullptr) {
    cudaStreamDestroy(stream_of(stream_));
  }
}

Result<void> Stream::record(const Event& event) {
  return check(cudaEventRecord(static_cast<cudaEvent_t>(event.get()), stream_of(stream_)), "recording an event");
}

Result<void> Stream::evict_by(const Buffer& buffer, bool backwards) {
  const uint64_t half = buffer.bytes() / 32 * 16;
  std::byte* const to = buffer.data() + (backwards ? 0 : half);
  const std::byte* const from = buffer.data() + (backwards ? half : 0);
  STITCH_ASSIGN(const bool is_copied, copy_alone(stream_, to, from, half));
  return is_copied ? Result<void>()
                   : check(cudaMemcpyAsync(to, from, half, cudaMemcpyDeviceToDevice, stream_of(stream_)),
                           "moving device memory");
}

Result<Graph> Stream::capture(const std::function<Result<void>()>& enqueue) {
  STITCH_TRY(
      check(cudaStreamBeginCapture(stream_of(stream_), cudaStreamCaptureModeThreadLocal), "beginning a capture"));
  const Result<void> enqueued = enqueue();
  cudaGraph_t captured = nullptr;
  const Result<void> ended =
      check(cudaStreamEndCapture(stream_of(stream_), &captured), "capturing the calls in a graph");
  STITCH_TRY(enqueued);
  STITCH_TRY(ended);
  cudaGraphExec_t executable = nullptr;
  const Result<void> made = check(cudaGraphInstantiate(&executable, captured, 0), "making a graph");
  cudaGraphDestroy(captured);
  STITCH_TRY(made);
  Graph graph;
  graph.executable_ = executable;
  return graph;
}

Result<void> Stream::launch(const Graph& graph) {
  return check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.get()), stream_of(stream_)), "launching a graph");
}

}  // namespace stitch::device
