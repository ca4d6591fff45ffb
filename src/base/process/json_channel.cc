// SPDX-License-Identifier: Apache-2.0
#include "base/process/json_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/json/json.h"
#include "base/process/patience.h"

namespace stitch {
namespace {

constexpr int kChannelNumber = 3;
constexpr size_t kMaxLineLength = 256u << 20;

// The last line that says something: of a Python traceback, the exception.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  return text.substr(text.rfind('\n') + 1);
}

std::string optional_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Unexpected passed_on(const Json& error) {
  if (!error.is_object()) {
    return failure(ErrorCode::kInternal, "a helper's error is no JSON object");
  }
  const std::string trace = optional_text(error, "trace");
  if (!trace.empty() && std::getenv("STITCHCUDA_DEBUG") != nullptr) {
    fmt::print(stderr, "{}\n", trace);
  }
  const std::string message = optional_text(error, "sentence");
  return failure(error_code_from_string(optional_text(error, "code")),
                 message.empty() ? "a helper failed and did not say why" : message, optional_text(error, "place"),
                 optional_text(error, "remedy"));
}

}  // namespace

struct JsonChannel::State {
  State(Child started, Descriptor socket_end, std::string program)
      : child(std::move(started)), socket(std::move(socket_end)), name(std::move(program)) {}

  Result<void> send(std::string_view text, Patience& patience);
  // The next line from the child, in place of `line`.
  Result<void> receive(std::string& line, Patience& patience);
  // One poll over the socket and the child's outputs, until `events` hold or the patience is over.
  Result<void> wait_for(short events, Patience& patience);
  Unexpected died();

  Child child;
  Descriptor socket;
  std::string name;
  std::string received;
  size_t searched = 0;  // no line end before here
  int64_t last_id = 0;
  bool has_begun = false;
  std::optional<End> end;
};

Unexpected JsonChannel::State::died() {
  const ExitState exit = child.wait(1000);
  end = End{.exit = exit, .was_late = false, .had_begun = has_begun, .said = child.take_standard_error()};
  if (exit.timed_out) {
    return failure(ErrorCode::kEnvironment, fmt::format("{} closed its channel before it answered", name), name,
                   "run `stitchcuda doctor`");
  }
  const std::string how = exit.signal != 0
                              ? fmt::format("was killed by signal {} ({})", exit.signal, strsignal(exit.signal))
                              : fmt::format("ended with status {}", exit.exit_code);
  const std::string said = last_line(end->said);
  return failure(ErrorCode::kEnvironment,
                 fmt::format("{} {} before it answered{}{}", name, how, said.empty() ? "" : ": ", said), name,
                 exit.signal == 9 ? "check that the machine has enough free memory" : "run `stitchcuda doctor`");
}

Result<void> JsonChannel::State::wait_for(short events, Patience& patience) {
  while (true) {
    if (patience.is_over()) {
      child.kill_tree();  // what it would still send could be taken for the next request's answer
      end = End{.exit = child.wait(0), .was_late = true, .had_begun = has_begun, .said = child.take_standard_error()};
      return failure(ErrorCode::kTimeout, fmt::format("{} did not answer in time", name), name,
                     "try again on a less busy machine, or with smaller sizes");
    }
    std::vector<pollfd> polled = {{.fd = socket.get(), .events = events, .revents = 0}};
    for (const int output : child.open_output_descriptors()) {
      polled.push_back({.fd = output, .events = POLLIN, .revents = 0});
    }
    const auto left = patience.next_look() - Patience::Clock::now();
    const int64_t left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
    ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<int64_t>(left_ms, 0, 1000)));
    child.drain_output();
    if (polled[0].revents != 0) {
      return {};
    }
  }
}

Result<void> JsonChannel::State::send(std::string_view text, Patience& patience) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      text.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      STITCH_TRY(wait_for(POLLOUT, patience));
    } else if (errno != EINTR) {
      return died();
    }
  }
  return {};
}

Result<void> JsonChannel::State::receive(std::string& line, Patience& patience) {
  std::array<char, 65536> buffer;
  while (true) {
    const size_t end = received.find('\n', searched);
    if (end != std::string::npos) {
      line = received.substr(0, end);
      received.erase(0, end + 1);
      searched = 0;
      return {};
    }
    searched = received.size();
    if (received.size() > kMaxLineLength) {
      child.kill_tree();
      return failure(ErrorCode::kInternal, fmt::format("{} sent a line of more than {} bytes", name, kMaxLineLength),
                     name);
    }
    const ssize_t size = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size > 0) {
      received.append(buffer.data(), static_cast<size_t>(size));
    } else if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      STITCH_TRY(wait_for(POLLIN, patience));
    } else if (size == 0 || errno != EINTR) {
      return died();
    }
  }
}

JsonChannel::JsonChannel(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonChannel::JsonChannel(JsonChannel&&) noexcept = default;
JsonChannel& JsonChannel::operator=(JsonChannel&&) noexcept = default;
JsonChannel::~JsonChannel() = default;
const std::optional<JsonChannel::End>& JsonChannel::end() const { return state_->end; }

Result<JsonChannel> JsonChannel::start(ChildOptions options) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  options.descriptors.emplace_back(theirs.get(), kChannelNumber);
  STITCH_ASSIGN(Child child, Child::start(options));
  return JsonChannel(std::make_unique<State>(std::move(child), std::move(ours), options.arguments.front()));
}

JsonChannel JsonChannel::to(Child child, Descriptor socket, std::string name) {
  return JsonChannel(std::make_unique<State>(std::move(child), std::move(socket), std::move(name)));
}

Result<Json> JsonChannel::request(const std::string& verb, const Json& arguments, int64_t timeout_ms,
                                  const Progress& progress) {
  Patience patience(state_->child.pid(), timeout_ms);
  const int64_t id = ++state_->last_id;
  state_->has_begun = false;
  Json content;
  content["id"] = id;
  content["verb"] = verb;
  content["arguments"] = arguments;
  STITCH_TRY(state_->send(content.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", patience));
  std::string line;
  while (true) {
    STITCH_TRY(state_->receive(line, patience));
    Result<Json> parsed = parse_json(line, "an answer");
    if (!parsed.has_value() || !parsed->is_object() || !json_int(*parsed, "id").has_value()) {
      return failure(ErrorCode::kInternal, fmt::format("{} answered `{}` with no JSON object", state_->name, verb));
    }
    Json answer = std::move(*parsed);
    const int64_t answered = *json_int(answer, "id");
    if (answered != id) {
      return failure(ErrorCode::kInternal,
                     fmt::format("{} answered request {} while {} was asked", state_->name, answered, id));
    }
    state_->has_begun = state_->has_begun || answer.contains("begun");
    if (answer.contains("ok")) {
      return Json(std::move(answer["ok"]));
    }
    if (answer.contains("error")) {
      return passed_on(answer["error"]);
    }
    if (progress && answer.contains("progress")) {
      progress(optional_text(answer, "progress"));
    }
  }
}

}  // namespace stitch
