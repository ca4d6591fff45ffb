// SPDX-License-Identifier: Apache-2.0
// Sees every operator that PyTorch's dispatcher calls in this process, on any thread, below Python:
// at::RecordFunction's global callbacks. Built without PyTorch's headers, which differ from release to release and cost
// 22 s to compile: what is used of them (two functions and two layouts) is declared here, found by dlsym at run time,
// and proved by a canary before a candidate is loaded. The first forbidden use of each operator is written to a pipe
// whose other end the supervisor holds: what was written cannot be taken back.
#include "observer/observer.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "observer/known_operators.h"
#include "observer/ledger.h"
#include "observer/python_place.h"
#include "observer/sealed_code.h"

namespace {

// at::RecordFunctionCallback of PyTorch 2.6 and later. Only the scope of operators is asked for; the flags after the
// scopes stay false wherever a release puts them.
struct Callback {
  void* start;
  void* end;
  double sampling_probability;
  std::array<bool, 24> scopes_and_flags;
};

// std::unique_ptr<at::ObserverContext> as a caller sees it: handed back through memory, hence the destructor.
struct NoContext {
  NoContext() = default;
  NoContext(const NoContext&) = delete;
  NoContext& operator=(const NoContext&) = delete;
  ~NoContext() {}
  void* pointer = nullptr;
};

// c10::cuda::CUDAStream: a c10::Stream, which is returned in registers.
struct CudaStream {
  int64_t device = 0;
  int64_t id = 0;
};
using CurrentStream = CudaStream (*)(signed char);
using HandleOfStream = void* (*)(const CudaStream*);
using IsCapturing = int (*)(void*, int*);

using OfTheDevice = void (*)();
using AddGlobalCallback = uint64_t (*)(Callback);
using OperatorName = const char* (*)(const void*);

constexpr size_t kNames = 8192;  // PyTorch 2.15 has 2053
constexpr size_t kNameBytes = 128;
// A length, a flag, the sizes of a few groups: a kernel's caller may ask for them, one number at a time.
constexpr uint64_t kMaxScalars = 16;
constexpr const char* kScalar = "aten::_local_scalar_dense";
// Of a tensor on the device to the host, too, which is no copy where both are the host's memory: what is read
// afterwards may be the host's own.
constexpr const char* kToHost = "aten::to";

struct Seen {
  std::atomic<uint64_t> hash{0};
  std::atomic<uint64_t> count{0};
};

OperatorName operator_name = nullptr;
CurrentStream current_stream = nullptr;  // these three only where PyTorch has CUDA
HandleOfStream handle_of_stream = nullptr;
IsCapturing is_capturing = nullptr;
OfTheDevice enter_device = nullptr;  // these two only where the device is emulated
OfTheDevice leave_device = nullptr;
std::atomic<bool> is_open{false};  // the device, to whom copied from it
std::atomic<bool> enforced{false};
std::atomic<uint64_t> observed{0};
std::atomic<uint64_t> scalars{0};                     // read since the call began
std::atomic<uint64_t> may_read{kMaxScalars};          // as they are seen here
std::array<std::atomic<uint64_t>, kNames> passing{};  // operators that may run
std::array<std::atomic<uint64_t>, kNames> known{};    // PyTorch's own: whatever is not here is the candidate's
std::array<Seen, kNames> seen{};

uint64_t hash_of(const char* text) {
  uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (; *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211U;
  }
  return hash == 0 ? 1 : hash;
}

// Open addressing; a full table drops names, so that an operator is reported rather than let through.
void insert(std::array<std::atomic<uint64_t>, kNames>& table, uint64_t hash) {
  for (size_t step = 0; step < kNames; ++step) {
    uint64_t empty = 0;
    std::atomic<uint64_t>& slot = table[(hash + step) % kNames];
    if (slot.compare_exchange_strong(empty, hash) || empty == hash) {
      return;
    }
  }
}

bool contains(const std::array<std::atomic<uint64_t>, kNames>& table, uint64_t hash) {
  for (size_t step = 0; step < kNames; ++step) {
    const uint64_t found = table[(hash + step) % kNames].load(std::memory_order_relaxed);
    if (found == hash || found == 0) {
      return found == hash;
    }
  }
  return false;
}

// True the first time.
bool note(uint64_t hash) {
  for (size_t step = 0; step < kNames; ++step) {
    Seen& slot = seen[(hash + step) % kNames];
    uint64_t empty = 0;
    const bool is_new = slot.hash.compare_exchange_strong(empty, hash);
    if (is_new || empty == hash) {
      slot.count.fetch_add(1, std::memory_order_relaxed);
      return is_new;
    }
  }
  return true;
}

// What a graph holds runs later, past the dispatcher: an operator that goes into one counts as if it ran then.
bool is_being_captured() {
  if (is_capturing == nullptr) {
    return false;
  }
  const CudaStream stream = current_stream(-1);
  int status = 0;
  return is_capturing(handle_of_stream(&stream), &status) == 0 && status != 0;
}

// Whether it is one of PyTorch's that moves what lies on the device.
bool works_on_device(uint64_t hash) { return enter_device != nullptr && contains(passing, hash); }

// Until the next call begins.
void open_device() {
  if (!is_open.exchange(true)) {
    enter_device();
  }
}

void on_end(const void* record, void* /*context*/) {
  if (enter_device != nullptr && works_on_device(hash_of(operator_name(record)))) {
    leave_device();
  }
}

void count_scalar() {
  if (scalars.fetch_add(1, std::memory_order_relaxed) == may_read) {
    write_to_ledger("operator", kScalar);
  }
}

NoContext on_operator(const void* record) {
  observed.fetch_add(1, std::memory_order_relaxed);
  if (enter_device != nullptr && works_on_device(hash_of(operator_name(record)))) {
    static const uint64_t to_host = hash_of(kToHost);
    if (hash_of(operator_name(record)) == to_host) {
      open_device();
    }
    enter_device();
  }
  if (enforced.load(std::memory_order_relaxed) || is_being_captured()) {
    const char* name = operator_name(record);
    const uint64_t hash = hash_of(name);
    static const uint64_t scalar = hash_of(kScalar);
    if (hash == scalar) {
      count_scalar();
    }
    const bool is_own = !contains(known, hash);
    if (note(hash) && !contains(passing, hash)) {
      if (!is_own) {
        unseal_code();  // it is told: that it computes changes nothing, and what else it calls is told as well
      }
      write_to_ledger(is_own ? "own" : "operator", name);
    }
  }
  return {};
}

void insert_lines(std::array<std::atomic<uint64_t>, kNames>& table, const char* lines) {
  std::array<char, kNameBytes> name{};
  while (*lines != '\0') {
    const char* end = std::strchr(lines, '\n');
    const size_t length = end == nullptr ? std::strlen(lines) : static_cast<size_t>(end - lines);
    if (length > 0 && length < kNameBytes) {
      std::memcpy(name.data(), lines, length);
      name[length] = '\0';
      insert(table, hash_of(name.data()));
    }
    lines += length + (end == nullptr ? 0 : 1);
  }
}

}  // namespace

