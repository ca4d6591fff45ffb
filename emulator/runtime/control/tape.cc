// SPDX-License-Identifier: Apache-2.0
#include "control/tape.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "api/state.h"
#include "control/apart.h"
#include "fault/fault.h"
#include "stitch_emulator_control.h"

namespace stitch_emulator {
namespace {

// Of a call beyond these nothing can be said: it is no faster for that.
constexpr size_t kMaxCommands = size_t{1} << 18;
constexpr size_t kMaxBytes = size_t{256} << 20;
constexpr size_t kWord = 4;

enum class Mode { kOff, kKeeping, kPlaying };

// Bytes that the host wrote into memory which kernels can read: pinned, managed or registered.
struct HostWrite {
  char* at;
  std::vector<char> bytes;
};
struct Command {
  std::vector<HostWrite> before;
  std::function<cudaError_t()> work;
};

// A copy, and the bytes that it took from the host.
struct Copy {
  bool is_hosts;
  std::vector<char> bytes;
};

struct Tape {
  std::vector<Command> commands;
  std::vector<Copy> copies;                 // in the order in which they are made
  std::map<char*, std::vector<char>> seen;  // what memory that both see held after the last command
  std::vector<HostWrite> first_contents;    // of memory that was named, before the first command
  std::vector<HostWrite> first_on_device;   // of the device's own
  bool gives_device_back = false;
  std::vector<std::function<void()>> releases;
  size_t bytes = 0;
  bool is_whole = true;
  // While it is played.
  size_t next_command = 0;
  size_t next_copy = 0;
  std::vector<HostWrite> as_it_was;                   // memory that is given back at the end
  std::vector<stitch_emulator_range> lies_on_device;  // beside what the device knows itself
  std::vector<HostWrite> written_over;                // in variables of the program
};

std::recursive_mutex tape_mutex;
std::atomic<Mode> mode{Mode::kOff};
std::atomic<uint64_t> told{0};
thread_local bool is_within = false;

Tape& tape() {
  static Tape kept;
  return kept;
}

bool has_room_for(size_t bytes) {
  tape().bytes += bytes;
  tape().is_whole = tape().is_whole && tape().bytes <= kMaxBytes && tape().commands.size() < kMaxCommands;
  return tape().is_whole;
}

// A variable of a loaded library, as those of kernels are.
bool is_variable(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0;
}

bool is_visible(const void* address) {
  const auto pieces = visible_pieces();
  return std::any_of(pieces.begin(), pieces.end(), [&](const MemoryPiece& piece) {
    return address >= piece.start && address < piece.start + piece.bytes;
  });
}

// Calls `take(at, bytes)` for each run of words that are not as they were.
template <typename Take>
void for_changes(const char* now, const std::vector<char>& before, const Take& take) {
  size_t start = 0;
  bool is_run = false;
  for (size_t at = 0; at < before.size(); at += kWord) {
    const bool differs = std::memcmp(now + at, before.data() + at, std::min(kWord, before.size() - at)) != 0;
    if (is_run && !differs) {
      take(start, at - start);
    }
    start = differs && !is_run ? at : start;
    is_run = differs;
  }
  if (is_run) {
    take(start, before.size() - start);
  }
}

// Looks through memory that both see. `take(at, bytes)` has what was changed since it was seen last, or is new.
template <typename Take>
void see_changes(const Take& take) {
  for (const MemoryPiece& piece : visible_pieces()) {
    auto* const start = const_cast<char*>(piece.start);
    std::vector<char>& before = tape().seen[start];
    if (before.size() == piece.bytes && std::memcmp(before.data(), start, piece.bytes) == 0) {
      continue;
    }
    if (before.size() != piece.bytes) {
      take(start, piece.bytes);
    } else {
      for_changes(start, before, [&](size_t at, size_t bytes) { take(start + at, bytes); });
    }
    if (!has_room_for(before.size() == piece.bytes ? 0 : piece.bytes)) {
      return;
    }
    before.assign(start, start + piece.bytes);
  }
}

void keep(const std::function<cudaError_t()>& work) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  if (!has_room_for(sizeof(Command))) {
    return;
  }
  Command command{{}, work};
  see_changes([&](char* at, size_t bytes) {
    if (has_room_for(bytes)) {
      command.before.push_back({at, std::vector<char>(at, at + bytes)});
    }
  });
  tape().commands.push_back(std::move(command));
}

// What a kernel or a copy has left where the host can read it.
void see_what_was_done() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  if (tape().is_whole) {
    see_changes([](char*, size_t bytes) { told += bytes; });
  }
}

void forget_commands() {
  for (const auto& release : tape().releases) {
    release();
  }
  tape() = Tape{};
}

// Of the caller's own word.
bool lies_on_device(const void* address) {
  const auto* const byte = static_cast<const char*>(address);
  return std::ranges::any_of(tape().lies_on_device, [&](const stitch_emulator_range& range) {
    const auto* const start = static_cast<const char*>(range.start);
    return byte >= start && byte < start + range.bytes;
  });
}

void write(const std::vector<HostWrite>& writes) {
  for (const HostWrite& each : writes) {
    std::memcpy(each.at, each.bytes.data(), each.bytes.size());
  }
}

std::vector<HostWrite> contents_of(const std::vector<MemoryPiece>& pieces) {
  std::vector<HostWrite> contents;
  for (const MemoryPiece& piece : pieces) {
    contents.push_back({const_cast<char*>(piece.start), std::vector<char>(piece.start, piece.start + piece.bytes)});
  }
  return contents;
}

