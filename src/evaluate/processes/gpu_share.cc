// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/gpu_share.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/process/descriptor.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{100};

// When a process began, in ticks since the machine did: its number may be another's by now. Empty for one that is gone.
std::string beginning_of(int64_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t name_end = text.rfind(')');  // the name before it may hold anything
  if (name_end == std::string::npos) {
    return "";
  }
  constexpr int kFieldsBehindTheName = 20;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < kFieldsBehindTheName; ++i) {
    fields >> field;
  }
  return field;
}

// One line: "number process beginning bytes".
struct Entry {
  uint64_t number = 0;  // no two alike
  int64_t process = 0;
  std::string beginning;
  uint64_t bytes = 0;

  std::string mark() const { return fmt::format("{} {} {}", number, process, beginning); }
};

// The queue, which nobody else reads or writes meanwhile.
class LockedQueue {
 public:
  static Result<LockedQueue> open(const fs::path& file) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    LockedQueue queue(file, Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)));
    if (!queue.lock_.is_open() || ::flock(queue.lock_.get(), LOCK_EX) != 0) {
      return failure(ErrorCode::kEnvironment, "the queue for the GPU's memory cannot be written", file.string());
    }
    return queue;
  }

  // Of processes that are there.
  std::vector<Entry> read() const {
    std::ifstream stream(file_);
    std::vector<Entry> entries;
    Entry entry;
    while (stream >> entry.number >> entry.process >> entry.beginning >> entry.bytes) {
      if (beginning_of(entry.process) == entry.beginning) {
        entries.push_back(entry);
      }
    }
    return entries;
  }

  void write(const std::vector<Entry>& entries) const {
    std::ofstream stream(file_, std::ios::trunc);
    for (const Entry& entry : entries) {
      stream << entry.mark() << ' ' << entry.bytes << '\n';
    }
  }

 private:
  LockedQueue(fs::path file, Descriptor lock) : file_(std::move(file)), lock_(std::move(lock)) {}
  fs::path file_;
  Descriptor lock_;
};

Result<std::string> join(const fs::path& file, uint64_t bytes) {
  STITCH_ASSIGN(const LockedQueue queue, LockedQueue::open(file));
  std::vector<Entry> entries = queue.read();
  const auto process = static_cast<int64_t>(::getpid());
  const uint64_t number = entries.empty() ? 1 : entries.back().number + 1;  // those before it rise
  entries.push_back({number, process, beginning_of(process), bytes});
  queue.write(entries);
  return entries.back().mark();
}

// What those that came before take.
Result<uint64_t> taken_before(const fs::path& file, const std::string& mark) {
  STITCH_ASSIGN(const LockedQueue queue, LockedQueue::open(file));
  uint64_t taken = 0;
  for (const Entry& entry : queue.read()) {
    if (entry.mark() == mark) {
      break;
    }
    taken += entry.bytes;
  }
  return taken;
}

}  // namespace

Result<GpuShare> GpuShare::take(const fs::path& queue, uint64_t bytes, uint64_t total_bytes,
                                const std::function<void(uint64_t taken_bytes)>& waiting) {
  STITCH_ASSIGN(std::string mark, join(queue, bytes));
  GpuShare share(queue, mark);
  for (bool is_told = false;; is_told = true) {
    STITCH_ASSIGN(const uint64_t taken, taken_before(queue, mark));
    if (taken == 0 || taken + bytes <= total_bytes) {
      return share;
    }
    if (!is_told && waiting) {
      waiting(taken);
    }
    std::this_thread::sleep_for(kPause);
  }
}

GpuShare::GpuShare(GpuShare&& other) noexcept
    : queue_(std::move(other.queue_)), mark_(std::exchange(other.mark_, std::string())) {}

GpuShare& GpuShare::operator=(GpuShare&& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(mark_, other.mark_);
  return *this;
}

Result<std::vector<int64_t>> GpuShare::processes() const {
  STITCH_ASSIGN(const LockedQueue queue, LockedQueue::open(queue_));
  std::vector<int64_t> processes;
  for (const Entry& entry : queue.read()) {
    processes.push_back(entry.process);
  }
  return processes;
}

GpuShare::~GpuShare() {
  if (mark_.empty()) {
    return;
  }
  const Result<LockedQueue> queue = LockedQueue::open(queue_);
  if (!queue.has_value()) {
    return;  // our line counts no more once this process is gone
  }
  std::vector<Entry> entries = queue->read();
  std::erase_if(entries, [&](const Entry& entry) { return entry.mark() == mark_; });
  queue->write(entries);
}

}  // namespace stitch::evaluate
