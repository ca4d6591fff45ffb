// SPDX-License-Identifier: Apache-2.0
// Memory: device memory is the heap's, so that AddressSanitizer guards it in the checked build.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>

#include "access/accesses.h"
#include "api/state.h"
#include "control/apart.h"
#include "control/host_bytes.h"
#include "control/launch_ledger.h"
#include "control/lent.h"
#include "control/tape.h"
#include "fault/fault.h"
#include "updates/host_memory.h"

namespace stitch_emulator {
namespace {

constexpr size_t kAlignment = 256;
// Fresh memory is undefined on a device; NaN bytes show a program that counts on zeros. Not for huge blocks, whose
// pages would all be touched.
constexpr size_t kFillBytes = size_t{64} << 20;
constexpr int kUndefined = 0xff;

struct Allocation {
  size_t bytes;
  cudaMemoryType kind;
  bool is_apart;
};
std::map<const char*, Allocation>& allocations() {
  static std::map<const char*, Allocation> map;
  return map;
}

cudaError_t allocate(void** pointer, size_t bytes, cudaMemoryType kind) {
  if (pointer == nullptr) {
    return report(cudaErrorInvalidValue);
  }
  *pointer = nullptr;
  if (forbidden_by_capture()) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  if (bytes == 0) {
    return cudaSuccess;
  }
  const bool is_apart = kind == cudaMemoryTypeDevice && can_be_apart();
  const DeviceAccess access;  // its end takes the new block away from the host, too
  if (is_apart) {
    *pointer = allocate_apart(bytes);
  } else if (posix_memalign(pointer, kAlignment, bytes) != 0) {
    *pointer = nullptr;
  }
  if (*pointer == nullptr) {
    return report(cudaErrorMemoryAllocation);
  }
  if (bytes <= kFillBytes) {
    memset(*pointer, kUndefined, bytes);
  }
  allocations()[static_cast<const char*>(*pointer)] = {bytes, kind, is_apart};
  return cudaSuccess;
}

cudaError_t release(void* pointer) {
  if (pointer == nullptr) {
    return cudaSuccess;
  }
  if (forbidden_by_capture()) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  const auto found = allocations().find(static_cast<const char*>(pointer));
  if (found == allocations().end()) {
    if (is_lent(pointer)) {
      host_fault("the program frees memory that it was given, which is its caller's (cudaFree)", nullptr, 0);
    }
    return report(cudaErrorInvalidValue);
  }
  const auto free_now = [pointer, is_apart = found->second.is_apart] {
    is_apart ? release_apart(pointer) : free(pointer);
  };
  allocations().erase(found);
  keeps_commands() ? release_with_commands(free_now) : free_now();
  return cudaSuccess;
}

void move_bytes(void* destination, const void* source, size_t bytes, const MemoryCommand& command) {
  const DeviceAccess access;
  if (is_on_device(destination) && !is_on_device(source) && host_copies_are_left_out()) {
    memset(destination, kUndefined, bytes);
    return;
  }
  source = source_of_copy(destination, source, bytes);
  if (source == nullptr) {
    return;
  }
  command.copies(destination, source, bytes);
  memmove(destination, source, bytes);
}

int value_now(int value) { return set_is_left_out() ? kUndefined : value; }

void set_bytes(void* pointer, int value, size_t bytes, const MemoryCommand& command) {
  const DeviceAccess access;
  command.sets(pointer, value, bytes);
  memset(pointer, value, bytes);
}

cudaError_t copy_now(void* destination, const void* source, size_t bytes) {
  if (kernel_faulted()) {
    return cudaErrorLaunchFailure;
  }
  move_bytes(destination, source, bytes, MemoryCommand(bytes));
  return cudaSuccess;
}

bool bad_copy(const void* destination, const void* source, size_t bytes) {
  return bytes != 0 && (destination == nullptr || source == nullptr);
}

// What a copy engine, or a kernel of the driver's, does to whole rows.
stitch_emulator_accesses copied(size_t bytes_read, size_t bytes_written) {
  constexpr size_t kSector = 32;
  stitch_emulator_accesses accesses{};
  accesses.bytes_read = bytes_read;
  accesses.bytes_written = bytes_written;
  accesses.sectors_read = (bytes_read + kSector - 1) / kSector;
  accesses.sectors_written = (bytes_written + kSector - 1) / kSector;
  return accesses;
}

cudaError_t copy_rows(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                      size_t width, size_t height) {
  const MemoryCommand command(width * height);
  for (size_t row = 0; row < height; ++row) {
    move_bytes(static_cast<char*>(destination) + row * destination_pitch,
               static_cast<const char*>(source) + row * source_pitch, width, command);
  }
  return kernel_faulted() ? cudaErrorLaunchFailure : cudaSuccess;
}

std::map<const char*, size_t>& registered() {
  static std::map<const char*, size_t> map;
  return map;
}

}  // namespace

bool is_kernels_memory(const void* start) {
  const auto* byte = static_cast<const char*>(start);
  return allocations().count(byte) != 0 || is_lent_from(start);
}

MemoryPiece allocated_piece(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  const auto next = allocations().upper_bound(byte);
  if (next == allocations().begin()) {
    return {};
  }
  const auto& [start, allocation] = *std::prev(next);
  return byte < start + allocation.bytes ? MemoryPiece{start, allocation.bytes} : MemoryPiece{};
}

std::vector<MemoryPiece> visible_pieces() {
  std::vector<MemoryPiece> pieces;
  for (const auto& [start, allocation] : allocations()) {
    if (allocation.kind != cudaMemoryTypeDevice) {
      pieces.push_back({start, allocation.bytes});
    }
  }
  for (const auto& [start, bytes] : registered()) {
    pieces.push_back({start, bytes});
  }
  return pieces;
}

std::vector<MemoryPiece> device_pieces() {
  std::vector<MemoryPiece> pieces;
  for (const auto& [start, allocation] : allocations()) {
    if (allocation.kind == cudaMemoryTypeDevice) {
      pieces.push_back({start, allocation.bytes});
    }
  }
  return pieces;
}

bool is_registered(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  const auto next = registered().upper_bound(byte);
  return next != registered().begin() && byte < std::prev(next)->first + std::prev(next)->second;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  const LedgerEntry entry("cudaMalloc", "", 0);
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return allocate(pointer, bytes, cudaMemoryTypeHost); }
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kAlignment - 1) / kAlignment * kAlignment;
  return allocate(pointer, *pitch * height, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void* pointer) {
  const LedgerEntry entry("cudaFree", "", 0);
  return release(pointer);
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }

