# SPDX-License-Identifier: Apache-2.0
"""Functions and types of others that say something about whoever uses them, by qualified name. Every one has an honest
use; those for which a kernel has hardly one send a person to look."""

from __future__ import annotations

_LOOK = {
    "reads a clock": "clock clock64 clock_gettime gettimeofday time times ftime timespec_get __rdtsc __rdtscp "
    "std::chrono::system_clock::now std::chrono::steady_clock::now std::chrono::high_resolution_clock::now "
    "__globaltimer globaltimer cudaEventElapsedTime",
    "draws random numbers of its own": "rand random drand48 lrand48 rand_r getrandom getentropy std::random_device",
    "works on files": "fopen freopen open openat creat fread fwrite fgets fputs read write pread pwrite unlink remove "
    "rename mkstemp tmpfile shm_open shm_unlink memfd_create opendir readdir stat lstat readlink std::basic_ifstream "
    "std::basic_ofstream std::basic_fstream std::basic_filebuf",
    "maps memory of its own": "mmap mmap64 mremap munmap shmat shmget",
    "changes what memory may be used for": "mprotect pkey_mprotect madvise",
    "starts a process": "fork vfork clone execl execlp execv execve execvp fexecve system popen posix_spawn "
    "posix_spawnp",
    "looks for functions by name": "dlopen dlsym dlvsym dladdr dl_iterate_phdr cudaGetDriverEntryPoint "
    "cudaGetDriverEntryPointByVersion cuGetProcAddress",
    "uses the network": "socket connect bind listen accept send recv sendto recvfrom",
    "asks for its environment": "getenv secure_getenv setenv putenv getpid getppid gethostname uname sysinfo getauxval "
    "getrusage getcwd environ",
    "starts a thread": "pthread_create std::thread std::jthread std::async thrd_create",
    "waits for a while": "sleep usleep nanosleep clock_nanosleep std::this_thread::sleep_for "
    "std::this_thread::sleep_until __nanosleep",
    "calls the system directly": "syscall ptrace prctl process_vm_readv process_vm_writev ioctl",
    "handles signals or the end of the process": "signal sigaction raise kill abort exit _exit quick_exit atexit "
    "at_quick_exit on_exit setjmp longjmp siglongjmp std::set_terminate std::atexit std::exit std::abort",
    "reads the names of its callers": "backtrace backtrace_symbols __builtin_return_address __builtin_frame_address",
    "has the device call host code": "cudaLaunchHostFunc cudaStreamAddCallback",
    "asks whose memory a pointer is": "cudaPointerGetAttributes cuPointerGetAttribute cuMemGetAddressRange",
    "shares memory with other processes": "cudaIpcGetMemHandle cudaIpcOpenMemHandle cudaIpcGetEventHandle "
    "cudaIpcOpenEventHandle cudaMemPoolExportToShareableHandle",
    "makes memory that host and device share": "cudaMallocManaged cudaHostAlloc cudaHostGetDevicePointer "
    "cudaHostRegister cudaMemPrefetchAsync",
    "changes the whole device": "cudaDeviceReset cudaSetDeviceFlags cudaDeviceSetLimit "
    "cudaCtxResetPersistingL2Cache cudaDeviceSetCacheConfig cudaProfilerStart cudaProfilerStop",
    "loads code while it runs": "cudaLibraryLoadData cudaLibraryLoadFromFile cuModuleLoad cuModuleLoadData "
    "nvrtcCompileProgram",
    "calls PyTorch's operators": "at::mm at::matmul at::bmm at::addmm at::linear at::conv2d at::softmax",
}
_TELL = {
    "copies to or from the host": "cudaMemcpy cudaMemcpyFromSymbol cudaMemcpyToSymbol",
    "waits for the device": "cudaDeviceSynchronize cudaStreamSynchronize cudaEventSynchronize",
    "works on a stream of its own": "cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority",
    "keeps memory of its own": "cudaMalloc cudaMallocAsync cudaMallocPitch malloc calloc",
    "records a graph": "cudaStreamBeginCapture cudaGraphLaunch cudaGraphInstantiate",
    "chooses a device": "cudaSetDevice",
    "asks what the device is": "cudaGetDeviceProperties cudaDeviceGetAttribute cudaMemGetInfo",
    "uses the library cuBLAS": "cublasCreate cublasLtMatmul cublasSgemm cublasGemmEx cublasGemmStridedBatchedEx",
    "uses the library cuDNN": "cudnnCreate cudnnConvolutionForward cudnnBackendExecute",
}
_PREFIXES = {
    "cublas": "uses the library cuBLAS",
    "cudnn": "uses the library cuDNN",
    "nvrtc": "loads code while it runs",
}
_LOOK_NAMESPACES = {
    "std::filesystem": "works on files",
    "at::native": "calls PyTorch's operators past its dispatcher",
}

# What compiled kernels call of the emulated device, and find in the process that loads them.
OF_THE_EMULATOR = frozenset(
    "stitch_async_commit stitch_async_copy stitch_async_wait stitch_barrier stitch_barrier_count "
    "stitch_count_matrix_operation stitch_dynamic_shared stitch_emulator_assert_failed stitch_emulator_fault "
    "stitch_emulator_launch stitch_is_shared stitch_launch_number stitch_live_threads stitch_named_barrier "
    "stitch_named_barrier_arrive stitch_note_atomic stitch_note_fence stitch_shared_offset stitch_shared_place "
    "stitch_shared_pointer stitch_spin_budget stitch_spin_exhausted stitch_thread_in_block stitch_thread_returns "
    "stitch_wait_until stitch_warp_collective stitch_warp_converge stitch_warp_exchange stitch_yield".split()
)

_WHAT = {name: (what, True) for what, names in _LOOK.items() for name in names.split()}
_WHAT.update({name: (what, False) for what, names in _TELL.items() for name in names.split()})


def meaning(name: str) -> tuple[str, bool] | None:
    """What using `name` says, and whether a person should look; None for names that say nothing."""
    plain = name.removeprefix("::")
    found = _WHAT.get(plain) or _WHAT.get(_without_version(plain))
    if found is not None:
        return found
    for namespace, what in _LOOK_NAMESPACES.items():
        if plain.startswith(namespace + "::"):
            return what, True
    for prefix, what in _PREFIXES.items():
        if plain.startswith(prefix) and plain[len(prefix) : len(prefix) + 1].isupper():
            return what, prefix == "nvrtc"
    return None


def _without_version(name: str) -> str:
    """cudaGetDeviceProperties_v2 is cudaGetDeviceProperties."""
    head, _, tail = name.rpartition("_v")
    return head if tail.isdigit() else name
