// SPDX-License-Identifier: Apache-2.0
// One at a time makes what a cache keeps under a key; whoever else wants the same waits for it, in this process or in
// another one. The kernel holds the turn, by a lock on a file of the key, so that a process that dies gives it back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/process/descriptor.h"

namespace stitch::toolchain {

// How long a turn is waited for.
struct TurnWait {
  int64_t limit_ms = 0;                  // by the clock
  std::function<bool()> is_abandoned{};  // asked again and again; may be empty
};

// Between load() and store() of a cache: take the turn, load once more, make, store, let go.
class KeyTurn {
 public:
  // nullopt where somebody else has it. Where the file system has no locks, or the folder cannot be written to, there
  // is nothing to hold: everybody gets a turn, and makes the same thing side by side.
  static std::optional<KeyTurn> try_take(const std::filesystem::path& cache, const std::string& key);

  // Waits until it is had, or until whoever has it is done. It holds nothing, and who asked goes on as if alone, where
  // the wait was abandoned or took too long, and where the other is done without having made the thing (`is_made`):
  // what does not compile is not waited for again, one after another.
  static KeyTurn wait(const std::filesystem::path& cache, const std::string& key, const TurnWait& wait,
                      const std::function<bool()>& is_made);

  KeyTurn(KeyTurn&& other) noexcept;
  KeyTurn& operator=(KeyTurn&& other) noexcept;
  // Removes the file, then gives the lock back.
  ~KeyTurn();

  bool is_held() const { return lock_.is_open(); }

 private:
  KeyTurn() = default;
  KeyTurn(std::filesystem::path file, Descriptor lock) : file_(std::move(file)), lock_(std::move(lock)) {}

  std::filesystem::path file_;
  Descriptor lock_;
};

// Removes the files of turns that nobody has: whoever had them was killed.
void remove_abandoned_turns(const std::filesystem::path& cache);

}  // namespace stitch::toolchain