// Stream-ordered allocation happens at once: streams run in order here anyway.
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  const CountedCall entry("cudaMallocAsync");
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release(pointer); }

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  registered()[static_cast<const char*>(pointer)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* pointer) {
  registered().erase(static_cast<const char*>(pointer));
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *total_bytes = size_t{139} << 30;
  size_t used = 0;
  for (const auto& entry : allocations()) {
    used += entry.second.bytes;
  }
  *free_bytes = *total_bytes - used;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const auto* byte = static_cast<const char*>(pointer);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->hostPointer = const_cast<void*>(pointer);
  auto next = allocations().upper_bound(byte);
  if (next == allocations().begin()) {
    return cudaSuccess;
  }
  --next;
  if (byte < next->first + next->second.bytes) {
    attributes->type = next->second.kind;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (attributes->type == cudaMemoryTypeDevice) {
      attributes->hostPointer = nullptr;
    }
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* destination, const void* source, size_t bytes, cudaMemcpyKind) {
  LedgerEntry entry("cudaMemcpy", "", 0);
  entry.did(copied(bytes, bytes));
  if (forbidden_by_capture()) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  if (bad_copy(destination, source, bytes)) {
    return report(cudaErrorInvalidValue);
  }
  return report(do_command([=] { return copy_now(destination, source, bytes); }));
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  if (bad_copy(destination, source, bytes)) {
    return report(cudaErrorInvalidValue);
  }
  return enqueue(stream, [=] {
    LedgerEntry entry("cudaMemcpyAsync", "", 0);
    entry.did(copied(bytes, bytes));
    return copy_now(destination, source, bytes);
  });
}

cudaError_t cudaMemcpy2D(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                         size_t width, size_t height, cudaMemcpyKind) {
  const CountedCall entry("cudaMemcpy2D", copied(width * height, width * height));
  return report(
      do_command([=] { return copy_rows(destination, destination_pitch, source, source_pitch, width, height); }));
}

cudaError_t cudaMemcpy2DAsync(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                              size_t width, size_t height, cudaMemcpyKind, cudaStream_t stream) {
  return enqueue(stream, [=] {
    const CountedCall entry("cudaMemcpy2DAsync", copied(width * height, width * height));
    return copy_rows(destination, destination_pitch, source, source_pitch, width, height);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  if (forbidden_by_capture()) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  const CountedCall entry("cudaMemset", copied(0, bytes));
  return do_command([=] {
    set_bytes(pointer, value_now(value), bytes, MemoryCommand(bytes));
    return cudaSuccess;
  });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] {
    const CountedCall entry("cudaMemsetAsync", copied(0, bytes));
    set_bytes(pointer, value_now(value), bytes, MemoryCommand(bytes));
    return cudaSuccess;
  });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return enqueue(stream, [=] {
    const CountedCall entry("cudaMemset2DAsync", copied(0, width * height));
    const int now = value_now(value);
    const MemoryCommand command(width * height);
    for (size_t row = 0; row < height; ++row) {
      set_bytes(static_cast<char*>(pointer) + row * pitch, now, width, command);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpy(static_cast<char*>(const_cast<void*>(symbol)) + offset, source, bytes, kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyAsync(static_cast<char*>(const_cast<void*>(symbol)) + offset, source, bytes, kind, stream);
}
cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return cudaMemcpy(destination, static_cast<const char*>(symbol) + offset, bytes, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyAsync(destination, static_cast<const char*>(symbol) + offset, bytes, kind, stream);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

}  // extern "C"
