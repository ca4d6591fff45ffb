/* SPDX-License-Identifier: Apache-2.0
 * What a host program may ask of the emulator beyond the CUDA runtime API. Plain C, so that a worker can look these up
 * with dlsym and never needs the rest of the emulator's headers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 runs blocks, warps and lanes in order. Any other seed runs them in an order drawn from it, which brings out missing
 * __syncthreads and __syncwarp. Applies to the next launch. */
void stitch_emulator_set_schedule_seed(uint64_t seed);

struct stitch_emulator_limits {
  size_t static_shared_bytes; /* 48 KB */
  size_t opt_in_shared_bytes; /* 227 KB, static and dynamic together */
  int threads_per_block;      /* 1024 */
  double seconds_per_wait;    /* CPU seconds one thread may run without waiting or ending; 0 means no limit */
};
/* A zero field keeps its present value (seconds_per_wait: pass a negative number to switch the limit off). */
void stitch_emulator_set_limits(const struct stitch_emulator_limits* limits);

/* The sentence of the last device fault or refused launch, with file and line; "" when there was none. */
const char* stitch_emulator_last_fault(void);
void stitch_emulator_clear_fault(void);

struct stitch_emulator_counts {
  uint64_t launches;
  uint64_t blocks;
  uint64_t threads;
  uint64_t switches; /* from one thread of a block to another */
  uint64_t barriers; /* crossings of a block barrier, one per thread */
  uint64_t warp_operations;
  uint64_t matrix_operations; /* of tensor cores, one per warp */
  uint64_t async_copies;      /* from global to shared memory, one per thread */
};
void stitch_emulator_get_counts(struct stitch_emulator_counts* counts);

/* What a launch did to memory; counted in the counted build alone. Accesses that lanes of a warp make at one
 * instruction are one request. */
struct stitch_emulator_accesses {
  uint64_t bytes_read; /* of global memory, each once a launch */
  uint64_t bytes_written;
  uint64_t requests_read;
  uint64_t requests_written;
  uint64_t sectors_read; /* of 32 bytes, each once a request */
  uint64_t sectors_written;
  uint64_t atomics; /* on global memory, one per lane */
  uint64_t atomic_sectors;
  uint64_t shared_requests;
  uint64_t wavefronts; /* times that the banks of shared memory are gone through */
  uint64_t shared_atomics;
  uint64_t tf32_flops;     /* of tensor cores */
  uint64_t half_flops;     /* likewise, on operands of 16 bits and fewer */
  uint64_t group_flops;    /* of half_flops, those of instructions of a whole warp group */
  uint64_t sectors_missed; /* of those read, that a multiprocessor's L1 does not have from the same block */
  /* Of each block the warp that waits most often, all blocks together. What is read one after another without being
   * waited for is one wait. */
  uint64_t memory_waits; /* for global memory */
  uint64_t shared_waits; /* for shared memory */
};

/* One kernel launched from one place, or one function of a library: all its launches together. */
struct stitch_emulator_launches {
  char name[256]; /* "gemm_kernel<float, 4>" as the launch spells it, "cublasLtMatmul"; cut where it is longer */
  char file[128];
  int line; /* 0: of a library */
  uint64_t launches;
  uint64_t blocks;
  uint64_t threads;
  uint64_t barriers;
  uint64_t warp_operations;
  uint64_t matrix_operations;
  uint64_t async_copies;
  uint64_t shared_bytes;  /* of a block, static and dynamic, the largest launch */
  uint64_t nanoseconds;   /* of the CPU: of use beside those of other launches only */
  uint64_t library_flops; /* of a library's functions */
  uint64_t epilogues;     /* of a library's launches, those that did more than the bare product */
  /* In the counted build launches that did different things are different entries. */
  int step;                                 /* of the program; -1: none was named */
  struct stitch_emulator_accesses accesses; /* of each of them */
};
/* Fills up to `capacity` entries in the order of first launches; answers how many there are since they were last
 * forgotten. */
size_t stitch_emulator_get_launches(struct stitch_emulator_launches* entries, size_t capacity);
void stitch_emulator_forget_launches(void);
/* Whether this is the counted build. */
int stitch_emulator_counts_accesses(void);

