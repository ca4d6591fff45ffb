// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/ledger_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace stitch::evaluate {
namespace {

constexpr size_t kMaxEntries = 1000;
constexpr size_t kMaxReads = 16;  // at a time, as much as a pipe can hold: who never stops must not keep us here
constexpr const char* kForged = "wrote into the pipe that tells what it does";
constexpr size_t kNamed = 6;  // operators that a sentence lists

std::string with_location(const std::string& what, const std::string& location) {
  return location.empty() ? what : fmt::format("{} at {}", what, location);
}

// Bytes of a hostile process on their way to a person's terminal.
std::string printable(std::string text) {
  for (char& character : text) {
    if (character < 0x20 || character == 0x7f) {
      character = '?';
    }
  }
  return text;
}

}  // namespace

Result<LedgerPipe> LedgerPipe::make() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a pipe: {}", std::strerror(errno)), {},
                   "close some programs: this process has no file descriptors left");
  }
  LedgerPipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

LedgerReader::LedgerReader(Descriptor pipe, std::shared_ptr<CandidateLedger> ledger, std::vector<std::string> libraries)
    : pipe_(std::move(pipe)),
      ledger_(ledger == nullptr ? std::make_shared<CandidateLedger>() : std::move(ledger)),
      libraries_(std::move(libraries)) {}

std::optional<std::string> LedgerReader::read() {
  receive();
  if (!ledger_->events.empty()) {
    return "the candidate " + ledger_->events.front();
  }
  if (ledger_->operators.empty()) {
    return std::nullopt;
  }
  std::string list;
  for (size_t i = 0; i < std::min(ledger_->operators.size(), kNamed); ++i) {
    list += (list.empty() ? "" : ", ") + with_location(ledger_->operators[i], ledger_->places[i]);
  }
  const size_t more = ledger_->operators.size() - std::min(ledger_->operators.size(), kNamed);
  return fmt::format("PyTorch computes in place of the candidate: {}{}", list,
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// The observer writes whole lines, each at once. Half a line, or a stream without an end, is somebody else's, who would
// have the next line spoilt or never read.
void LedgerReader::receive() {
  std::array<char, 65536> buffer;
  bool is_empty = false;
  for (size_t reads = 0; reads < kMaxReads && !is_empty; ++reads) {
    const ssize_t size = ::read(pipe_.get(), buffer.data(), buffer.size());
    is_empty = size <= 0;
    received_.append(buffer.data(), static_cast<size_t>(is_empty ? 0 : size));
    size_t start = 0;
    for (size_t end = 0; (end = received_.find('\n', start)) != std::string::npos; start = end + 1) {
      take(received_.substr(start, end - start));
    }
    received_.erase(0, start);
  }
  if (!is_empty || !received_.empty()) {
    accuse(kForged);
    received_.clear();
  }
}

void LedgerReader::accuse(const std::string& message) {
  if (ledger_->events.size() < kMaxEntries) {
    ledger_->events.push_back(message);
  }
}

// No line is left out for being one too many: the one that matters could be the next.
void LedgerReader::take(const std::string& line) {
  const size_t first = line.find('\t');
  const size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
  const size_t taken = ledger_->operators.size() + ledger_->libraries.size();
  if (second == std::string::npos || taken >= kMaxEntries) {
    accuse(kForged);
    return;
  }
  const std::string kind = line.substr(0, first);
  const std::string what = printable(line.substr(first + 1, second - first - 1));
  const std::string location = printable(line.substr(second + 1));
  if (kind == "operator") {
    ledger_->operators.push_back(what);
    ledger_->places.push_back(location);
  } else if (kind == "event") {
    accuse(with_location(what, location));
  } else if (kind == "library") {
    const bool can_be = std::find(libraries_.begin(), libraries_.end(), what) != libraries_.end();
    if (can_be && std::find(ledger_->libraries.begin(), ledger_->libraries.end(), what) == ledger_->libraries.end()) {
      ledger_->libraries.push_back(what);  // told each time that it is loaded
    }
  } else if (kind == "enforced") {
    is_enforced_ = true;
  } else if (kind == "trial") {
    ++trials_;
  } else if (kind != "own") {
    accuse(kForged);
  }
}

}  // namespace stitch::evaluate
