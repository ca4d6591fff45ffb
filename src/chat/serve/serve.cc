// SPDX-License-Identifier: Apache-2.0
#include "chat/serve/serve.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "chat/download/download.h"
#include "chat/key/key.h"
#include "chat/transfer/transfer.h"
#include "llm/download/download.h"
#include "llm/exchange/exchange.h"
#include "llm/pool/turn.h"
#include "llm/price/price.h"
#include "llm/probe/probe.h"

namespace stitch::chat {
namespace {

constexpr size_t kMaxLineBytes = 64u << 20;
constexpr int64_t kLookMs = 100;

class Server {
 public:
  Server(int input, int output) : input_(input), output_(output) {}
  int run();

 private:
  bool read_line(std::string& line);
  void answer(const Json& request);
  Result<Json> answer_to(const Json& request, std::string& key);
  Result<Json> complete(const llm::Exchange& exchange, const std::string& key);
  Result<Json> probe(const llm::Exchange& exchange, const std::string& key);
  Result<Json> fetch(const Json& arguments);
  std::variant<llm::Completion, llm::Fault> ask(const llm::Exchange& exchange, const std::string& key);
  Transferred transfer_in_turn(const llm::Exchange& exchange, const std::string& key);
  void tell(const std::string& sentence, const std::string& key);
  bool wait(int64_t wait_ms) const;
  bool is_abandoned() const;
  void send(Json message, std::string_view key);

