// SPDX-License-Identifier: Apache-2.0
// The part of PyTorch's CUDA side that extensions use, for the emulated device, where there is one device and one
// current stream a thread. The headers of PyTorch that declare these things are all this one.
#pragma once

#include <optional>

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return 0; }
  DeviceType device_type() const { return DeviceType::CPU; }
  Device device() const { return Device(DeviceType::CPU); }
  StreamId id() const { return reinterpret_cast<StreamId>(stream_); }
  bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }
  void synchronize() const { cudaStreamSynchronize(stream_); }
  bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

 private:
  cudaStream_t stream_;
};

inline thread_local cudaStream_t stitch_current_stream = nullptr;

inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return CUDAStream(stitch_current_stream); }
inline void setCurrentCUDAStream(CUDAStream stream) { stitch_current_stream = stream; }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return CUDAStream(stream);
}

inline DeviceIndex device_count() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { cudaDeviceSynchronize(); }

// There is one device to be on.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_device(Device) {}
  void reset_device(Device) {}
  void set_index(DeviceIndex) {}
  Device original_device() const { return Device(DeviceType::CPU, 0); }
  Device current_device() const { return Device(DeviceType::CPU, 0); }
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device>) {}
  explicit OptionalCUDAGuard(Device) {}
  explicit OptionalCUDAGuard(DeviceIndex) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
  void reset() {}
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(CUDAStream stream) : original_(getCurrentCUDAStream()) { setCurrentCUDAStream(stream); }
  ~CUDAStreamGuard() { setCurrentCUDAStream(original_); }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  CUDAStream original_stream() const { return original_; }
  CUDAStream current_stream() const { return getCurrentCUDAStream(); }

 private:
  CUDAStream original_;
};

}  // namespace c10::cuda

namespace at::cuda {

using namespace c10::cuda;

inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp found{};
    cudaGetDeviceProperties(&found, 0);
    return found;
  }();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return 32; }
inline bool is_available() { return true; }

}  // namespace at::cuda

template <typename T>
inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <typename T>
inline void gpuAtomicAddNoReturn(T* address, T value) {
  atomicAdd(address, value);
}

#define C10_CUDA_CHECK(EXPRESSION)                                                                \
  do {                                                                                            \
    const cudaError_t stitch_status = (EXPRESSION);                                               \
    TORCH_CHECK(stitch_status == cudaSuccess, "CUDA error: ", cudaGetErrorString(stitch_status)); \
  } while (false)
#define C10_CUDA_CHECK_WARN(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
#define C10_CUDA_ERROR_HANDLED(EXPRESSION) (EXPRESSION)
#define C10_CUDA_IGNORE_ERROR(EXPRESSION) ((void)(EXPRESSION))
#define C10_CUDA_CLEAR_ERROR() ((void)cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
#define TORCH_CUDA_CHECK(EXPRESSION) C10_CUDA_CHECK(EXPRESSION)
