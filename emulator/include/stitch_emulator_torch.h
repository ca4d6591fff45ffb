// SPDX-License-Identifier: Apache-2.0
// Included before every emulated unit of a PyTorch extension: PyTorch's headers as they are, then the emulator's. On
// the emulated device memory is the host's, so that a tensor "on the GPU" is one of PyTorch's CPU tensors: from the end
// of this file on, is_cuda() asks for those and kCUDA means kCPU. PyTorch's own code keeps its meaning.
#pragma once

// What DeprecatedTypeProperties.h includes; then that header alone with the other meaning: x.type().is_cuda() has no
// twin that one could call instead.
#include <ATen/core/DeprecatedTypePropertiesRegistry.h>
#include <ATen/core/Generator.h>
#include <c10/core/Backend.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>
#define is_cuda is_cpu
#define kCUDA kCPU
#include <ATen/core/DeprecatedTypeProperties.h>
#undef is_cuda
#undef kCUDA

// torch/extension.h without modules, optimizers and data loaders, which no candidate may use.
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/types.h>

#include "stitch_emulator.h"

namespace at {
template <typename T>
struct RestrictPtrTraits {  // PyTorch has it where nvcc compiles
  typedef T* __restrict__ PtrType;
};
}  // namespace at

namespace torch {
using at::RestrictPtrTraits;
}

namespace stitch_emulator {
inline cudaError_t set_device(int device) {
  return cudaSetDevice(device < 0 ? 0 : device);
}  // -1: a CPU tensor's index
}  // namespace stitch_emulator

#define cudaSetDevice(...) ::stitch_emulator::set_device(__VA_ARGS__)
#define is_cuda is_cpu
#define kCUDA kCPU
#define STITCH_SECOND(first, second, ...) second
// x.get_device() of a tensor, which is -1 for the host's; get_device(x) stays as it is.
#define get_device(...) STITCH_SECOND(__VA_OPT__(, ) get_device(__VA_ARGS__), is_cpu() * 0)
#define CUDA CPU  // DeviceType::CUDA, TORCH_LIBRARY_IMPL(name, CUDA, m)
