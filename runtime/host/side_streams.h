// SPDX-License-Identifier: Apache-2.0
// The streams beside that of the call on which steps of run() may run: each begins behind what the caller's stream
// holds, waits for steps of other streams where the tables say so, and is joined before the call returns. Made once per
// handle, so that a call allocates nothing; events order streams on the device, and the host waits for none of them.
#pragma once

#include <new>

#include "host/program_tables.h"

namespace stitch {

class SideStreams {
 public:
  SideStreams() = default;
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;
  ~SideStreams() {
    for (int32_t step = 0; ended_ != nullptr && step < tables_->step_count; ++step) {
      destroy(ended_[step]);
    }
    destroy(begun_);
    for (int32_t stream = 0; streams_ != nullptr && stream < tables_->side_stream_count; ++stream) {
      if (streams_[stream] != nullptr) {
        cudaStreamDestroy(streams_[stream]);
      }
    }
    delete[] ended_;
    delete[] streams_;
  }

  // For `tables`, which outlive this, on the current device. False where it has no room for them.
  bool create(const ProgramTables& tables) {
    tables_ = &tables;
    if (tables.side_stream_count == 0) {
      return true;
    }
    streams_ = new (std::nothrow) cudaStream_t[tables.side_stream_count]();
    ended_ = new (std::nothrow) cudaEvent_t[tables.step_count]();
    bool is_made = streams_ != nullptr && ended_ != nullptr && make(&begun_);
    for (int32_t stream = 0; is_made && stream < tables.side_stream_count; ++stream) {
      is_made = cudaStreamCreateWithFlags(&streams_[stream], cudaStreamNonBlocking) == cudaSuccess;
    }
    for (int32_t step = 0; is_made && step < tables.step_count; ++step) {
      is_made = !tables.steps[step].is_waited_for || make(&ended_[step]);
    }
    return is_made;
  }

  // At the beginning of a call on `stream`.
  cudaError_t begin(cudaStream_t stream) {
    call_ = stream;
    cudaError_t error = tables_->side_stream_count == 0 ? cudaSuccess : cudaEventRecord(begun_, stream);
    for (int32_t side = 0; error == cudaSuccess && side < tables_->side_stream_count; ++side) {
      error = cudaStreamWaitEvent(streams_[side], begun_, 0);
    }
    return error;
  }

  cudaStream_t of(const StepTable& step) const { return step.stream == 0 ? call_ : streams_[step.stream - 1]; }

  // Before and after a step is launched.
  cudaError_t wait(const StepTable& step) { return wait_for(of(step), step.waits, step.wait_count); }
  cudaError_t tell(int32_t step) {
    const StepTable& ended = tables_->steps[step];
    return ended.is_waited_for ? cudaEventRecord(ended_[step], of(ended)) : cudaSuccess;
  }

  // At the end of a call: what comes next on the caller's stream comes behind all of it.
  cudaError_t join() { return wait_for(call_, tables_->joined_steps, tables_->joined_count); }

 private:
  static bool make(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess;
  }
  static void destroy(cudaEvent_t event) {
    if (event != nullptr) {
      cudaEventDestroy(event);
    }
  }
  cudaError_t wait_for(cudaStream_t stream, const int32_t* steps, int32_t count) {
    cudaError_t error = cudaSuccess;
    for (int32_t index = 0; error == cudaSuccess && index < count; ++index) {
      error = cudaStreamWaitEvent(stream, ended_[steps[index]], 0);
    }
    return error;
  }

  const ProgramTables* tables_ = nullptr;
  cudaStream_t call_ = nullptr;
  cudaStream_t* streams_ = nullptr;  // side_stream_count
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t* ended_ = nullptr;  // by step; null for those that nothing waits for
};

}  // namespace stitch
