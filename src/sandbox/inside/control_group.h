// SPDX-License-Identifier: Apache-2.0
// Control groups, version 2: limits of memory and processes for the whole tree, where a group has been delegated to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error/result.h"

namespace stitch::sandbox {

// A folder below which we may make groups whose memory and processes can be limited.
Result<std::string> delegated_group();

class ControlGroup {
 public:
  static Result<ControlGroup> make(std::optional<uint64_t> memory_bytes, uint64_t process_count);
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();  // ends everything in it
  // Adds the caller, and what it starts from now on.
  Result<void> join() const;

 private:
  explicit ControlGroup(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace stitch::sandbox
