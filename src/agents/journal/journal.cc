// SPDX-License-Identifier: Apache-2.0
#include "agents/journal/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "agents/journal/statement.h"
#include "agents/routing/event_json.h"
#include "agents/routing/next.h"
#include "agents/state/state_json.h"
#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

using internal::broken;
using internal::Statement;

constexpr int64_t kVersion = 1;
// Each entry is on the disk before we go on: what follows from it costs money.
constexpr const char* kSettings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL";
constexpr const char* kTables = R"(
BEGIN IMMEDIATE;
CREATE TABLE answers (key TEXT PRIMARY KEY, role TEXT NOT NULL, body TEXT NOT NULL, answer TEXT NOT NULL);
CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL, state TEXT NOT NULL);
PRAGMA user_version = 1;
COMMIT)";

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<State> state_in(const std::string& text) {
  STITCH_ASSIGN(const Json json, parse_json(text, "a state"));
  return state_from_json(json);
}

Result<void> run(sqlite3* database, const std::string& file, const char* text) {
  return sqlite3_exec(database, text, nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>() : broken(database, file);
}

Result<int64_t> number_of(sqlite3* database, const std::string& file, const char* text) {
  STITCH_ASSIGN(Statement statement, Statement::make(database, file, text));
  return statement.step() == SQLITE_ROW ? Result<int64_t>(statement.number(0)) : broken(database, file);
}

Result<void> make_tables(sqlite3* database, const std::string& file) {
  STITCH_TRY(run(database, file, kSettings));
  STITCH_ASSIGN(const int64_t version, number_of(database, file, "PRAGMA user_version"));
  if (version == kVersion) {
    return {};
  }
  if (version != 0) {
    return failure(ErrorCode::kFileInvalid, "the journal of the run was made by another version of stitchcuda", file,
                   "begin the run again");
  }
  return run(database, file, kTables);
}

// Two processes that go on with one run would each pay for what the other asks.
Result<Descriptor> locked(const std::filesystem::path& file) {
  Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) {
    return failure(ErrorCode::kEnvironment, "the folder of the run cannot be written to", file.string(),
                   "make room on the disk, or choose another folder");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return failure(ErrorCode::kEnvironment, "another process goes on with this run now", file.string(),
                   "wait until it ends, or end it");
  }
  return lock;
}

}  // namespace

std::string request_key(Role role, const std::string& body, int64_t number) {
  Sha256 hash;
  hash.update_field(to_string(role));
  hash.update_field(body);
  hash.update_field(std::to_string(number));
  return hash.finish();
}

void Journal::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<Journal> Journal::open(const std::filesystem::path& folder) {
  STITCH_TRY(make_directories(folder));
  STITCH_ASSIGN(Descriptor lock, locked(folder / "journal.lock"));
  const std::string file = (folder / "journal.sqlite").string();
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<sqlite3, Close> database(opened);
  if (status != SQLITE_OK) {
    return broken(opened, file);
  }
  STITCH_TRY(make_tables(opened, file));
  return Journal(std::move(lock), std::move(database), file);
}

Result<Journal> Journal::open_to_read(const std::filesystem::path& folder) {
  const std::string file = (folder / "journal.sqlite").string();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return failure(ErrorCode::kFileInvalid, "that run is none of the agents: it has no journal", file,
                   "name a run of `optimize --coder llm`; `stitchcuda runs list` has them all");
  }
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<sqlite3, Close> database(opened);
  if (status != SQLITE_OK) {
    return broken(opened, file);
  }
  STITCH_ASSIGN(const int64_t version, number_of(opened, file, "PRAGMA user_version"));
  if (version != kVersion) {
    return failure(ErrorCode::kFileInvalid, "the journal of the run is not one of this version of stitchcuda", file,
                   "begin the run again");
  }
  return Journal(Descriptor(), std::move(database), file);
}

Result<void> Journal::fork(const std::filesystem::path& to, int64_t events) const {
  STITCH_TRY(make_directories(to));
  STITCH_ASSIGN(Statement copy, Statement::make(database_.get(), file_, "VACUUM INTO ?1"));
  copy.bind((to / "journal.sqlite").string());
  if (copy.step() != SQLITE_DONE) {
    return broken(database_.get(), file_);
  }
  STITCH_ASSIGN(const Journal forked, open(to));
  STITCH_ASSIGN(Statement cut,
                Statement::make(forked.database_.get(), forked.file_, "DELETE FROM events WHERE number > ?1"));
  cut.bind(events);
  return cut.step() == SQLITE_DONE ? Result<void>() : broken(forked.database_.get(), forked.file_);
}

