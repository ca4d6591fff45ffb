// SPDX-License-Identifier: Apache-2.0
#include "agents/acp/agent_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/json/json.h"
#include "base/process/environment.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr int kInput = 3;  // of the child, before they become its stdin and stdout
constexpr int kOutput = 4;
constexpr int kLookMs = 200;
constexpr int64_t kSendMs = 10'000;
constexpr size_t kMaxLineBytes = 16u << 20;
constexpr size_t kMaxWordsBytes = 300;

}  // namespace

Result<AgentProcess> AgentProcess::start(const std::string& command, const std::filesystem::path& folder,
                                         const std::vector<std::string>& hidden) {
  // Two of them: runtimes that watch their stdout for its end take what comes in there for it.
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  const bool has_input = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0;
  const bool has_output = ::pipe2(output, O_CLOEXEC) == 0;
  Descriptor to_agent(input[0]);
  const Descriptor their_input(input[1]);
  Descriptor from_agent(output[0]);
  const Descriptor their_output(output[1]);
  if (!has_input || !has_output || ::fcntl(from_agent.get(), F_SETFL, O_NONBLOCK) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a pipe: {}", std::strerror(errno)), "",
                   "close some programs");
  }
  ChildOptions options{.arguments = {"/bin/sh", "-c", "exec <&3 >&4 3<&- 4>&-; eval \"$1\"", "sh", command},
                       .working_directory = folder,
                       .kept_environment = names_of_environment(hidden)};
  options.descriptors = {{their_input.get(), kInput}, {their_output.get(), kOutput}};
  STITCH_ASSIGN(Child child, Child::start(options));
  return AgentProcess(std::move(child), std::move(to_agent), std::move(from_agent));
}

bool AgentProcess::send(const Json& message) {
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const auto deadline = Clock::now() + std::chrono::milliseconds(kSendMs);
  for (size_t at = 0; at < line.size();) {
    const ssize_t sent = ::send(to_agent_.get(), line.data() + at, line.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      at += static_cast<size_t>(sent);
    } else if ((errno == EAGAIN || errno == EWOULDBLOCK) && Clock::now() < deadline) {
      pollfd polled{.fd = to_agent_.get(), .events = POLLOUT, .revents = 0};
      ::poll(&polled, 1, kLookMs);
      child_.drain_output();
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

AgentProcess::Got AgentProcess::receive(Clock::time_point deadline, std::string& line) {
  std::array<char, 65536> bytes{};
  while (true) {
    const size_t end = received_.find('\n', searched_);
    if (end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      searched_ = 0;
      return Got::kLine;
    }
    searched_ = received_.size();
    if (received_.size() > kMaxLineBytes) {
      return Got::kTooLong;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return Got::kNothing;
    }
    pollfd polled{.fd = from_agent_.get(), .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, static_cast<int>(std::min<int64_t>(left, kLookMs)));
    child_.drain_output();
    if (polled.revents == 0) {
      continue;
    }
    const ssize_t size = ::read(from_agent_.get(), bytes.data(), bytes.size());
    if (size > 0) {
      received_.append(bytes.data(), static_cast<size_t>(size));
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
      return Got::kEnded;
    }
  }
}

std::string AgentProcess::last_words() {
  constexpr int64_t kWaitMs = 1000;
  to_agent_.reset();
  const ExitState exit = child_.wait(kWaitMs);
  std::string said = child_.take_standard_error();
  said.resize(said.find_last_not_of(" \n\r\t") + 1);
  said = printable_line(said.substr(said.rfind('\n') + 1), kMaxWordsBytes);
  const std::string how = exit.timed_out     ? "went on, and was ended"
                          : exit.signal != 0 ? fmt::format("was killed by signal {}", exit.signal)
                                             : fmt::format("ended with status {}", exit.exit_code);
  return said.empty() ? how : fmt::format("{}; it last said: {}", how, said);
}

}  // namespace stitch::agents
