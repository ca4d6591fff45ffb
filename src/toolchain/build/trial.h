// SPDX-License-Identifier: Apache-2.0
// A program so small that nothing but the tools can be at fault when it does not build: what tells a broken compiler
// from a candidate that does not compile.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "base/error/result.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

class Trial {
 public:
  Trial(const Target& target, const Toolchain& tools) : target_(target), tools_(tools) {}

  // kEnvironment, with the tool that is broken and what to do, unless the little program builds with the same tools and
  // flags. `prelude` as in compile_command: one that spoils it is removed where it can be made again. The answer is
  // remembered. Safe to call from many threads.
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
