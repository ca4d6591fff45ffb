// SPDX-License-Identifier: Apache-2.0
#include "host/graph_cache.h"

#include <utility>

namespace stitch {

namespace {

void append(std::vector<std::uint64_t>& key, const StitchTensor* tensors, std::int32_t count) {
  for (std::int32_t index = 0; tensors != nullptr && index < count; ++index) {
    key.push_back(reinterpret_cast<std::uint64_t>(tensors[index].data));
    for (std::int32_t axis = 0; axis < tensors[index].rank; ++axis) {
      key.push_back(static_cast<std::uint64_t>(tensors[index].extents[axis]));
    }
  }
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

}  // namespace

GraphCache::~GraphCache() {
  clear();
  if (recorder_ != nullptr) {
    cudaStreamDestroy(recorder_);
  }
}

void GraphCache::clear() {
  for (const Graph& graph : graphs_) {
    cudaGraphExecDestroy(graph.executable);
  }
  graphs_.clear();
}

GraphCache::Key GraphCache::key_of(const StitchCall& call) {
  Key key{reinterpret_cast<std::uint64_t>(call.workspace), call.workspace_size, call.rng_seed, call.rng_offset};
  append(key, call.inputs, call.input_count);
  append(key, call.states_in, call.state_count);
  append(key, call.states_out, call.state_count);
  append(key, call.outputs, call.output_count);
  return key;
}

int GraphCache::run(const StitchCall& call) {
  auto* const stream = static_cast<cudaStream_t>(call.stream);
  if (program_->describe()->plain_launches != 0 || is_capturing(stream)) {
    return program_->run(handle_, &call);
  }
  Key key = key_of(call);
  for (auto graph = graphs_.begin(); graph != graphs_.end(); ++graph) {
    if (graph->key == key) {
      graphs_.splice(graphs_.begin(), graphs_, graph);
      ++replays_;
      return cudaGraphLaunch(graph->executable, stream) == cudaSuccess ? STITCH_OK : STITCH_CUDA_ERROR;
    }
  }
  const int result = program_->run(handle_, &call);
  if (result == STITCH_OK) {
    record(call, std::move(key));
  }
  return result;
}

void GraphCache::record(const StitchCall& call, Key key) {
  if (recorder_ == nullptr && cudaStreamCreateWithFlags(&recorder_, cudaStreamNonBlocking) != cudaSuccess) {
    return;
  }
  StitchCall recorded = call;
  recorded.stream = recorder_;
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(recorder_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    return;
  }
  const int result = program_->run(handle_, &recorded);
  // The capture must end whatever run() said.
  const bool captured = cudaStreamEndCapture(recorder_, &graph) == cudaSuccess && graph != nullptr;
  cudaGraphExec_t executable = nullptr;
  if (captured && result == STITCH_OK && cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess) {
    insert({std::move(key), executable});
  }
  if (graph != nullptr) {
    cudaGraphDestroy(graph);
  }
}

void GraphCache::insert(Graph graph) {
  graphs_.push_front(std::move(graph));
  if (graphs_.size() > kGraphs) {
    cudaGraphExecDestroy(graphs_.back().executable);
    graphs_.pop_back();
  }
}

}  // namespace stitch
