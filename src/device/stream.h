// SPDX-License-Identifier: Apache-2.0
// A stream, and graphs captured from it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error/result.h"
#include "device/buffer.h"

namespace stitch::device {

class Graph {
 public:
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  ~Graph();
  void* get() const { return executable_; }

 private:
  friend class Stream;
  Graph() = default;
  void* executable_ = nullptr;  // cudaGraphExec_t
};

class Stream {
 public:
  static Result<Stream> create();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  void* get() const { return stream_; }  // cudaStream_t
  // Waits for all work; the first error of that work is the answer.
  Result<void> synchronise();
  Result<void> fill(const Buffer& buffer, int byte);
  // What `enqueue` puts on this stream, recorded instead of run.
  Result<Graph> capture(const std::function<Result<void>()>& enqueue);
  Result<void> launch(const Graph& graph);

 private:
  Stream() = default;
  void* stream_ = nullptr;
};

}  // namespace stitch::device
