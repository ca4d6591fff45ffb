// SPDX-License-Identifier: Apache-2.0
// cudaGetLastError and the names of errors.
#include <cuda_runtime_api.h>

#include "api/state.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

cudaError_t last_error = cudaSuccess;

struct Name {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr Name kNames[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture must be ended in the stream it began in"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
};

const Name& name_of(cudaError_t error) {
  static constexpr Name kUnknown = {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  for (const Name& entry : kNames) {
    if (entry.error == error) {
      return entry;
    }
  }
  return kUnknown;
}

}  // namespace

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
  }
  return error;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

// An error of a kernel stays: the context it ran in is lost.
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = kernel_faulted() ? cudaErrorLaunchFailure : cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error) { return name_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return name_of(error).text; }

}  // extern "C"
