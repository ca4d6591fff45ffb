// SPDX-License-Identifier: Apache-2.0
#include "control/host_bytes.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "control/apart.h"
#include "stitch_emulator_control.h"

namespace stitch_emulator {
namespace {

// A destination, a source and a count.
constexpr size_t kRequestBytes = 24;
// What repeats itself so soon is a fill, and says no more than one that is set.
constexpr size_t kMaxPeriod = 16;
constexpr size_t kWord = 4;

using Bytes = std::shared_ptr<const std::vector<char>>;

struct Piece {
  size_t bytes;
  uint64_t command;
  Bytes said{};  // by the host; null: nothing
  size_t at = 0;
};

std::mutex bytes_mutex;
std::atomic<bool> is_watching{false};
std::atomic<uint64_t> commands{0};

std::map<char*, Piece>& pieces() {
  static std::map<char*, Piece> map;
  return map;
}
// Bytes that are left of each command's, wherever they lie.
std::map<uint64_t, size_t>& left() {
  static std::map<uint64_t, size_t> map;
  return map;
}

// The first piece that ends behind `start`.
std::map<char*, Piece>::iterator first_behind(char* start) {
  auto found = pieces().upper_bound(start);
  if (found != pieces().begin() && std::prev(found)->first + std::prev(found)->second.bytes > start) {
    --found;
  }
  return found;
}

void split_at(char* address) {
  const auto found = first_behind(address);
  if (found == pieces().end() || found->first >= address) {
    return;
  }
  const auto before = static_cast<size_t>(address - found->first);
  Piece rest = found->second;
  rest.bytes -= before;
  rest.at += before;
  found->second.bytes = before;
  pieces()[address] = std::move(rest);
}

void forget(char* start, size_t bytes) {
  split_at(start);
  split_at(start + bytes);
  for (auto each = first_behind(start); each != pieces().end() && each->first < start + bytes;) {
    left()[each->second.command] -= each->second.bytes;
    each = pieces().erase(each);
  }
}

void add(char* start, Piece piece) {
  left()[piece.command] += piece.bytes;
  pieces()[start] = std::move(piece);
}

bool is_hosts(const Piece& piece) { return piece.said != nullptr || left()[piece.command] < kRequestBytes; }

bool is_fill(const char* bytes, size_t count) {
  for (size_t period = 1; period <= kMaxPeriod && count >= kRequestBytes; period *= 2) {
    if (std::memcmp(bytes, bytes + period, count - period) == 0) {
      return true;
    }
  }
  return false;
}

// Calls `take(start, bytes)` for the words of a piece that still are what was brought.
template <typename Take>
void for_what_stayed(char* start, const Piece& piece, const Take& take) {
  for (char* at = start; at < start + piece.bytes;) {
    char* const word_end = at + (kWord - reinterpret_cast<uintptr_t>(at) % kWord);
    const auto bytes = static_cast<size_t>(std::min(word_end, start + piece.bytes) - at);
    const char* const said = piece.said == nullptr ? at : piece.said->data() + piece.at + (at - start);
    if (std::memcmp(at, said, bytes) == 0) {
      take(at, bytes);
    }
    at += bytes;
  }
}

// What the host said of the source, by distance from its start.
std::map<size_t, size_t> said_of(char* from, size_t bytes) {
  std::map<size_t, size_t> found;
  for (auto each = first_behind(from); each != pieces().end() && each->first < from + bytes; ++each) {
    if (!is_hosts(each->second)) {
      continue;
    }
    for_what_stayed(each->first, each->second, [&](char* at, size_t count) {
      char* const start = std::max(at, from);
      char* const end = std::min(at + count, from + bytes);
      if (start < end) {
        found[static_cast<size_t>(start - from)] = static_cast<size_t>(end - start);
      }
    });
  }
  return found;
}

Bytes kept(const char* bytes, size_t count) { return std::make_shared<const std::vector<char>>(bytes, bytes + count); }

}  // namespace

MemoryCommand::MemoryCommand(size_t bytes) : number_(commands.fetch_add(1)), bytes_(bytes) {}

void MemoryCommand::copies(void* to, const void* from, size_t bytes) const {
  if (!is_watching || bytes == 0 || !is_on_device(to)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(bytes_mutex);
  auto* const start = static_cast<char*>(to);
  auto* const source = static_cast<char*>(const_cast<void*>(from));
  const bool is_from_host = !is_on_device(from);
  const bool is_said = is_from_host ? !is_fill(source, bytes) : bytes_ < kRequestBytes;
  if (is_said) {
    forget(start, bytes);
    add(start, {bytes, number_, kept(source, bytes)});
    return;
  }
  const auto said = is_from_host ? std::map<size_t, size_t>{} : said_of(source, bytes);
  const Bytes contents = said.empty() ? nullptr : kept(source, bytes);
  forget(start, bytes);
  size_t done = 0;
  for (const auto& [at, count] : said) {
    if (at > done) {
      add(start + done, {at - done, number_});
    }
    add(start + at, {count, number_, contents, at});
    done = at + count;
  }
  if (bytes > done) {
    add(start + done, {bytes - done, number_});
  }
}

void MemoryCommand::sets(void* to, int value, size_t bytes) const {
  if (!is_watching || bytes == 0 || !is_on_device(to)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(bytes_mutex);
  forget(static_cast<char*>(to), bytes);
  const bool is_said = bytes_ < kRequestBytes;
  add(static_cast<char*>(to),
      {bytes, number_, is_said ? std::make_shared<const std::vector<char>>(bytes, static_cast<char>(value)) : Bytes()});
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_watch_host_bytes(int on) {
  const std::lock_guard<std::mutex> lock(bytes_mutex);
  is_watching = on != 0;
  if (on != 0) {
    pieces().clear();
    left().clear();
  }
}

size_t stitch_emulator_get_host_bytes(struct stitch_emulator_range* ranges, size_t capacity) {
  const DeviceAccess access;
  const std::lock_guard<std::mutex> lock(bytes_mutex);
  size_t count = 0;
  char* end = nullptr;
  for (const auto& [start, piece] : pieces()) {
    if (!is_hosts(piece)) {
      continue;
    }
    for_what_stayed(start, piece, [&](char* at, size_t bytes) {
      if (at == end && count > 0) {
        if (count <= capacity) {
          ranges[count - 1].bytes += bytes;
        }
      } else {
        if (count < capacity) {
          ranges[count] = {at, bytes};
        }
        ++count;
      }
      end = at + bytes;
    });
  }
  return count;
}

}  // extern "C"