/* Keeps the device's memory apart from the host's, as it is on a GPU: these ranges, of whole pages, and what cudaMalloc
 * gives from the first such call on. Work on the device touches it; host code that does ends the process with a
 * sentence. Null: together again. */
struct stitch_emulator_range {
  void* start;
  size_t bytes;
};
void stitch_emulator_keep_apart(const struct stitch_emulator_range* ranges, size_t count);
/* Copies and compares what may be kept apart, for a caller in whose process code of the program may run at any other
 * moment: the memory is open for this alone. stitch_emulator_equal answers 1 or 0. */
void stitch_emulator_copy(void* to, const void* from, size_t bytes);
int stitch_emulator_equal(const void* left, const void* right, size_t bytes);

/* Says that the device is a caller's, who made these pieces of its memory and lends them to the program: who frees one
 * of them, or resets the device, is ended with a sentence. Each call takes the place of the one before. */
void stitch_emulator_lend(const struct stitch_emulator_range* ranges, size_t count);

/* What runs in the next calls. The rest answers that it was done; a copy from the host to the device that is left out
 * brings bytes of 0xff, and so does memory that is set more often than 256 times meanwhile. An answer that is right all
 * the same did not come from there. */
enum { STITCH_EMULATOR_ALL = 0, STITCH_EMULATOR_COPIES = 1, STITCH_EMULATOR_DEVICE_COPIES = 2 };
void stitch_emulator_run_only(int what);

/* Between 1 and 0 it is noted what copies and sets bring to the device's memory; 1 forgets what was noted before. Then
 * stitch_emulator_get_host_bytes fills up to `capacity` ranges, in the order of addresses, which hold what the host
 * said: bytes of a copy from the host, of commands that left fewer of them than it takes to ask for one, or copies of
 * either; as long as nothing else has written there. Answers how many there are. */
void stitch_emulator_watch_host_bytes(int on);
size_t stitch_emulator_get_host_bytes(struct stitch_emulator_range* ranges, size_t capacity);

/* Between 1 and 0 the commands of the program are kept: kernels, copies, sets and functions of libraries. 1 forgets
 * those of before. stitch_emulator_play_commands does them once more while no host code runs, with the bytes that the
 * host had given when they were enqueued (arguments, sources of copies, what it wrote into pinned or managed memory),
 * and with what the device's memory holds now; what the host could see is afterwards as it was. Answers 0 where nothing
 * was kept, or not all, or a kernel failed. What the program frees meanwhile is freed when the commands are forgotten.
 * stitch_emulator_bytes_told: how much of the device's memory the host was shown while they were kept, by copies and by
 * what kernels wrote into memory that it sees. */
void stitch_emulator_keep_commands(int on);
void stitch_emulator_forget_commands(void);
int stitch_emulator_play_commands(void);
/* The same in parts, for a caller who does other work on the device between them. What lies in `on_device`, of
 * `count` ranges, is the device's too, and the first `given_back` of these are at the end as they were before.
 * stitch_emulator_play_up_to: commands up to the one of this number; answers 0 where one failed.
 * stitch_emulator_keep_commands_from: 1, and what these ranges and the device's own memory hold now is kept too; the
 * latter is then given back at the end as well. stitch_emulator_put_first_contents_back, before a command is played:
 * all of that memory as it was then, and not as the last command and the host have left it. */
void stitch_emulator_keep_commands_from(const struct stitch_emulator_range* memory, size_t count);
void stitch_emulator_put_first_contents_back(void);
size_t stitch_emulator_count_commands(void);
int stitch_emulator_begin_playing(const struct stitch_emulator_range* on_device, size_t count, size_t given_back);
int stitch_emulator_play_up_to(size_t end);
void stitch_emulator_end_playing(void);
uint64_t stitch_emulator_bytes_told(void);

/* Leaves out one kernel, by its name, file and line as stitch_emulator_get_launches has them. Null: none. */
void stitch_emulator_leave_out(const struct stitch_emulator_launches* kernel);

#ifdef __cplusplus
}
#endif
