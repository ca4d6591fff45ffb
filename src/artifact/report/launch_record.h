// SPDX-License-Identifier: Apache-2.0
// What ran on the device in one call of a program, as the process that ran it says. Evidence for marks and for people;
// no verdict rests on it, since a hostile program can write anything into its own process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

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
  int64_t epilogues = 0;  // of a library's launches, those that did more than the bare product
  bool is_idle = false;   // found by the judge: the answer is as right without it

  bool is_library() const { return line == 0; }
};

Json to_json(const std::vector<LaunchRecord>& records);
// kFileInvalid for another form, too many records or impossible numbers. Long names are cut.
Result<std::vector<LaunchRecord>> launch_records_from_json(const Json& json, const char* key);

}  // namespace stitch
