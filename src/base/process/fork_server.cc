// SPDX-License-Identifier: Apache-2.0
#include "base/process/fork_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/json/json.h"
#include "base/process/environment.h"
#include "base/process/last_will.h"

namespace stitch {
namespace {

constexpr int kServerChannel = 3;
constexpr size_t kLengthBytes = 4;
constexpr size_t kMaxAnswerBytes = 64u << 10;
constexpr std::chrono::minutes kTimeout{5};  // it may still be loading, on a machine that is busy

std::string length_of(size_t size) {
  std::string text(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) {
    text[i] = static_cast<char>((size >> (8 * i)) & 0xff);
  }
  return text;
}

size_t read_length(const std::string& text) {
  size_t size = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    size |= static_cast<size_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return size;
}

// The descriptors travel with the first bytes.
bool send_all(int socket, std::string_view text, const std::vector<int>& descriptors) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  iovec part{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
  while (!text.empty()) {
    part = {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) {
      return false;
    }
    if (sent > 0) {
      text.remove_prefix(static_cast<size_t>(sent));
      message.msg_control = nullptr;
      message.msg_controllen = 0;
    }
  }
  return true;
}

std::string text_of(const ChildOptions& options) {
  std::error_code ignored;
  Json request;
  request["arguments"] = options.arguments;
  request["arguments"][0] = find_program(options.arguments.front()).string();
  request["environment"] = environment_of(options);
  request["folder"] = options.working_directory.empty() ? std::filesystem::current_path(ignored).string()
                                                        : options.working_directory.string();
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::unique_ptr<ForkServer>> ForkServer::start(ChildOptions server) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  server.descriptors.emplace_back(theirs.get(), kServerChannel);
  STITCH_ASSIGN(Child child, Child::start(server));
  return std::unique_ptr<ForkServer>(new ForkServer(std::move(child), std::move(ours)));
}

Unexpected ForkServer::gone() {
  socket_.reset();
  server_.kill_tree();
  return failure(ErrorCode::kEnvironment, "the process that forks has ended: " + server_.take_standard_error());
}

// Exactly `size` bytes.
Result<std::string> ForkServer::receive(size_t size) {
  std::string text(size, '\0');
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  for (size_t have = 0; have < size;) {
    const ssize_t got = ::recv(socket_.get(), text.data() + have, size - have, MSG_DONTWAIT);
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR) && std::chrono::steady_clock::now() < deadline) {
      constexpr int kSliceMs = 200;
      pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      ::poll(&polled, 1, kSliceMs);
      server_.drain_output();
    } else {
      return gone();
    }
  }
  return text;
}

Result<std::string> ForkServer::ask(const std::string& request, const std::vector<int>& descriptors) {
  if (!socket_.is_open() || !send_all(socket_.get(), length_of(request.size()) + request, descriptors)) {
    return gone();
  }
  STITCH_ASSIGN(const std::string length, receive(kLengthBytes));
  const size_t size = read_length(length);
  if (size > kMaxAnswerBytes) {
    return gone();
  }
  return receive(size);
}

Result<Child> ForkServer::start_child(const ChildOptions& options) {
  STITCH_CHECK(options.descriptors.empty() && options.capture_output) << "the server hands on stdout and stderr alone";
  if (no_more_children()) {
    return failure(ErrorCode::kInterrupted, "interrupted");
  }
  STITCH_ASSIGN(Pipe status, make_pipe());
  STITCH_ASSIGN(Pipe output, make_pipe());
  STITCH_ASSIGN(Pipe error, make_pipe());
  Json answer;
  {
    const std::lock_guard lock(mutex_);
    STITCH_ASSIGN(const std::string text,
                  ask(text_of(options), {status.write_end.get(), output.write_end.get(), error.write_end.get()}));
    STITCH_ASSIGN(answer, parse_json(text, "an answer"));
  }
  const Result<int64_t> pid = json_int(answer, "pid");
  if (!pid.has_value()) {
    return failure(ErrorCode::kEnvironment, "the process that forks cannot: " + answer.dump());
  }
  will_end_group(static_cast<pid_t>(*pid));
  set_nonblocking(output.read_end);
  set_nonblocking(error.read_end);
  return Child::of_another(static_cast<pid_t>(*pid), std::move(status.read_end), std::move(output.read_end),
                           std::move(error.read_end));
}

bool ForkServer::has_ended() {
  // Its descriptors are closed before it counts as ended.
  constexpr int kLooks = 100;
  constexpr std::chrono::milliseconds kBetween{10};
  const std::lock_guard lock(mutex_);
  for (int look = 0; look < kLooks && server_.is_running(); ++look) {
    std::this_thread::sleep_for(kBetween);
  }
  return !server_.is_running();
}

}  // namespace stitch
