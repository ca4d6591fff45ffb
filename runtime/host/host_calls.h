// SPDX-License-Identifier: Apache-2.0
// Runs a generated program on tensors in ordinary host memory. Inputs go through pinned memory to the device and
// outputs back, asynchronously and in two slots: while call n computes, call n+1's inputs are on their way in and call
// n-1's outputs on their way out.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "host/graph_cache.h"
#include "stitch_program.h"

namespace stitch {

// One thread; program and handle (already prepared) outlive it. States stay in device memory and are updated in place
// by every call in turn.
class HostCalls {
 public:
  HostCalls(const StitchProgramV1* program, StitchHandle* handle, std::vector<StitchTensor> states);
  ~HostCalls();  // finishes what is under way
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  // `inputs` and `outputs` are in host memory, in the order of describe(). Inputs may be changed once this returns;
  // outputs are there after the next but one call of run_host(), or after finish(). Returns a STITCH_ number.
  int run_host(const std::vector<StitchTensor>& inputs, const std::vector<StitchTensor>& outputs);

  // Waits for every call so far and hands over its outputs.
  int finish();

  // The sentence of the last call that did not return STITCH_OK.
  const std::string& error() const { return error_; }

  std::uint64_t bytes_in() const { return bytes_in_; }    // of one call
  std::uint64_t bytes_out() const { return bytes_out_; }  // of one call

 private:
  // One tensor of a call: the caller's memory, the pinned copy and the one on the device.
  struct Staged {
    void* host = nullptr;
    void* pinned = nullptr;
    std::uint64_t bytes = 0;
  };
  struct Slot {
    std::vector<Staged> inputs;
    std::vector<Staged> outputs;
    std::vector<StitchTensor> device_inputs;
    std::vector<StitchTensor> device_outputs;
    cudaEvent_t copied_in = nullptr;
    cudaEvent_t computed = nullptr;
    cudaEvent_t copied_out = nullptr;
    bool under_way = false;
  };

  int fail(int number, const std::string& sentence);
  int failed_cuda(const char* what, cudaError_t error);
  int check(const std::vector<StitchTensor>& tensors, std::int32_t role);
  int open();
  int fit(Slot& slot, const std::vector<StitchTensor>& tensors, std::int32_t role);
  void release(std::vector<Staged>& staged, std::vector<StitchTensor>& device);
  int fit_workspace(const Slot& slot);
  int enqueue(Slot& slot);
  int collect(Slot& slot);

  const StitchProgramV1* program_;
  StitchHandle* handle_;
  std::vector<StitchTensor> states_;
  GraphCache graphs_;
  Slot slots_[2];
  int next_ = 0;
  cudaStream_t copy_in_ = nullptr;
  cudaStream_t compute_ = nullptr;
  cudaStream_t copy_out_ = nullptr;
  void* workspace_ = nullptr;
  std::uint64_t workspace_size_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::string error_;
};

}  // namespace stitch
