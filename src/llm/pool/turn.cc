// SPDX-License-Identifier: Apache-2.0
#include "llm/pool/turn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/fs/files.h"
#include "base/process/descriptor.h"
#include "base/process/identity.h"
#include "llm/pool/turn_book.h"

namespace stitch::llm {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLookAbandonedMs = 100;
constexpr int64_t kLookGoneMs = 1000;  // a process that was killed writes nothing that would wake those who wait

int64_t milliseconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Unexpected no_queue(const std::string& folder) {
  return failure(ErrorCode::kEnvironment, "the queue of those who ask the endpoint cannot be written", folder,
                 "make room and check permissions, or name another folder with STITCHCUDA_STATE");
}

// The book, which nobody else reads or writes meanwhile.
class OpenBook {
 public:
  static Result<OpenBook> open(const std::string& folder) {
    STITCH_TRY(make_directories(folder));
    OpenBook open(folder);
    open.lock_ = Descriptor(::open((fs::path(folder) / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!open.lock_.is_open() || ::flock(open.lock_.get(), LOCK_EX) != 0) {
      return no_queue(folder);
    }
    const Result<std::string> text = read_file(open.file_);
    open.book = turn_book_from_text(text.has_value() ? *text : "");
    tidy(open.book, milliseconds_since_1970(), is_alive);
    return open;
  }

  // Renamed into its place, which wakes those who wait.
  Result<void> write() const { return write_file(file_, to_text(book)); }

  TurnBook book{};

 private:
  explicit OpenBook(const std::string& folder) : file_(fs::path(folder) / "book") {}
  fs::path file_;
  Descriptor lock_;
};

// Hears of each new version of the book.
class BookWatch {
 public:
  explicit BookWatch(const std::string& folder) : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (events_.is_open()) {
      ::inotify_add_watch(events_.get(), folder.c_str(), IN_MOVED_TO);
    }
  }

  // Until there is one, or so long. False where it was abandoned.
  bool sleep(int64_t wait_ms, const std::function<bool()>& is_abandoned) {
    for (int64_t left_ms = wait_ms; left_ms > 0; left_ms -= kLookAbandonedMs) {
      if (is_abandoned && is_abandoned()) {
        return false;
      }
      pollfd polled{.fd = events_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&polled, 1, static_cast<int>(std::min(left_ms, kLookAbandonedMs))) > 0) {
        std::array<char, 4096> heard{};
        while (::read(events_.get(), heard.data(), heard.size()) > 0) {
        }
        return true;
      }
    }
    return true;
  }

 private:
  Descriptor events_;
};

std::string in_words(const TurnBook& book, int64_t number, std::optional<int64_t> wait_ms) {
  if (wait_ms.has_value()) {
    return fmt::format("waits {} s for the endpoint's rate", (*wait_ms + 999) / 1000);
  }
  const auto before =
      std::count_if(book.tickets.begin(), book.tickets.end(), [&](const Ticket& each) { return each.number < number; });
  return fmt::format("waits for the endpoint: {} before it", before);
}

void leave(const std::string& folder, int64_t number) {
  Result<OpenBook> open = OpenBook::open(folder);
  if (open.has_value()) {  // else our ticket counts no more once this process is gone
    remove_ticket(open->book, number);
    const Result<void> ignored = open->write();
    (void)ignored;
  }
}

}  // namespace

Result<std::optional<Turn>> Turn::wait(const PoolUse& use, const Waiting& waiting) {
  STITCH_TRY(make_directories(use.folder));
  BookWatch watch(use.folder);
  int64_t number = 0;
  for (bool is_told = false;;) {
    std::optional<int64_t> wait_ms;
    {
      STITCH_ASSIGN(OpenBook open, OpenBook::open(use.folder));
      const bool is_new = find_ticket(open.book, number) == nullptr;
      number = is_new ? add_ticket(open.book, own_identity()) : number;
      const int64_t now_ms = milliseconds_since_1970();
      wait_ms = wait_of(open.book, number, use.limits, waiting.tokens, now_ms);
      if (wait_ms == 0) {
        serve(open.book, number, waiting.tokens, now_ms);
      }
      if (wait_ms == 0 || is_new) {
        STITCH_TRY(open.write());
      }
      if (wait_ms == 0) {
        return std::optional(Turn(use.folder, number));
      }
      if (!std::exchange(is_told, true) && waiting.told) {
        waiting.told(in_words(open.book, number, wait_ms));
      }
    }
    if (!watch.sleep(std::min(wait_ms.value_or(kLookGoneMs), kLookGoneMs), waiting.is_abandoned)) {
      leave(use.folder, number);
      return std::optional<Turn>();
    }
  }
}

Turn::Turn(Turn&& other) noexcept : folder_(std::exchange(other.folder_, std::string())), number_(other.number_) {}

Turn& Turn::operator=(Turn&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(number_, other.number_);
  return *this;
}

Turn::~Turn() { end(std::nullopt, 0); }

void Turn::end(std::optional<int64_t> tokens, int64_t closed_ms) {
  const std::string folder = std::exchange(folder_, std::string());
  Result<OpenBook> open = folder.empty() ? Result<OpenBook>(no_queue("")) : OpenBook::open(folder);
  if (!open.has_value()) {
    return;
  }
  remove_ticket(open->book, number_);
  for (SentRequest& each : open->book.sent) {
    each.tokens = each.number == number_ ? tokens.value_or(each.tokens) : each.tokens;
  }
  const int64_t closed_until_ms = closed_ms > 0 ? milliseconds_since_1970() + std::min(closed_ms, kMaxClosedMs) : 0;
  open->book.closed_until_ms = std::max(open->book.closed_until_ms, closed_until_ms);
  const Result<void> ignored = open->write();
  (void)ignored;
}

}  // namespace stitch::llm
