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

// A place in a stream's work and the time at which it was reached.
class Event {
 public:
  static Result<Event> create();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();
  void* get() const { return event_; }  // cudaEvent_t

 private:
  Event() = default;
  void* event_ = nullptr;
};
// Between two recorded events whose work is over.
Result<double> microseconds_between(const Event& start, const Event& stop);

// Waits for all work of this process on the device, on whatever stream; the first error of that work is the answer.
Result<void> wait_for_device();

class Stream {
 public:
  // Of the greatest priority, so that no other goes before it.
  static Result<Stream> create();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  void* get() const { return stream_; }  // cudaStream_t
  Result<void> record(const Event& event);
  // Reads one half of the buffer and writes the other: what any cache held before is gone when it is large enough. On a
  // GPU nothing else runs meanwhile: work on other streams cannot hide behind it, since its time is subtracted.
  Result<void> evict_by(const Buffer& buffer, bool backwards);
  // What `enqueue` puts on this stream, recorded instead of run.
  Result<Graph> capture(const std::function<Result<void>()>& enqueue);
  Result<void> launch(const Graph& graph);

 private:
  Stream() = default;
  void* stream_ = nullptr;
};

}  // namespace stitch::device