Result<std::vector<KeptAnswer>> Journal::answers() const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "SELECT key, role, body, answer FROM answers ORDER BY rowid"));
  std::vector<KeptAnswer> answers;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step()) {
    answers.push_back({.key = statement.text(0),
                       .role = from_string<Role>(statement.text(1)).value_or(Role::kCoder),
                       .body = statement.text(2),
                       .answer = statement.text(3)});
  }
  return status == SQLITE_DONE ? Result<std::vector<KeptAnswer>>(std::move(answers)) : broken(database_.get(), file_);
}

Result<std::vector<State>> Journal::states() const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "SELECT state FROM events ORDER BY number"));
  std::vector<State> states;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step()) {
    STITCH_ASSIGN(State state, state_in(statement.text(0)));
    states.push_back(std::move(state));
  }
  return status == SQLITE_DONE ? Result<std::vector<State>>(std::move(states)) : broken(database_.get(), file_);
}

Result<std::optional<std::string>> Journal::answer_to(const std::string& key) const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "SELECT answer FROM answers WHERE key = ?1"));
  statement.bind(key);
  switch (statement.step()) {
    case SQLITE_ROW:
      return std::optional(statement.text(0));
    case SQLITE_DONE:
      return std::optional<std::string>();
    default:
      return broken(database_.get(), file_);
  }
}

Result<void> Journal::keep_answer(const std::string& key, Role role, const std::string& body,
                                  const std::string& answer) {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "INSERT INTO answers VALUES (?1, ?2, ?3, ?4)"));
  statement.bind(key);
  statement.bind(to_string(role));
  statement.bind(body);
  statement.bind(answer);
  return statement.step() == SQLITE_DONE ? Result<void>() : broken(database_.get(), file_);
}

Result<void> Journal::store(const std::string& event, const State& after) {
  STITCH_ASSIGN(const int64_t number, number_of(database_.get(), file_, "SELECT COUNT(*) FROM events"));
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, "INSERT INTO events VALUES (?1, ?2, ?3)"));
  statement.bind(number);
  statement.bind(event);
  statement.bind(text_of(to_json(after)));
  return statement.step() == SQLITE_DONE ? Result<void>() : broken(database_.get(), file_);
}

Result<void> Journal::begin(const State& state) {
  STITCH_ASSIGN(const int64_t present, number_of(database_.get(), file_, "SELECT COUNT(*) FROM events"));
  STITCH_CHECK(present == 0) << "the run has begun";
  return store("", state);
}

Result<void> Journal::append(const Event& event, const State& after) { return store(text_of(to_json(event)), after); }

Result<std::optional<State>> Journal::latest() const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "SELECT state FROM events ORDER BY number DESC LIMIT 1"));
  const int status = statement.step();
  if (status == SQLITE_DONE) {
    return std::optional<State>();
  }
  if (status != SQLITE_ROW) {
    return broken(database_.get(), file_);
  }
  STITCH_ASSIGN(State state, state_in(statement.text(0)));
  return std::optional(std::move(state));
}

Result<int64_t> Journal::event_count() const {
  return number_of(database_.get(), file_, "SELECT COUNT(*) FROM events WHERE number > 0");
}

Result<State> Journal::replay() const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), file_, "SELECT event, state FROM events ORDER BY number"));
  std::optional<State> state;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step()) {
    if (!state.has_value()) {
      STITCH_ASSIGN(state, state_in(statement.text(1)));
      continue;
    }
    STITCH_ASSIGN(const Json json, parse_json(statement.text(0), "an event"));
    STITCH_ASSIGN(const Event event, event_from_json(json));
    STITCH_ASSIGN(State after, next(*state, event));
    if (text_of(to_json(after)) != statement.text(1)) {
      return failure(
          ErrorCode::kInternal,
          fmt::format("the event after {} decisions led elsewhere when it was told again", state->decisions.size()),
          file_, "report this with the run's folder");
    }
    state = std::move(after);
  }
  if (status != SQLITE_DONE || !state.has_value()) {
    return status == SQLITE_DONE ? failure(ErrorCode::kFileInvalid, "the run has not begun", file_)
                                 : broken(database_.get(), file_);
  }
  return std::move(*state);
}

}  // namespace stitch::agents
