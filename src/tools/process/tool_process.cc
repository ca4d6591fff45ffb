// SPDX-License-Identifier: Apache-2.0
#include "tools/process/tool_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/json/shown.h"
#include "base/process/child.h"

namespace stitch::tools {
namespace {

constexpr const char* kProgram = "stitchcuda-tool";
constexpr int kChannel = 3;
constexpr int kLookMs = 500;
constexpr int64_t kTidyMs = 700;  // in which a child may end its own children and remove their folders
constexpr size_t kMaxLineBytes = 64u << 20;

class Conversation {
 public:
  Conversation(Child child, Descriptor socket, const TellProgress& tell, const Stop& stop)
      : child_(std::move(child)), socket_(std::move(socket)), tell_(tell), stop_(stop) {}

  Result<ToolReply> ask(const Json& request);

 private:
  Result<void> send(std::string_view text);
  Result<std::string> receive();
  Result<void> wait_for(short events);
  Unexpected died();
  Unexpected stopped();

  Child child_;
  Descriptor socket_;
  const TellProgress& tell_;
  const Stop& stop_;
  std::string received_;
};

Unexpected Conversation::stopped() {
  ::kill(child_.pid(), SIGTERM);
  child_.wait(kTidyMs);
  return failure(ErrorCode::kInterrupted, "the call was cancelled");
}

Unexpected Conversation::died() {
  const ExitState exit = child_.wait(1000);
  std::string said = child_.take_standard_error();
  while (!said.empty() && said.back() == '\n') {
    said.pop_back();
  }
  said = said.substr(said.rfind('\n') + 1);
  const std::string how = exit.signal != 0 ? fmt::format("was killed by signal {}", exit.signal)
                                           : fmt::format("ended with status {}", exit.exit_code);
  return failure(exit.signal == SIGABRT ? ErrorCode::kInternal : ErrorCode::kEnvironment,
                 fmt::format("the tool's process {} before it answered{}{}", how, said.empty() ? "" : ": ", said), "",
                 exit.signal == SIGKILL ? "check that the machine has enough free memory" : "run `stitchcuda doctor`");
}

Result<void> Conversation::wait_for(short events) {
  while (true) {
    if (stop_.is_wished()) {
      return stopped();
    }
    std::vector<pollfd> polled = {{.fd = socket_.get(), .events = events, .revents = 0},
                                  {.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}};
    for (const int output : child_.open_output_descriptors()) {
      polled.push_back({.fd = output, .events = POLLIN, .revents = 0});
    }
    ::poll(polled.data(), polled.size(), kLookMs);
    child_.drain_output();
    if (polled[0].revents != 0) {
      return {};
    }
  }
}

Result<void> Conversation::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      text.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      STITCH_TRY(wait_for(POLLOUT));
    } else if (errno != EINTR) {
      return died();
    }
  }
  return {};
}

Result<std::string> Conversation::receive() {
  std::array<char, 65536> bytes;
  size_t searched = 0;
  while (true) {
    const size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    if (received_.size() > kMaxLineBytes) {
      return failure(ErrorCode::kInternal, "the tool's process sent a line that is too long");
    }
    STITCH_TRY(wait_for(POLLIN));
    const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size > 0) {
      received_.append(bytes.data(), static_cast<size_t>(size));
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
      return died();
    }
  }
}

Result<ToolReply> Conversation::ask(const Json& request) {
  STITCH_TRY(send(request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"));
  while (true) {
    STITCH_ASSIGN(const std::string line, receive());
    STITCH_ASSIGN(const Json answer, parse_json(line, "a tool's answer"));
    if (answer.contains("ok")) {
      return tool_reply_from_json(answer["ok"]);
    }
    if (answer.contains("error")) {
      const Json& error = answer["error"];
      return failure(error_code_from_string(shown_string(error, "code", "internal")),
                     shown_string(error, "sentence", "a tool failed and did not say why"),
                     shown_string(error, "place", ""), shown_string(error, "remedy", ""));
    }
    tell_(shown_string(answer, "progress", ""));
  }
}

}  // namespace

Result<ToolReply> run_in_process(const std::string& tool, const Json& arguments, const ToolSettings& settings,
                                 const TellProgress& tell, const Stop& stop) {
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program(kProgram));
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  }
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  ChildOptions options;
  options.arguments = {program.string()};
  options.working_directory = settings.root;
  options.descriptors.emplace_back(theirs.get(), kChannel);
  STITCH_ASSIGN(Child child, Child::start(options));
  theirs.reset();
  Conversation conversation(std::move(child), std::move(ours), tell, stop);
  return conversation.ask({{"tool", tool}, {"arguments", arguments}, {"settings", to_json(settings)}});
}

}  // namespace stitch::tools
