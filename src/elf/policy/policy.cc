// SPDX-License-Identifier: Apache-2.0
#include "elf/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stitch::elf {
namespace {

// Beginnings of names of libraries. The CUDA runtime, cuBLAS(Lt) and cuDNN are allowed, PyTorch's never.
constexpr std::array<std::string_view, 14> kAllowedLibraries = {
    "libc.so.",       "libm.so.",   "libmvec.so.", "libstdc++.so.", "libgcc_s.so.", "ld-linux-x86-64.so.",
    "libpthread.so.", "libdl.so.",  "librt.so.",   "libcudart.so",  "libcublas.so", "libcublasLt.so",
    "libcudnn",       "libcuda.so."};
constexpr std::array<std::string_view, 6> kTorchLibraries = {"libtorch", "libc10",    "libaten",
                                                             "libATen",  "libcaffe2", "libshm"};
// Pieces of mangled names: namespaces at, c10 and torch; and C interfaces to them, Python's among them.
constexpr std::array<std::string_view, 8> kTorchSymbols = {"N2at",    "NK2at",    "N3c10",       "NK3c10",
                                                           "N5torch", "NK5torch", "aoti_torch_", "THP"};

struct Forbidden {
  std::string_view what;
  std::string_view names;  // with a blank on either side of each
};
constexpr std::array<Forbidden, 7> kForbidden = {{
    {"starts processes",
     " fork vfork _Fork clone clone3 posix_spawn posix_spawnp system popen execl execle execlp execv execve execveat "
     "execvp execvpe fexecve daemon forkpty wordexp "},
    {"reaches into other processes",
     " ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal kill killpg tgkill tkill "
     "sigqueue setns unshare getppid setpgid setsid "},
    {"opens connections",
     " socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg "
     "getaddrinfo gethostbyname getnameinfo res_query rcmd rcmd_af rexec rexec_af "},
    {"loads code at run time", " dlopen dlmopen dlsym dlvsym dlinfo iconv_open "},
    {"calls the kernel past the C library", " syscall "},
    {"catches signals, those of its own faults among them",
     " sigaction signal bsd_signal sysv_signal ssignal sigset sigvec sigaltstack sigwait sigwaitinfo sigtimedwait "
     "signalfd sigsuspend "},
    {"changes its process's memory rights, limits or filters",
     " mprotect pkey_mprotect mremap personality prctl arch_prctl seccomp prlimit setrlimit mount umount umount2 "
     "chroot "
     "pivot_root setuid setgid setresuid setresgid capset userfaultfd remap_file_pages "},
}};
// The CUDA runtime, linked in statically as our own GPU builds do, has these for itself.
constexpr std::string_view kOfTheCudaRuntime =
    " dlopen dlmopen dlsym dlvsym syscall kill socket socketpair connect bind listen accept sendmsg recvmsg mprotect "
    "sigaction signal ";

// What compiled kernels call of the emulator. By the rest of its functions the worker orders, limits and counts what
// the device does: a GPU has nothing of the kind.
constexpr std::string_view kEmulator = "stitch_emulator_";
constexpr std::string_view kOfKernels = " stitch_emulator_launch stitch_emulator_fault stitch_emulator_assert_failed ";
// Beginnings of mangled names in our namespaces: what these hold is the worker's own.
constexpr std::array<std::string_view, 4> kOurNamespaces = {"_ZN6stitch", "_ZNK6stitch", "_ZN15stitch_emulator",
                                                            "_ZNK15stitch_emulator"};

// By which a program would know the draw under sanitizers: what was read is the build without.
constexpr std::array<std::string_view, 7> kOfSanitizers = {"__asan_", "__ubsan_", "__sanitizer_", "__lsan_",
                                                           "__tsan_", "__msan_",  "__interceptor_"};

// Names of other libraries' functions: whoever brings them along wants to be called in their place.
constexpr std::array<std::string_view, 9> kReplacedBeginnings = {
    "cuda", "cublas", "cudnn", "stitch_emulator", "pthread_", "__asan", "__ubsan", "__cxa", "__libc"};
constexpr std::string_view kReplaced =
    " malloc calloc realloc free memcpy memmove memset clock_gettime gettimeofday time clock read write send recv poll "
    "mmap munmap open close dlopen dlsym exit _exit abort raise getrandom nanosleep usleep ";
// Whatever works on the device goes through one of these.
constexpr std::array<std::string_view, 7> kDeviceWork = {
    "stitch_emulator_launch", "cudaLaunch", "cudaMemcpy", "cudaMemset", "cuLaunch", "cublas", "cudnn"};

bool holds(std::string_view names, const std::string& name) {
  return names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

// The C library has many functions under several names: fork is __fork and __libc_fork, popen is _IO_popen, prlimit is
// prlimit64. A mangled name of C++ is no such name.
std::string plain_name(std::string_view name) {
  if (name.starts_with("_Z")) {
    return std::string(name);
  }
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  for (const std::string_view beginning : {"libc_", "IO_"}) {
    name.remove_prefix(name.starts_with(beginning) ? beginning.size() : 0);
  }
  name.remove_suffix(name.ends_with("64") ? 2 : 0);
  return std::string(name);
}

template <size_t N>
bool begins_with_one_of(const std::string& name, const std::array<std::string_view, N>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return name.starts_with(each); });
}

