// SPDX-License-Identifier: Apache-2.0
// One client's conversation: what it may ask when, its calls under way, and what it gave up.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/parallel/crew.h"
#include "mcp/calls/calls.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/version.h"
#include "mcp/session/outlet.h"
#include "tools/table/tool_table.h"

namespace stitch::mcp {

struct SessionTimes {
  std::chrono::milliseconds between_progress{5'000};
  std::chrono::milliseconds hand_over{30'000};  // a call that takes longer is answered with its id
};

// What all sessions share.
struct Server {
  const tools::ToolTable& table;
  RunTool run;
  std::string version;  // of this program
  SessionTimes times{};
  Gate gate{4};
};

class Session {
 public:
  // The server must outlive it.
  explicit Session(Server& server);
  // Ends all calls, and answers nothing more.
  ~Session();

  // Takes one line or body. Each request in it is answered once, now or from another thread, unless it is cancelled.
  void take_text(std::string_view text, std::shared_ptr<Outlet> outlet);
  void take(const Json& json, std::shared_ptr<Outlet> outlet);
  bool is_initialized();
  // Ends all that is under way; its requests are answered no more. From any thread.
  void give_up();

 private:
  // A request that waits for a call.
  struct Waiting {
    std::shared_ptr<Call> call;
    bool ends_call = true;  // giving it up ends the call
    std::atomic<bool> given_up = false;
  };
  struct Attendance;

  void take_one(const Json& json, const std::shared_ptr<Outlet>& outlet, bool is_alone);
  void take_batch(const Json& json, const std::shared_ptr<Outlet>& outlet);
  void take_request(const Message& message, const std::shared_ptr<Outlet>& outlet, bool is_alone);
  Json initialize(const Message& message, bool is_alone);
  void take_call(const Message& message, const std::shared_ptr<Outlet>& outlet);
  void take_job(const Message& message, const Json& arguments, const std::shared_ptr<Outlet>& outlet);
  void attend(Attendance attendance);
  // The answer; none where the request was given up.
  std::optional<Json> answer_when_done(const Attendance& attendance);
  void cancel(const Json& params);

  Server& server_;
  const tools::ToolSpec job_;
  std::atomic<bool> is_initialized_ = false;
  std::atomic<ProtocolVersion> version_ = kNewestVersion;
  Calls calls_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Waiting>> waiting_;  // by the request's id; shared with who attends it
  Crew crew_;                                                // last: its threads use the others
};

}  // namespace stitch::mcp
