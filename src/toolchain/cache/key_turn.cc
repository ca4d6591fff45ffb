// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache/key_turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/fs/files.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kTurns = "turns";
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kMaxPause{50};  // what it guards takes a second or more

enum class Attempt {
  kTaken,
  kHeld,        // by somebody else
  kOver,        // whoever had it is done: the file has no name any more, and a lock on it means nothing
  kImpossible,  // no locks here
};

Descriptor open_turn(const fs::path& file) {
  const Result<void> made = make_directories(file.parent_path());
  return made.has_value() ? Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644))
                          : Descriptor();
}

bool has_name(const Descriptor& file) {
  struct stat found {};
  return ::fstat(file.get(), &found) == 0 && found.st_nlink > 0;
}

Attempt try_lock(const Descriptor& file) {
  if (!file.is_open()) {
    return Attempt::kImpossible;
  }
  const bool is_ours = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  if (!is_ours && errno != EWOULDBLOCK && errno != EINTR) {
    return Attempt::kImpossible;
  }
  // Asked behind the lock: whoever had it takes the name away before the lock is given back.
  if (!has_name(file)) {
    return Attempt::kOver;
  }
  return is_ours ? Attempt::kTaken : Attempt::kHeld;
}

}  // namespace

std::optional<KeyTurn> KeyTurn::try_take(const fs::path& cache, const std::string& key) {
  const fs::path file = cache / kTurns / key;
  for (;;) {
    Descriptor lock = open_turn(file);
    switch (try_lock(lock)) {
      case Attempt::kTaken:
        return KeyTurn(file, std::move(lock));
      case Attempt::kHeld:
        return std::nullopt;
      case Attempt::kImpossible:
        return KeyTurn();
      case Attempt::kOver:
        break;
    }
  }
}

KeyTurn KeyTurn::wait(const fs::path& cache, const std::string& key, const TurnWait& wait,
                      const std::function<bool()>& is_made) {
  const fs::path file = cache / kTurns / key;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(wait.limit_ms);
  Descriptor lock = open_turn(file);
  for (std::chrono::milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kMaxPause)) {
    const Attempt attempt = try_lock(lock);
    if (attempt == Attempt::kTaken) {
      return KeyTurn(file, std::move(lock));
    }
    const bool is_vain = Clock::now() >= end || (wait.is_abandoned && wait.is_abandoned());
    if (attempt != Attempt::kHeld || is_vain || is_made()) {
      return KeyTurn();
    }
    std::this_thread::sleep_for(pause);
  }
}

KeyTurn::KeyTurn(KeyTurn&& other) noexcept : file_(std::move(other.file_)), lock_(std::move(other.lock_)) {}

KeyTurn& KeyTurn::operator=(KeyTurn&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(lock_, other.lock_);
  return *this;
}

KeyTurn::~KeyTurn() {
  if (is_held()) {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
}

void remove_abandoned_turns(const fs::path& cache) {
  std::error_code error;
  for (fs::directory_iterator entry(cache / kTurns, error), end; !error && entry != end; entry.increment(error)) {
    const Descriptor lock(::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (try_lock(lock) == Attempt::kTaken) {
      std::error_code ignored;
      fs::remove(entry->path(), ignored);
    }
  }
}

}  // namespace stitch::toolchain
