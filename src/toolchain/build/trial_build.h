// SPDX-License-Identifier: Apache-2.0
// Builds a program so small that only the tools can be at fault when it fails. This distinguishes a broken compiler
// from a candidate that does not compile.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "base/error/result.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

class TrialBuild {
 public:
  TrialBuild(const Target& target, const Toolchain& tools) : target_(target), tools_(tools) {}

  // Succeeds when the small program builds with the same tools and flags. Otherwise kEnvironment, with the broken tool
  // and what to do. `prelude` is as in compile_command; a damaged one is removed where it can be made again. The answer
  // is remembered. Safe to call from many threads.
  Result<void> run(const std::filesystem::path& prelude);

 private:
  Result<void> ask(const std::filesystem::path& prelude) const;
  Result<void> build(const std::filesystem::path& folder, const Target& target,
                     const std::filesystem::path& prelude) const;

  const Target& target_;
  const Toolchain& tools_;
  std::mutex mutex_;
  std::optional<Result<void>> answer_;
};

}  // namespace stitch::toolchain