bool is_known_operator(const char* name) { return contains(known, hash_of(name)); }

extern "C" {

int stitch_observer_start(int pipe, const char* folder, const char* known_names, const char* passing_names) {
  static std::atomic<bool> is_started{false};
  if (is_started.exchange(true)) {
    return 0;  // once: a candidate that finds this function would name a pipe of its own
  }
  void* torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);  // Python has loaded it already
  if (torch == nullptr) {
    return 0;
  }
  const auto add =
      reinterpret_cast<AddGlobalCallback>(::dlsym(torch, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"));
  operator_name = reinterpret_cast<OperatorName>(::dlsym(torch, "_ZNK2at14RecordFunction4nameEv"));
  if (add == nullptr || operator_name == nullptr || !open_ledger(pipe)) {
    return 0;
  }
  find_code_to_seal(torch);
  set_candidate_folder(folder);
  insert_lines(known, known_names);
  insert_lines(passing, passing_names);
  Callback callback{};
  callback.start = reinterpret_cast<void*>(&on_operator);
  callback.end = reinterpret_cast<void*>(&on_end);
  callback.sampling_probability = 1.0;
  for (const size_t scope : {0, 8}) {  // at::RecordScope: FUNCTION, STATIC_RUNTIME_OP
    callback.scopes_and_flags[scope] = true;
  }
  add(callback);
  return 1;
}

int stitch_observer_watch_captures(const char* runtime) {
  void* cuda = ::dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  void* library = ::dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD);
  if (cuda == nullptr || library == nullptr) {
    return 0;
  }
  current_stream = reinterpret_cast<CurrentStream>(::dlsym(cuda, "_ZN3c104cuda20getCurrentCUDAStreamEa"));
  handle_of_stream = reinterpret_cast<HandleOfStream>(::dlsym(cuda, "_ZNK3c104cuda10CUDAStream6streamEv"));
  const auto capturing = reinterpret_cast<IsCapturing>(::dlsym(library, "cudaStreamIsCapturing"));
  if (current_stream == nullptr || handle_of_stream == nullptr || capturing == nullptr) {
    return 0;
  }
  is_capturing = capturing;
  return 1;
}

void stitch_observer_watch_device(void* enter, void* leave) {
  leave_device = reinterpret_cast<OfTheDevice>(leave);
  enter_device = reinterpret_cast<OfTheDevice>(enter);
}

void stitch_observer_begin_call(int seen_twice) {
  scalars.store(0);
  may_read.store(seen_twice != 0 ? 2 * kMaxScalars : kMaxScalars);
  if (is_open.exchange(false)) {
    leave_device();
  }
}

void stitch_observer_enforce(int seals) {
  enforced.store(true);
  if (seals != 0) {
    seal_code();
  }
  write_to_ledger("enforced", "");
}

uint64_t stitch_observer_observed() { return observed.load(); }

uint64_t stitch_observer_count(const char* name) {
  const uint64_t hash = hash_of(name);
  for (size_t step = 0; step < kNames; ++step) {
    const Seen& slot = seen[(hash + step) % kNames];
    const uint64_t found = slot.hash.load();
    if (found == hash || found == 0) {
      return found == hash ? slot.count.load() : 0;
    }
  }
  return 0;
}

void stitch_observer_tell_of_blindness() { write_to_ledger("event", "switched off the observer of operators"); }
}
