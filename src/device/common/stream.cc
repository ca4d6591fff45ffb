// SPDX-License-Identifier: Apache-2.0
#include "device/stream.h"

#include <utility>

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

Result<Stream> Stream::create() {
  cudaStream_t created = nullptr;
  STITCH_TRY(check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "making a stream"));
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

Result<void> Stream::synchronise() {
  STITCH_TRY(check(cudaStreamSynchronize(stream_of(stream_)), "the work on the device"));
  return check(cudaGetLastError(), "the work on the device");
}

Result<void> Stream::fill(const Buffer& buffer, int byte) {
  return check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes(), stream_of(stream_)), "filling device memory");
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
