// SPDX-License-Identifier: Apache-2.0
// libstitch_activity.so: loaded by CUDA's driver into a profiled process, it writes what CUPTI tells of the device's
// activity to the file that STITCHCUDA_ACTIVITY names, in the form of profile/reading/activity.h. It asks for no
// counters, so that no privilege is needed. STITCHCUDA_CUPTI may name libcupti.so. Standard C++ alone: it runs among a
// stranger's code, and whatever fails here leaves the program as it is, and a file without its end.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr size_t kAlignment = 8;

struct Functions {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetCallbackName) name = nullptr;
  decltype(&cuptiGetVersion) version = nullptr;

  bool are_complete() const {
    return register_callbacks != nullptr && enable != nullptr && flush != nullptr && next != nullptr &&
           dropped != nullptr && name != nullptr && version != nullptr;
  }
};

// One for the process, as CUPTI is, whose callbacks carry no argument of ours. Never destroyed: they come late.
struct State {
  Functions cupti;
  std::FILE* file = nullptr;
  std::mutex mutex;
  unsigned long long records = 0;
  unsigned long long dropped = 0;
};
State& state() {
  static State* const state = new State;
  return *state;
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

bool open_cupti(Functions& cupti) {
  const char* named = std::getenv("STITCHCUDA_CUPTI");
  void* library = nullptr;
  for (const char* name : {named, "libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    library = library == nullptr && name != nullptr ? ::dlopen(name, RTLD_NOW | RTLD_LOCAL) : library;
  }
  if (library == nullptr) {
    return false;
  }
  find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  find(library, "cuptiActivityEnable", cupti.enable);
  find(library, "cuptiActivityFlushAll", cupti.flush);
  find(library, "cuptiActivityGetNextRecord", cupti.next);
  find(library, "cuptiActivityGetNumDroppedRecords", cupti.dropped);
  find(library, "cuptiGetCallbackName", cupti.name);
  find(library, "cuptiGetVersion", cupti.version);
  return cupti.are_complete();
}

const char* copy_kind(unsigned kind) {
  constexpr const char* kNames[] = {"unknown",          "host to device", "device to host",  "host to array",
                                    "array to host",    "array to array", "array to device", "device to array",
                                    "device to device", "host to host",   "peer to peer"};
  return kind < sizeof(kNames) / sizeof(kNames[0]) ? kNames[kind] : kNames[0];
}

unsigned long long number(uint64_t value) { return value; }

// Fields that stand at the same place in the records of all releases since CUDA 9: later ones add to their ends.
void write_kernel(const CUpti_ActivityKernel4& kernel) {
  const long long blocks = 1LL * kernel.gridX * kernel.gridY * kernel.gridZ;
  const long long threads = 1LL * kernel.blockX * kernel.blockY * kernel.blockZ;
  std::fprintf(state().file, "kernel %llu %llu %u %lld %lld %u %d %d %u %s\n", number(kernel.start), number(kernel.end),
               kernel.correlationId, blocks, threads, unsigned{kernel.registersPerThread}, kernel.staticSharedMemory,
               kernel.dynamicSharedMemory, kernel.localMemoryPerThread, kernel.name == nullptr ? "?" : kernel.name);
}

void write_call(const CUpti_ActivityAPI& call) {
  const char* name = nullptr;
  if (state().cupti.name(CUPTI_CB_DOMAIN_RUNTIME_API, call.cbid, &name) != CUPTI_SUCCESS || name == nullptr) {
    name = "?";
  }
  std::fprintf(state().file, "call %llu %llu %u %s\n", number(call.start), number(call.end), call.correlationId, name);
}

// Whether it was of a kind that is written.
bool write(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      write_kernel(*reinterpret_cast<const CUpti_ActivityKernel4*>(record));
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy4*>(record);
      std::fprintf(state().file, "copy %llu %llu %u %llu %s\n", number(copy.start), number(copy.end),
                   copy.correlationId, number(copy.bytes), copy_kind(copy.copyKind));
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = *reinterpret_cast<const CUpti_ActivityMemset3*>(record);
      std::fprintf(state().file, "fill %llu %llu %u %llu\n", number(fill.start), number(fill.end), fill.correlationId,
                   number(fill.bytes));
      return true;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& wait = *reinterpret_cast<const CUpti_ActivitySynchronization*>(record);
      std::fprintf(state().file, "wait %llu %llu %u\n", number(wait.start), number(wait.end), wait.correlationId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      write_call(*reinterpret_cast<const CUpti_ActivityAPI*>(record));
      return true;
    default:
      return false;
  }
}

void CUPTIAPI lend_buffer(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid_bytes) {
  State& own = state();
  const std::lock_guard<std::mutex> lock(own.mutex);
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && own.cupti.next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    own.records += write(record) ? 1 : 0;
  }
  size_t dropped = 0;
  if (own.cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) {
    own.dropped += dropped;
  }
  std::free(buffer);
}

void end() {
  State& own = state();
  own.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard<std::mutex> lock(own.mutex);
  if (own.dropped > 0) {
    std::fprintf(own.file, "dropped %llu\n", own.dropped);
  }
  std::fprintf(own.file, "end %llu\n", own.records);
  std::fclose(own.file);
}

}  // namespace

// What the driver calls when it is initialised. Returning 0 would make it say so; the program runs either way.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  State& own = state();
  const char* path = std::getenv("STITCHCUDA_ACTIVITY");
  if (own.file != nullptr || path == nullptr || !open_cupti(own.cupti)) {
    return 1;
  }
  own.file = std::fopen(path, "we");
  uint32_t version = 0;
  if (own.file == nullptr || own.cupti.version(&version) != CUPTI_SUCCESS) {
    return 1;
  }
  std::fprintf(own.file, "stitchcuda.activity/1 %u\n", version);
  bool is_on = own.cupti.register_callbacks(lend_buffer, take_buffer) == CUPTI_SUCCESS;
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_RUNTIME}) {
    is_on = is_on && own.cupti.enable(kind) == CUPTI_SUCCESS;
  }
  if (is_on) {
    std::atexit(end);
  }
  return 1;
}
