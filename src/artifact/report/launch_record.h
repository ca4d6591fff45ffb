// SPDX-License-Identifier: Apache-2.0
// What ran on the device in calls of a program, as the process that ran them says. Evidence for marks and for people;
// no verdict rests on it, since a hostile program can write anything into its own process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

// What each of a record's launches did to memory, where that was counted. Accesses that lanes of a warp make at one
// instruction are one request.
struct MemoryAccesses {
  int64_t bytes_read = 0;  // of global memory, each once a launch
  int64_t bytes_written = 0;
  int64_t requests_read = 0;
  int64_t requests_written = 0;
  int64_t sectors_read = 0;  // of 32 bytes, each once a request
  int64_t sectors_written = 0;
  int64_t atomics = 0;  // on global memory, one per lane
  int64_t atomic_sectors = 0;
  int64_t shared_requests = 0;
  int64_t wavefronts = 0;  // times that the banks of shared memory are gone through
  int64_t shared_atomics = 0;
  int64_t tf32_flops = 0;      // of tensor cores
  int64_t half_flops = 0;      // likewise, on operands of 16 bits and fewer
  int64_t group_flops = 0;     // of half_flops, those of instructions of a whole warp group
  int64_t sectors_missed = 0;  // of those read, that a multiprocessor's L1 does not have from the same block
  // Of each block the warp that waits most often, all blocks together. What is read one after another without being
  // waited for is one wait.
  int64_t memory_waits = 0;  // for global memory
  int64_t shared_waits = 0;  // for shared memory

  int64_t sectors() const { return sectors_read + sectors_written + atomic_sectors; }
};

// A kernel launched from one place, or a function of a library: all its launches together.
struct LaunchRecord {
  std::string name;  // as the launch spells it: "rows<4>", "cublasLtMatmul"
  std::string file;  // of the launch
  int64_t line = 0;  // 0: a library's
  int64_t launches = 0;
  int64_t blocks = 0;
  int64_t threads = 0;
  int64_t barriers = 0;           // crossings, one per thread
  int64_t warp_operations = 0;    // shuffles, votes and the like, one per warp
  int64_t matrix_operations = 0;  // of tensor cores, one per warp
  int64_t async_copies = 0;       // from global to shared memory, one per thread
  int64_t shared_bytes = 0;       // of a block, the largest launch
  int64_t nanoseconds = 0;        // of the CPU that emulates: of use beside those of other records only
  int64_t library_flops = 0;
  int64_t epilogues = 0;                     // of a library's launches, those that did more than the bare product
  int64_t step = -1;                         // of the program; -1: none was named
  std::optional<MemoryAccesses> accesses{};  // where they were counted: then launches that differ are different records
  bool is_idle = false;                      // found by the judge: the answer is as right without it

  bool is_library() const { return line == 0; }
  bool is_library_product() const { return is_library() && library_flops > 0; }
  // Whether anything was computed: not by a copy, nor by a launch of no block.
  bool is_work() const { return is_library() ? is_library_product() : threads > 0; }
};

constexpr size_t kMaxLaunchRecords = 4096;
constexpr int64_t kMaxLaunchNumber = int64_t{1} << 49;  // so that sums over all records, and twice those, are numbers

Json to_json(const MemoryAccesses& accesses);
Json to_json(const std::vector<LaunchRecord>& records);
// kFileInvalid for another form, too many records or impossible numbers. Long names are cut.
Result<std::vector<LaunchRecord>> launch_records_from_json(const Json& json, const char* key);

}  // namespace stitch
