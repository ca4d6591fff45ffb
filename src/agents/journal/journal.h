// SPDX-License-Identifier: Apache-2.0
// What a run of the agents has been told and has asked, in one SQLite file of its folder, each entry kept before
// anything follows from it: a run that was killed goes on from there, and a request that was answered is not sent
// again.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/routing/event.h"
#include "agents/state/state.h"
#include "base/error/result.h"
#include "base/process/descriptor.h"

struct sqlite3;

namespace stitch::agents {

// By what a request is known: the hash of its role, of its body (model, messages, tools, sampling) and of its number
// among requests that are the same otherwise.
std::string request_key(Role role, const std::string& body, int64_t number);

// An answer as it was kept: what was asked, of whom, and the completion that came, both JSON.
struct KeptAnswer {
  std::string key{};
  Role role = Role::kCoder;
  std::string body{};
  std::string answer{};
};

class Journal {
 public:
  // Makes the file where it is not there. kEnvironment where it cannot be written or another process writes it now;
  // kFileInvalid where it is no journal of ours.
  static Result<Journal> open(const std::filesystem::path& folder);
  Journal(Journal&&) noexcept = default;
  Journal& operator=(Journal&&) noexcept = default;

  // To look at, while another process may go on with the run. kFileInvalid where there is none.
  static Result<Journal> open_to_read(const std::filesystem::path& folder);
  // A copy in `to`, with all answers and the first `events` events: a run that goes on from there on its own.
  Result<void> fork(const std::filesystem::path& to, int64_t events) const;

  // All that were kept, in the order in which they came.
  Result<std::vector<KeptAnswer>> answers() const;
  // The states of the run, from the one that it began with.
  Result<std::vector<State>> states() const;

  // The answer that was paid for.
  Result<std::optional<std::string>> answer_to(const std::string& key) const;
  Result<void> keep_answer(const std::string& key, Role role, const std::string& body, const std::string& answer);

  // The state that the run began with; once.
  Result<void> begin(const State& state);
  // The state after an event, which becomes the latest.
  Result<void> append(const Event& event, const State& after);
  Result<std::optional<State>> latest() const;
  Result<int64_t> event_count() const;

  // All events told again to the state that the run began with, without asking or running anything. kInternal where
  // they lead to other states than were kept.
  Result<State> replay() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Journal(Descriptor lock, std::unique_ptr<sqlite3, Close> database, std::string file)
      : lock_(std::move(lock)), database_(std::move(database)), file_(std::move(file)) {}
  Result<void> store(const std::string& event, const State& after);

  Descriptor lock_;
  std::unique_ptr<sqlite3, Close> database_;
  std::string file_;
};

}  // namespace stitch::agents
