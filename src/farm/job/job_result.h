// SPDX-License-Identifier: Apache-2.0
// What became of a job (`stitchcuda.job_result/1`): how the verb's process ended, what it said, and the files it left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "farm/job/job.h"

namespace stitch::farm {

struct JobResult {
  std::string refusal{};  // why no process was started: it is no job; empty: one was
  int exit_code = 0;
  int signal = 0;
  bool timed_out = false;
  bool is_out_of_memory = false;
  double seconds = 0;
  std::string answer{};             // digest of what it wrote to stdout
  std::string last_words{};         // the end of stderr
  std::vector<PlacedFile> files{};  // below --out
  std::string worker{};
  std::string device{};  // "NVIDIA H200"; empty: none was used
  int delivery = 1;
};

std::string to_text(const JobResult& result);
Result<JobResult> read_job_result(std::string_view text);

}  // namespace stitch::farm
