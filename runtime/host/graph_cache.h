// SPDX-License-Identifier: Apache-2.0
// Runs a generated program through CUDA graphs: a call whose pointers have been seen before replays a recorded graph
// with one launch. The eight most recently used graphs are kept.
//
// A call is recorded on a stream of the cache's own; the first call with new pointers runs plainly and is recorded for
// the next one. While the caller itself captures its stream, calls are passed through. Not thread-safe: one cache per
// handle, as one handle is one thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <list>
#include <vector>

#include "stitch_program.h"

namespace stitch {

class GraphCache {
 public:
  static constexpr std::size_t kGraphs = 8;

  // Both outlive the cache.
  GraphCache(const StitchProgramV1* program, StitchHandle* handle) : program_(program), handle_(handle) {}
  ~GraphCache();
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;

  // As StitchProgramV1::run. Where recording fails the program simply runs without a graph.
  int run(const StitchCall& call);

  // Forgets all graphs. Call it after prepare() with other parameters or other prepared memory.
  void clear();

  std::size_t size() const { return graphs_.size(); }
  std::uint64_t replays() const { return replays_; }

 private:
  // Everything a recorded graph has baked in.
  using Key = std::vector<std::uint64_t>;
  struct Graph {
    Key key;
    cudaGraphExec_t executable;
  };

  static Key key_of(const StitchCall& call);
  void record(const StitchCall& call, Key key);
  void insert(Graph graph);

  const StitchProgramV1* program_;
  StitchHandle* handle_;
  cudaStream_t recorder_ = nullptr;
  std::list<Graph> graphs_;  // most recently used first
  std::uint64_t replays_ = 0;
};

}  // namespace stitch
