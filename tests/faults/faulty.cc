// SPDX-License-Identifier: Apache-2.0
#include "faulty.h"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "base/json/json.h"

namespace stitch::faults {
namespace {

constexpr int kMaxTailLength = 200;

struct Fault {
  std::string verb;
  int number = 1;
  std::string how;
};

Fault read_fault() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  self.seekg(-kMaxTailLength, std::ios::end);
  const std::string tail{std::istreambuf_iterator<char>(self), {}};
  const size_t mark = tail.rfind(kMark);
  std::istringstream words(mark == std::string::npos ? "" : tail.substr(mark + std::strlen(kMark)));
  Fault fault;
  std::string number;
  std::getline(words, fault.verb, ':');
  std::getline(words, number, ':');
  std::getline(words, fault.how);
  fault.number = std::atoi(number.c_str());
  return fault;
}

void write_to(int channel, const std::string& bytes) {
  if (::send(channel, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
    ::_exit(1);
  }
}

std::string header(wire::FrameKind kind, uint64_t id, uint32_t payload_bytes) {
  const wire::FrameHeader fields{.magic = wire::kFrameMagic,
                                 .kind = static_cast<uint32_t>(kind),
                                 .id = id,
                                 .payload_bytes = payload_bytes,
                                 .descriptor_count = 0};
  return {reinterpret_cast<const char*>(&fields), sizeof(fields)};
}

[[noreturn]] void take_all_memory() {
  constexpr size_t kPiece = size_t{64} << 20;
  while (true) {
    auto piece = std::make_unique<char[]>(kPiece);  // throws, at last
    for (size_t at = 0; at < kPiece; at += 4096) {
      reinterpret_cast<volatile char*>(piece.get())[at] = 1;
    }
    (void)piece.release();
  }
}

// Does it. Comes back for the faults that are an answer.
void fail(const std::string& how, int channel) {
  if (how == "killed" || how == "killed_late") {
    ::raise(SIGKILL);
  } else if (how == "exit") {
    ::_exit(0);
  } else if (how == "abort") {
    std::abort();
  } else if (how == "silent") {
    while (true) {
      ::pause();
    }
  } else if (how == "memory") {
    take_all_memory();
  } else if (how == "rubbish") {
    write_to(channel, std::string(64, '?'));
  } else if (how == "half") {
    write_to(channel, header(wire::FrameKind::kAnswer, 1, 100) + "{\"half\":");
    ::raise(SIGKILL);
  } else if (how == "other_answer") {
    write_to(channel, header(wire::FrameKind::kAnswer, 123456, 2) + "{}");
  }
}

}  // namespace

wire::Handler with_fault(wire::Handler real, int channel) {
  const Fault fault = read_fault();
  if (fault.verb.empty()) {
    return real;
  }
  return [real = std::move(real), fault, channel, seen = 0](wire::Request& request) mutable -> Result<wire::Answer> {
    if (request.verb != fault.verb || ++seen != fault.number) {
      return real(request);
    }
    if (fault.how == "world") {
      return failure(ErrorCode::kEnvironment, "the world fails");
    }
    if (fault.how == "back_in_time") {
      Json json;
      json["elapsed_us"] = -1000.0;
      return wire::Answer(std::move(json));
    }
    if (fault.how == "killed_late") {
      (void)real(request).has_value();
    }
    fail(fault.how, channel);
    return real(request);
  };
}

}  // namespace stitch::faults