  int input_;
  int output_;
  std::string received_;
  Json id_;
};

// Nobody reads any more. That nobody writes any more is no reason to stop: the last line may still be answered.
bool Server::is_abandoned() const {
  pollfd polled{.fd = output_, .events = 0, .revents = 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// False when it was cut short because nobody reads any more.
bool Server::wait(int64_t wait_ms) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (std::chrono::steady_clock::now() < end) {
    if (is_abandoned()) {
      return false;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    ::poll(nullptr, 0, static_cast<int>(std::clamp<int64_t>(left.count() + 1, 1, kLookMs)));
  }
  return true;
}

bool Server::read_line(std::string& line) {
  while (true) {
    const size_t end = received_.find('\n');
    if (end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(input_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0 || received_.size() > kMaxLineBytes) {
      return false;
    }
    received_.append(bytes.data(), static_cast<size_t>(count));
  }
}

// The key leaves no other way than through here, so it is taken out here.
void Server::send(Json message, std::string_view key) {
  redact(message, key);
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t count = ::write(output_, line.data() + at, line.size() - at);
    if (count < 0 && errno != EINTR) {
      return;
    }
    at += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
}

double chance() { return static_cast<double>(drawn_seed()) / static_cast<double>(kLargestSeed + 1); }

void Server::tell(const std::string& sentence, const std::string& key) {
  send({{"id", id_}, {"progress", sentence}}, key);
}

// What the body may come to: a pool's tokens a minute are held against it.
int64_t worst_tokens(const llm::Exchange& exchange) {
  const llm::Usage worst = llm::worst_case(exchange.body.size(), 1, llm::answer_limit(exchange));
  return worst.prompt_tokens + worst.answer_tokens;
}

// One transfer, when its turn has come where the endpoint is shared.
Transferred Server::transfer_in_turn(const llm::Exchange& exchange, const std::string& key) {
  const auto abandoned = [this] { return is_abandoned(); };
  if (!exchange.pool.limits.are_set()) {
    return transfer(exchange, key, abandoned);
  }
  Result<std::optional<llm::Turn>> turn =
      llm::Turn::wait(exchange.pool, {.tokens = worst_tokens(exchange),
                                      .is_abandoned = abandoned,
                                      .told = [&](const std::string& sentence) { tell(sentence, key); }});
  if (!turn.has_value() || !turn->has_value()) {
    const std::string why = turn.has_value() ? "nobody waits for the answer any more"
                                             : turn.error().message + " (" + turn.error().location + ")";
    return {.end = llm::Fault{.kind = llm::FaultKind::kUnusable, .message = why}};
  }
  Transferred done = transfer(exchange, key, abandoned);
  const auto* reply = std::get_if<llm::ChatReply>(&done.end);
  const auto* fault = std::get_if<llm::Fault>(&done.end);
  const bool is_counted = reply != nullptr && reply->usage.has_value();
  (*turn)->end(is_counted ? std::optional(reply->usage->prompt_tokens + reply->usage->answer_tokens) : std::nullopt,
               fault == nullptr ? 0 : fault->retry_after_ms.value_or(0));
  return done;
}

// With retries, each of which is told before it is waited for.
std::variant<llm::Completion, llm::Fault> Server::ask(const llm::Exchange& exchange, const std::string& key) {
  const llm::RetryPolicy policy{.retries = exchange.retries};
  const auto started = std::chrono::steady_clock::now();
  for (int64_t retries = 0;; ++retries) {
    Transferred done = transfer_in_turn(exchange, key);
    if (auto* reply = std::get_if<llm::ChatReply>(&done.end); reply != nullptr) {
      const bool is_told = reply->usage.has_value() &&
                           llm::is_possible(*reply->usage, exchange.body.size(), llm::answer_limit(exchange));
      if (!is_told) {
        reply->usage = llm::estimated_usage(exchange.body.size(), *reply);
      }
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
      return llm::Completion{.reply = std::move(*reply),
                             .retries = retries,
                             .first_token_seconds = done.first_token_seconds,
                             .seconds = done.seconds,
                             .waited_seconds = std::max(0.0, taken.count() - done.seconds)};
    }
    const auto& fault = std::get<llm::Fault>(done.end);
    const std::optional<int64_t> wait_ms = llm::wait_before_retry(policy, fault, retries, chance());
    if (!wait_ms.has_value() || is_abandoned()) {
      return fault;
    }
    tell(fmt::format("{}; asked again in {:.1f} s, {} of {}", fault.message, 0.001 * static_cast<double>(*wait_ms),
                     retries + 1, policy.retries),
         key);
    if (!wait(*wait_ms)) {
      return fault;
    }
  }
}

Result<Json> Server::complete(const llm::Exchange& exchange, const std::string& key) {
  const auto end = ask(exchange, key);
  if (const auto* fault = std::get_if<llm::Fault>(&end); fault != nullptr) {
    return failure(llm::error_of(*fault, exchange.url));
  }
  return llm::to_json(std::get<llm::Completion>(end));
}

Result<Json> Server::probe(const llm::Exchange& exchange, const std::string& key) {
  STITCH_ASSIGN(const Json body, parse_json(exchange.body, "a body"));
  STITCH_ASSIGN(const std::string model, json_string(body, "model"));
  const auto end = llm::probe(model, [&](const std::string& text) {
    llm::Exchange one = exchange;
    one.body = text;
    return ask(one, key);
  });
  if (const auto* fault = std::get_if<llm::Fault>(&end); fault != nullptr) {
    return failure(llm::error_of(*fault, exchange.url));
  }
  return llm::to_json(std::get<llm::Probed>(end));
}

// A page, which needs no key.
Result<Json> Server::fetch(const Json& arguments) {
  STITCH_ASSIGN(const llm::Download asked, llm::download_from_json(arguments));
  STITCH_ASSIGN(const int64_t bytes, download(asked, [this] { return is_abandoned(); }));
  return Json{{"bytes", bytes}};
}

Result<Json> Server::answer_to(const Json& request, std::string& key) {
  STITCH_ASSIGN(const std::string verb, json_string(request, "verb"));
  STITCH_ASSIGN(const Json* arguments, json_object(request, "arguments"));
  if (verb == "fetch") {
    return fetch(*arguments);
  }
  if (verb != "complete" && verb != "probe") {
    return failure(ErrorCode::kUsage, "stitchcuda-chat knows complete, probe and fetch");
  }
  STITCH_ASSIGN(const llm::Exchange exchange, llm::exchange_from_json(*arguments));
  STITCH_ASSIGN(key, read_key(exchange.key));
  return verb == "probe" ? probe(exchange, key) : complete(exchange, key);
}

void Server::answer(const Json& request) {
  std::string key;
  const Result<Json> done = answer_to(request, key);
  if (done.has_value()) {
    return send({{"id", id_}, {"ok", *done}}, key);
  }
  const Error& error = done.error();
  send({{"id", id_},
        {"error",
         {{"code", to_string(error.code)},
          {"sentence", error.message},
          {"place", error.location},
          {"remedy", error.remedy}}}},
       key);
}

int Server::run() {
  for (std::string line; read_line(line);) {
    const Result<Json> request = parse_json(line, "a request");
    const auto id = request.has_value() && request->is_object() ? json_int(*request, "id") : Result<int64_t>(0);
    if (!request.has_value() || !request->is_object() || !id.has_value()) {
      fmt::print(stderr, "stitchcuda-chat: a line is no request with an id\n");
      return 1;
    }
    id_ = *id;
    answer(*request);
  }
  return 0;
}

}  // namespace

int serve(int input, int output) { return Server(input, output).run(); }

}  // namespace stitch::chat
