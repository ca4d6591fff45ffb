// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/sessions.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/error/check.h"

namespace stitch::mcp {
namespace {

constexpr size_t kMaxSessions = 64;

std::string new_session_id() {
  std::array<unsigned char, 16> bytes{};
  const bool is_random = ::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  STITCH_CHECK(is_random) << "the system has no random numbers";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += fmt::format("{:02x}", byte);
  }
  return id;
}

}  // namespace

std::pair<std::string, std::shared_ptr<Session>> Sessions::begin() {
  Kept gone;  // ended outside of the lock
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= kMaxSessions) {
    const auto oldest = std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
      return a.second.last_used < b.second.last_used;
    });
    gone = oldest->second;
    sessions_.erase(oldest);
  }
  const std::string id = new_session_id();
  auto session = std::make_shared<Session>(server_);
  sessions_[id] = {session, ++uses_};
  return {id, session};
}

std::shared_ptr<Session> Sessions::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) {
    return nullptr;
  }
  found->second.last_used = ++uses_;
  return found->second.session;
}

bool Sessions::end(const std::string& id) {
  Kept gone;
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) {
    return false;
  }
  gone = std::move(found->second);
  sessions_.erase(found);
  gone.session->give_up();
  return true;
}

void Sessions::end_all() {
  std::map<std::string, Kept> gone;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, kept] : sessions_) {
    kept.session->give_up();
  }
  gone.swap(sessions_);
}

}  // namespace stitch::mcp
