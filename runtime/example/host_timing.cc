// SPDX-License-Identifier: Apache-2.0
#include "host_timing.h"

#include <chrono>
#include <cstdio>

#include "host/host_calls.h"

namespace stitch_example {

namespace {

// Tensors of one role in host memory.
struct HostTensors {
  std::vector<stitch::SafeTensor> tensors;
  std::vector<StitchTensor> views;

  std::string copy(const TensorList& list) {
    tensors.resize(static_cast<std::size_t>(list.count()));
    for (std::int32_t index = 0; index < list.count(); ++index) {
      stitch::SafeTensor& tensor = tensors[static_cast<std::size_t>(index)];
      const std::string problem = list.read(index, &tensor);
      if (!problem.empty()) {
        return problem;
      }
      views.push_back(
          {tensor.bytes.data(), static_cast<std::int32_t>(tensor.extents.size()), 0, tensor.extents.data()});
    }
    return "";
  }
};

// Microseconds a call, or a negative number.
double time_calls(stitch::HostCalls& host, const HostTensors& inputs, const HostTensors& outputs, int calls,
                  bool overlapped) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (int count = 0; count < calls; ++count) {
    if (host.run_host(inputs.views, outputs.views) != STITCH_OK || (!overlapped && host.finish() != STITCH_OK)) {
      return -1.0;
    }
  }
  if (host.finish() != STITCH_OK) {
    return -1.0;
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

bool same(const HostTensors& left, const HostTensors& right) {
  for (std::size_t index = 0; index < left.tensors.size(); ++index) {
    if (left.tensors[index].bytes != right.tensors[index].bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string time_host_calls(const StitchProgramV1* program, StitchHandle* handle, const TensorList& inputs,
                            const TensorList& states, const TensorList& outputs, int calls) {
  HostTensors from;
  HostTensors alone;
  HostTensors overlapped;
  for (const auto& [to, list] :
       {std::pair(&from, &inputs), std::pair(&alone, &outputs), std::pair(&overlapped, &outputs)}) {
    const std::string problem = to->copy(*list);
    if (!problem.empty()) {
      return problem;
    }
  }
  stitch::HostCalls host(program, handle, std::vector<StitchTensor>(states.data(), states.data() + states.count()));
  constexpr int kWarmUp = 4;
  const bool warm = time_calls(host, from, alone, kWarmUp, true) >= 0.0;
  const double alone_us = warm ? time_calls(host, from, alone, calls, false) : -1.0;
  const double overlapped_us = alone_us >= 0.0 ? time_calls(host, from, overlapped, calls, true) : -1.0;
  if (overlapped_us < 0.0) {
    return "a call from host memory failed: " + host.error();
  }
  constexpr double kMegabyte = 1e6;
  std::printf("%.1f us per call from and to host memory, %.1f us one at a time; mean of %d, %.2f MB in, %.2f MB out\n",
              overlapped_us, alone_us, calls, static_cast<double>(host.bytes_in()) / kMegabyte,
              static_cast<double>(host.bytes_out()) / kMegabyte);
  return states.count() > 0 || same(alone, overlapped) ? "" : "overlapped calls gave other outputs than single ones.";
}

}  // namespace stitch_example
