// SPDX-License-Identifier: Apache-2.0
// What was decided of each candidate, appended window by window. Only whole windows count: a process that is killed
// while it writes leaves a piece of one, which the next opening cuts off, so that its candidates are made again and
// nothing stands twice.
#pragma once

#include <filesystem>
#include <vector>

#include "base/process/descriptor.h"
#include "synth/folder/candidate.h"
#include "synth/folder/settings.h"

namespace stitch::synth {

class Journal {
 public:
  // Begins one, or opens one that was begun by the same settings (else kUsage). Held by one process at a time:
  // kEnvironment where another has it. kFileInvalid where a whole window cannot be read.
  static Result<Journal> open(const std::filesystem::path& path, const Settings& settings);

  // Of all whole windows, in order.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  size_t windows() const { return windows_; }
  // One more window, on the disk when it returns.
  Result<void> append(const std::vector<Candidate>& window);

 private:
  explicit Journal(Descriptor file) : file_(std::move(file)) {}
  Result<void> read(const std::filesystem::path& path, const Settings& settings);
  Result<void> write(const std::string& text);

  Descriptor file_;
  std::vector<Candidate> candidates_;
  size_t windows_ = 0;
};

}  // namespace stitch::synth
