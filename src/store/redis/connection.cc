// SPDX-License-Identifier: Apache-2.0
#include "store/redis/connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace stitch::store::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr timeval kConnectTimeout{3, 0};
constexpr timeval kAnswerTimeout{10, 0};
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{1000};

struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

RedisReply reply_of(const redisReply& reply) {
  RedisReply made;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      made.text = std::to_string(reply.integer);
      break;
    case REDIS_REPLY_ARRAY:
      for (size_t i = 0; i < reply.elements; ++i) {
        made.list.push_back(reply_of(*reply.element[i]));
      }
      break;
    case REDIS_REPLY_NIL:
      made.is_nothing = true;
      break;
    default:
      made.text.assign(reply.str, static_cast<size_t>(reply.len));
  }
  return made;
}

// A server that loads its file, or is out of room for a moment, is not there yet; others mean what they say.
bool is_passing(std::string_view error) {
  return error.starts_with("LOADING") || error.starts_with("BUSY ") || error.starts_with("MASTERDOWN") ||
         error.starts_with("TRYAGAIN");
}

constexpr const char* kUnknownScript = "NOSCRIPT";

}  // namespace

std::string RedisPlace::name() const { return fmt::format("redis://{}:{}/{}", host, port, database); }

void RedisConnection::Free::operator()(redisContext* context) const { redisFree(context); }

Result<bool> RedisConnection::connect() {
  context_.reset(redisConnectWithTimeout(place_.host.c_str(), place_.port, kConnectTimeout));
  digests_.clear();
  if (context_ == nullptr || context_->err != 0) {
    why_broken_ = context_ == nullptr ? "no memory" : context_->errstr;
    context_.reset();
    return false;
  }
  redisSetTimeout(context_.get(), kAnswerTimeout);
  bool is_broken = false;
  if (!place_.password.empty()) {
    STITCH_TRY(ask_once({"AUTH", place_.password}, is_broken));
  }
  if (place_.database != 0 && !is_broken) {
    STITCH_TRY(ask_once({"SELECT", std::to_string(place_.database)}, is_broken));
  }
  return !is_broken;
}

Result<RedisReply> RedisConnection::ask_once(const std::vector<std::string>& words, bool& is_broken) {
  std::vector<const char*> texts;
  std::vector<size_t> lengths;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(
      redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(), lengths.data())));
  if (reply == nullptr) {
    why_broken_ = context_->errstr;
    context_.reset();
    is_broken = true;
    return RedisReply{};
  }
  if (reply->type == REDIS_REPLY_ERROR) {
    const std::string error(reply->str, static_cast<size_t>(reply->len));
    if (is_passing(error)) {
      why_broken_ = error;
      is_broken = true;
      return RedisReply{};
    }
    return failure(ErrorCode::kEnvironment, "the store of jobs refuses: " + error, place_.name(),
                   "see docs/farm.md for how the server is set up");
  }
  return reply_of(*reply);
}

Result<RedisReply> RedisConnection::ask(const std::vector<std::string>& words) {
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(place_.patience_ms);
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    bool is_broken = false;
    if (context_ == nullptr) {
      STITCH_ASSIGN(const bool is_there, connect());
      is_broken = !is_there;
    }
    if (!is_broken) {
      Result<RedisReply> reply = ask_once(words, is_broken);
      if (!is_broken) {
        return reply;
      }
    }
    if (!(Clock::now() + pause < until)) {
      return failure(ErrorCode::kEnvironment,
                     fmt::format("the store of jobs did not answer for {:.0f} s: {}",
                                 static_cast<double>(place_.patience_ms) / 1000, why_broken_),
                     place_.name(), "start the server, or name another with --store");
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<RedisReply> RedisConnection::run_script(const std::string& script, const std::vector<std::string>& arguments) {
  for (bool is_second = false;; is_second = true) {
    std::string& digest = digests_[&script];
    if (digest.empty()) {
      STITCH_ASSIGN(const RedisReply loaded, ask({"SCRIPT", "LOAD", script}));
      digests_[&script] = loaded.text;
    }
    std::vector<std::string> words = {"EVALSHA", digests_[&script], "1", place_.prefix};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Result<RedisReply> reply = ask(words);
    const bool is_unknown = !reply.has_value() && reply.error().message.find(kUnknownScript) != std::string::npos;
    if (!is_unknown || is_second) {
      return reply;
    }
    digests_.clear();  // the server began anew
  }
}

Result<void> RedisConnection::listen(const std::string& channel, int64_t timeout_ms) {
  if (context_ == nullptr || channel_ != channel) {
    context_.reset();
    STITCH_TRY(ask({"SUBSCRIBE", channel}));
    channel_ = channel;
    return {};
  }
  pollfd ready{context_->fd, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(timeout_ms)) <= 0) {
    return {};
  }
  // Whatever has come is one wake-up. A broken connection is another; the next call subscribes again.
  if (redisBufferRead(context_.get()) != REDIS_OK) {
    context_.reset();
    return {};
  }
  void* reply = nullptr;
  while (redisGetReplyFromReader(context_.get(), &reply) == REDIS_OK && reply != nullptr) {
    freeReplyObject(reply);
    reply = nullptr;
  }
  return {};
}

}  // namespace stitch::store::internal
