// SPDX-License-Identifier: Apache-2.0
// The sessions of clients over HTTP, by the ids that are given to them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/session/session.h"

namespace stitch::mcp {

class Sessions {
 public:
  // The server must outlive it.
  explicit Sessions(Server& server) : server_(server) {}

  // A new one and its id, which nobody can guess. The one that was quiet for longest goes where there are too many.
  std::pair<std::string, std::shared_ptr<Session>> begin();
  // Null where there is none of this id.
  std::shared_ptr<Session> find(const std::string& id);
  // Whether there was one. It ends when the last of its requests is answered.
  bool end(const std::string& id);
  void end_all();

 private:
  struct Kept {
    std::shared_ptr<Session> session;  // shared with requests that are being answered
    uint64_t last_used = 0;
  };

  Server& server_;
  std::mutex mutex_;
  uint64_t uses_ = 0;
  std::map<std::string, Kept> sessions_;
};

}  // namespace stitch::mcp