std::optional<std::string> torch_refusal(const LibraryFacts& facts) {
  for (const std::string& library : facts.needed) {
    if (begins_with_one_of(library, kTorchLibraries)) {
      return fmt::format("the library wants {}: PyTorch may do none of a candidate's work", library);
    }
  }
  for (const Import& import : facts.imports) {
    const bool is_torch = std::any_of(kTorchSymbols.begin(), kTorchSymbols.end(), [&](std::string_view piece) {
      return import.name.find(piece) != std::string::npos;
    });
    if (is_torch) {
      return fmt::format("the library imports {}: PyTorch may do none of a candidate's work", import.name);
    }
    if (import.name.starts_with("Py") || import.name.starts_with("_Py")) {
      return fmt::format("the library imports {}: it may not call Python", import.name);
    }
    if (facts.names_torch && holds(kForbidden[3].names, import.name)) {
      return fmt::format("the library imports {} and names libtorch: PyTorch may do none of a candidate's work",
                         import.name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> import_refusal(const LibraryFacts& facts, CudaRuntime runtime) {
  const bool may_hold_runtime = facts.has_gpu_code && runtime == CudaRuntime::kPerhapsInside;
  for (const Import& import : facts.imports) {
    if (may_hold_runtime && holds(kOfTheCudaRuntime, import.name)) {
      continue;
    }
    for (const Forbidden& forbidden : kForbidden) {
      if (holds(forbidden.names, import.name) || holds(forbidden.names, plain_name(import.name))) {
        return fmt::format("the library imports {}, which {}: no kernel needs that", import.name, forbidden.what);
      }
    }
  }
  return std::nullopt;
}

// The worker itself and the device that it emulates, whatever library a version says the name is from: the loader takes
// a name without a version for one with any.
std::optional<std::string> worker_refusal(const LibraryFacts& facts) {
  for (const Import& import : facts.imports) {
    const bool is_control = import.name.starts_with(kEmulator) && !holds(kOfKernels, import.name);
    if (is_control || begins_with_one_of(import.name, kOurNamespaces)) {
      return fmt::format("the library imports {}, by which its worker steers and watches the emulated device",
                         import.name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> export_refusal(const LibraryFacts& facts) {
  for (const std::string& name : facts.exports) {
    if (begins_with_one_of(name, kReplacedBeginnings) || holds(kReplaced, name)) {
      return fmt::format("the library exports {}, which takes the place of a function that is not its own", name);
    }
  }
  return std::nullopt;
}

bool works_on_the_device(const LibraryFacts& facts) {
  return facts.has_gpu_code || std::any_of(facts.imports.begin(), facts.imports.end(), [](const Import& import) {
           return begins_with_one_of(import.name, kDeviceWork);
         });
}

}  // namespace

std::optional<std::string> sanitizer_refusal(const LibraryFacts& facts) {
  for (const Import& import : facts.imports) {
    if (begins_with_one_of(import.name, kOfSanitizers)) {
      return fmt::format("the library imports {}, by which it would know the draw under sanitizers", import.name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> refusal(const LibraryFacts& facts, CudaRuntime runtime, LibraryUse use) {
  std::optional<std::string> torch = torch_refusal(facts);
  return torch.has_value() ? torch : refusal_of_any(facts, runtime, use, {});
}

std::optional<std::string> refusal_of_any(const LibraryFacts& facts, CudaRuntime runtime, LibraryUse use,
                                          std::span<const std::string_view> also_needed) {
  for (const std::string& library : facts.needed) {
    const bool is_expected = std::find(also_needed.begin(), also_needed.end(), library) != also_needed.end();
    if (!is_expected && !begins_with_one_of(library, kAllowedLibraries)) {
      return fmt::format("the library wants {}, which is none of the C, C++ and CUDA libraries that it may use",
                         library);
    }
  }
  if (!facts.run_paths.empty()) {
    return fmt::format("the library says where to look for other libraries ({})", facts.run_paths.front());
  }
  if (facts.has_executable_stack) {
    return "the library wants an executable stack: no kernel needs that";
  }
  if (facts.has_writable_code) {
    return "the library wants code that it can change: no kernel needs that";
  }
  if (facts.changes_its_tables) {
    return "the library changes its own table of symbols while it is loaded";
  }
  if (std::optional<std::string> replaced = export_refusal(facts)) {
    return replaced;
  }
  if (std::optional<std::string> import = import_refusal(facts, runtime)) {
    return import;
  }
  if (std::optional<std::string> import = worker_refusal(facts)) {
    return import;
  }
  if (use == LibraryUse::kProgram && !works_on_the_device(facts)) {
    return "the library launches no kernel and calls no library that does: nothing of it would run on a GPU";
  }
  return std::nullopt;
}

}  // namespace stitch::elf
