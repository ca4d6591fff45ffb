// SPDX-License-Identifier: Apache-2.0
// K<<<grid, block, shared, stream>>>(arguments) after the rewriter: STITCH_LAUNCH((K), grid, block, shared, stream)
// (arguments). The arguments are copied into a closure, which runs at once or is recorded by a capturing stream.
#pragma once

#include <utility>

#include "stitch_emulator/language.h"

namespace stitch_emulator {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
  cudaStream_t stream;
  dim3 cluster = dim3(1, 1, 1);  // blocks that run at the same time and reach each other's shared memory
};

// A kernel with its arguments, type-erased: `run` executes one thread.
struct KernelCall {
  void (*run)(const void* closure);
  const void* closure;
  void* (*copy)(const void* closure);
  void (*destroy)(void* closure);
  const void* function;  // the kernel's address, null where only overload resolution knows it
  const char* name;
  const char* file;
  int line;
};

inline LaunchConfig config(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return {grid, block, shared_bytes, stream, dim3(1, 1, 1)};
}

}  // namespace stitch_emulator

extern "C" {
// Tells the scheduler that the running thread ends by `return;`: unlike a thread that reaches the kernel's last line,
// it is not missed at a later barrier.
void stitch_thread_returns(void);
cudaError_t stitch_emulator_launch(const stitch_emulator::LaunchConfig* config,
                                   const stitch_emulator::KernelCall* call);
// The second of the arguments of a call, as they are written: a kernel that is launched by cudaLaunchKernelEx.
const char* stitch_second_argument(const char* arguments);
}

namespace stitch_emulator {

inline void early_return() { stitch_thread_returns(); }

template <class Thread>
inline cudaError_t launch_thread(const LaunchConfig& config, const Thread& thread, const void* function,
                                 const char* name, const char* file, int line) {
  KernelCall call{};
  call.run = [](const void* closure) { (*static_cast<const Thread*>(closure))(); };
  call.closure = &thread;
  call.copy = [](const void* closure) -> void* { return new Thread(*static_cast<const Thread*>(closure)); };
  call.destroy = [](void* closure) { delete static_cast<Thread*>(closure); };
  call.function = function;
  call.name = name;
  call.file = file;
  call.line = line;
  return stitch_emulator_launch(&config, &call);
}

template <class Call, class FindAddress>
struct Launcher {
  LaunchConfig config;
  Call call;
  FindAddress find_address;
  const char* name;
  const char* file;
  int line;

  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    auto thread = [call = call, ... copies = arguments]() { call(copies...); };
    launch_thread(config, thread, find_address(0), name, file, line);
  }
};

template <class Call, class FindAddress>
inline Launcher<Call, FindAddress> launcher(Call call, FindAddress find_address, const char* name, LaunchConfig config,
                                            STITCH_PLACE) {
  return {config, call, find_address, name, STITCH_PLACE_ARGUMENTS};
}

template <class Tag, class... Parameters>
inline const void* kernel_address(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}

template <class... Parameters, size_t... Index>
inline cudaError_t launch_from_pointers(void (*kernel)(Parameters...), const LaunchConfig& config, void** arguments,
                                        std::index_sequence<Index...>, const char* file, int line) {
  auto thread = [kernel, ... copies = *static_cast<std::remove_cv_t<Parameters>*>(arguments[Index])]() {
    kernel(copies...);
  };
  return launch_thread(config, thread, reinterpret_cast<const void*>(kernel), "cudaLaunchKernel", file, line);
}

}  // namespace stitch_emulator

#define STITCH_WITHOUT_PARENTHESES(...) __VA_ARGS__
#define STITCH_LAUNCH(KERNEL, ...)                                                                    \
  ::stitch_emulator::launcher(                                                                        \
      [=](auto... stitch_arguments) { STITCH_WITHOUT_PARENTHESES KERNEL(stitch_arguments...); },      \
      [=](auto stitch_tag) -> const void* {                                                           \
        if constexpr (requires { ::stitch_emulator::kernel_address<decltype(stitch_tag)> KERNEL; }) { \
          return ::stitch_emulator::kernel_address<decltype(stitch_tag)> KERNEL;                      \
        } else {                                                                                      \
          return nullptr;                                                                             \
        }                                                                                             \
      },                                                                                              \
      #KERNEL, ::stitch_emulator::config(__VA_ARGS__))

// The rewriter drops the cast in cudaLaunchKernel((void*)kernel, ...), so that the kernel's parameter types are known.
template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr, STITCH_PLACE) {
  return stitch_emulator::launch_from_pointers(kernel, stitch_emulator::config(grid, block, shared_bytes, stream),
                                               arguments, std::index_sequence_for<Parameters...>(),
                                               STITCH_PLACE_ARGUMENTS);
}

namespace stitch_emulator {
template <class... Parameters, class... Arguments>
inline cudaError_t launch_extended(const char* text, const char* file, int line, const cudaLaunchConfig_t* config,
                                   void (*kernel)(Parameters...), Arguments&&... arguments) {
  auto thread = [kernel, ... copies = std::remove_cv_t<Parameters>(arguments)]() { kernel(copies...); };
  LaunchConfig all{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream};
  for (unsigned int i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = config->attrs[i].val.clusterDim;
      all.cluster = dim3(cluster.x, cluster.y, cluster.z);
    }
  }
  return launch_thread(all, thread, reinterpret_cast<const void*>(kernel), stitch_second_argument(text), file, line);
}
}  // namespace stitch_emulator

#define cudaLaunchKernelEx(...) ::stitch_emulator::launch_extended(#__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)