void keep_first_contents(const stitch_emulator_range* memory, size_t count) {
  std::vector<MemoryPiece> named;
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    named.push_back({static_cast<const char*>(memory[i].start), memory[i].bytes});
    bytes += memory[i].bytes;
  }
  const std::vector<MemoryPiece> own = device_pieces();
  for (const MemoryPiece& piece : own) {
    bytes += piece.bytes;
  }
  if (has_room_for(bytes)) {
    tape().first_contents = contents_of(named);
    tape().first_on_device = contents_of(own);
  }
  tape().gives_device_back = true;
}

}  // namespace

bool keeps_commands() { return mode == Mode::kKeeping; }

bool plays_commands() { return mode == Mode::kPlaying; }

void release_with_commands(std::function<void()> release) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  tape().releases.push_back(std::move(release));
}

cudaError_t do_command(const std::function<cudaError_t()>& work) {
  if (!keeps_commands() || is_within) {
    return work();
  }
  is_within = true;
  keep(work);
  const cudaError_t result = work();
  see_what_was_done();
  is_within = false;
  return result;
}

const void* source_of_copy(void* to, const void* from, size_t bytes) {
  if (mode == Mode::kOff) {
    return from;
  }
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  const bool is_hosts = !is_on_device(from);
  if (keeps_commands()) {
    told += !is_on_device(to) && (!is_hosts || is_variable(from)) ? bytes : 0;
    if (has_room_for(is_hosts ? bytes : sizeof(Copy))) {
      const auto* const start = static_cast<const char*>(from);
      tape().copies.push_back({is_hosts, is_hosts ? std::vector<char>(start, start + bytes) : std::vector<char>()});
    }
    return from;
  }
  if (tape().next_copy >= tape().copies.size()) {
    return nullptr;
  }
  const Copy& copy = tape().copies[tape().next_copy++];
  if (copy.is_hosts && !lies_on_device(from)) {
    from = copy.bytes.size() == bytes ? copy.bytes.data() : nullptr;
  }
  if (from != nullptr && !is_on_device(to) && !lies_on_device(to) && !is_visible(to)) {
    if (!is_variable(to)) {
      return nullptr;
    }
    const auto* const start = static_cast<const char*>(to);
    tape().written_over.push_back({static_cast<char*>(to), std::vector<char>(start, start + bytes)});
  }
  return from;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_keep_commands(int on) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  if (on != 0) {
    forget_commands();
    told = 0;
  }
  mode = on != 0 ? Mode::kKeeping : Mode::kOff;
}

void stitch_emulator_keep_commands_from(const stitch_emulator_range* memory, size_t count) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  const DeviceAccess access;
  stitch_emulator_keep_commands(1);
  keep_first_contents(memory, count);
}

void stitch_emulator_put_first_contents_back() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  const DeviceAccess access;
  write(tape().first_contents);
  for (const HostWrite& first : tape().first_on_device) {
    const MemoryPiece piece = allocated_piece(first.at);
    if (piece.start == first.at && piece.bytes == first.bytes.size()) {
      std::memcpy(first.at, first.bytes.data(), piece.bytes);
    }
  }
}

void stitch_emulator_forget_commands() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  mode = Mode::kOff;
  forget_commands();
}

uint64_t stitch_emulator_bytes_told() { return told; }

size_t stitch_emulator_count_commands() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  return tape().commands.size();
}

int stitch_emulator_begin_playing(const stitch_emulator_range* on_device, size_t count, size_t given_back) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  if (mode != Mode::kOff || !tape().is_whole || kernel_faulted()) {
    return 0;
  }
  const DeviceAccess access;
  tape().as_it_was = contents_of(visible_pieces());
  if (tape().gives_device_back) {
    std::ranges::move(contents_of(device_pieces()), std::back_inserter(tape().as_it_was));
  }
  tape().lies_on_device.assign(on_device, on_device + count);
  for (size_t i = 0; i < given_back; ++i) {
    auto* const start = static_cast<char*>(on_device[i].start);
    tape().as_it_was.push_back({start, std::vector<char>(start, start + on_device[i].bytes)});
  }
  tape().next_command = 0;
  tape().next_copy = 0;
  return 1;
}

int stitch_emulator_play_up_to(size_t end) {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  const std::vector<Command>& commands = tape().commands;
  mode = Mode::kPlaying;
  cudaError_t result = cudaSuccess;
  while (tape().next_command < std::min(end, commands.size()) && result == cudaSuccess) {
    const Command& command = commands[tape().next_command++];
    write(command.before);
    result = command.work();
  }
  mode = Mode::kOff;
  return result == cudaSuccess && !kernel_faulted() ? 1 : 0;
}

void stitch_emulator_end_playing() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  forgive_fault();
  const DeviceAccess access;
  write(tape().as_it_was);
  tape().as_it_was.clear();
  tape().lies_on_device.clear();
  std::reverse(tape().written_over.begin(), tape().written_over.end());
  write(tape().written_over);
  tape().written_over.clear();
}

int stitch_emulator_play_commands() {
  const std::lock_guard<std::recursive_mutex> lock(tape_mutex);
  if (tape().commands.empty() || stitch_emulator_begin_playing(nullptr, 0, 0) == 0) {
    return 0;
  }
  stitch_emulator_play_up_to(tape().commands.size());
  const bool has_ended_well = !kernel_faulted();
  stitch_emulator_end_playing();
  return has_ended_well ? 1 : 0;
}

}  // extern "C"
