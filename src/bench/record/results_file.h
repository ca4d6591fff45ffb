// SPDX-License-Identifier: Apache-2.0
// results.jsonl: what has ended stays, whatever becomes of the run. A line is appended whole and is on the disk before
// the next task begins; half a line at the end, which a power cut may leave, is taken off when the file is opened
// again.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "base/process/descriptor.h"
#include "bench/record/task_result.h"

namespace stitch::bench {

// Of a file that may still be written to. kFileInvalid names the line that is no result.
Result<std::vector<TaskResult>> read_results(const std::filesystem::path& file);

class ResultsFile {
 public:
  // Opens or makes it. kEnvironment where another process writes to it.
  static Result<ResultsFile> open(const std::filesystem::path& file);

  // Those that it had when it was opened.
  const std::vector<TaskResult>& known() const { return known_; }
  // From any thread.
  Result<void> append(const TaskResult& result);

 private:
  explicit ResultsFile(Descriptor file) : file_(std::move(file)), mutex_(std::make_unique<std::mutex>()) {}

  Descriptor file_;
  std::unique_ptr<std::mutex> mutex_;
  std::vector<TaskResult> known_;
};

}  // namespace stitch::bench
