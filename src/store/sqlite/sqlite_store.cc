// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_store.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "base/hash/sha256.h"
#include "store/sqlite/bell.h"
#include "store/sqlite/statements.h"

namespace stitch::store {
namespace {

namespace fs = std::filesystem;
using internal::Row;
using internal::Value;

constexpr int kSchemaVersion = 1;

// `number` is the order of submission; a job taken over keeps it and so comes first again. `wants` says who waits for
// a job's end, `lanes` how many of a run's jobs wait and are under way, and when it last had its turn.
constexpr const char* kSchema = R"(
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, class TEXT NOT NULL, run TEXT NOT NULL, number INTEGER NOT NULL, state TEXT NOT NULL,
  content TEXT NOT NULL, result TEXT NOT NULL DEFAULT '', worker TEXT NOT NULL DEFAULT '',
  token INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0, lease_until INTEGER, ended_at INTEGER
) WITHOUT ROWID;
CREATE INDEX jobs_waiting ON jobs (class, run, number) WHERE state = 'waiting';
CREATE INDEX jobs_leased ON jobs (class, lease_until) WHERE state = 'leased';
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE wants (run TEXT NOT NULL, id TEXT NOT NULL, ended INTEGER, PRIMARY KEY (run, id)) WITHOUT ROWID;
CREATE INDEX wants_of ON wants (id);
CREATE INDEX wants_ended ON wants (run, ended) WHERE ended IS NOT NULL;
CREATE TABLE lanes (
  class TEXT NOT NULL, run TEXT NOT NULL, waiting INTEGER NOT NULL DEFAULT 0, leased INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (class, run)
) WITHOUT ROWID;
CREATE TABLE pins (run TEXT PRIMARY KEY, device TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (class TEXT NOT NULL, what TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (class, what))
  WITHOUT ROWID;
CREATE TABLE turns (number INTEGER NOT NULL);
INSERT INTO turns VALUES (0);
)";

constexpr int64_t kSweepAtOnce = 100;
constexpr const char* kEndedBell = "ended";

int64_t now_of_machine_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t number(const Row& row, size_t column) {
  const auto* value = std::get_if<int64_t>(&row[column]);
  return value == nullptr ? 0 : *value;
}

std::string text(const Row& row, size_t column) {
  const auto* value = std::get_if<std::string>(&row[column]);
  return value == nullptr ? "" : *value;
}

class SqliteStore : public Store {
 public:
  SqliteStore(const fs::path& file, internal::Statements statements, const StoreOptions& options)
      : bells_(file.string() + ".bells"), db_(std::move(statements)), options_(options) {}

  Result<Submitted> submit(const Submission& submission) override;
  Result<std::optional<Lease>> pull(const Puller& puller) override;
  Result<bool> beat(const Lease& lease, int64_t lease_ms) override;
  Result<bool> complete(const Lease& lease, const std::string& result) override;
  Result<bool> give_back(const Lease& lease, GivenBack how, const std::string& why) override;
  Result<std::vector<Ended>> ended(const std::string& run, int max) override;
  Result<void> drop(const std::string& run, const std::vector<std::string>& ids) override;
  Result<Counts> counts() override;
  Result<void> wait_for_work(JobClass job_class, int64_t timeout_ms) override {
    return work_wait_.wait(bell_of(to_string(job_class)), timeout_ms);
  }
  Result<void> wait_for_ended(const std::string& /*run*/, int64_t timeout_ms) override {
    return ended_wait_.wait(bell_of(kEndedBell), timeout_ms);
  }

 private:
  int64_t now() const { return options_.clock_ms ? options_.clock_ms() : now_of_machine_ms(); }
  fs::path bell_of(const std::string& name) const { return bells_ / name; }
  // Bells that were asked for ring once what they tell of is there to be read.
  Result<void> change(const std::function<Result<void>()>& work) {
    const Result<void> done = db_.change(work);
    for (const std::string& bell : std::exchange(to_ring_, {})) {
      internal::ring(bells_ / bell);
    }
    return done;
  }
  Result<int64_t> next_turn();
  Result<void> add(const std::string& job_class, const char* what);
  Result<void> add_job(const Submission& submission, Submitted& submitted);
  Result<void> want(const Submission& submission, const std::string& id, bool has_ended);
  Result<void> sweep(const std::string& job_class);
  Result<std::optional<Lease>> take(const Puller& puller);
  Result<bool> holds(const Lease& lease, JobState state);
  Result<void> finish(const std::string& id, JobState state, const std::string& result);
  Result<void> release(const std::string& id, GivenBack how, const std::string& why);
  Result<void> leave_lane(const Row& job);
  Result<void> drop_one(const std::string& run, const std::string& id);

  fs::path bells_;
  std::set<std::string> to_ring_;
  internal::Statements db_;
  StoreOptions options_;
  internal::BellWait work_wait_;
  internal::BellWait ended_wait_;
};

Result<int64_t> SqliteStore::next_turn() {
  STITCH_ASSIGN(const std::vector<Row> rows, db_.rows("UPDATE turns SET number = number + 1 RETURNING number", {}));
  return rows.empty() ? Result<int64_t>(failure(ErrorCode::kFileInvalid, "the store of jobs has lost its counter"))
                      : Result<int64_t>(number(rows[0], 0));
}

Result<void> SqliteStore::add(const std::string& job_class, const char* what) {
  return db_.run("INSERT INTO totals VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET number = number + 1",
                 {job_class, std::string(what)});
}

Result<Submitted> SqliteStore::submit(const Submission& submission) {
  STITCH_TRY(check(submission));
  Submitted submitted{.id = sha256_hex(submission.content)};
  STITCH_TRY(change([&]() -> Result<void> {
    STITCH_ASSIGN(const std::vector<Row> known,
                  db_.rows("SELECT ended_at IS NOT NULL FROM jobs WHERE id = ?1", {submitted.id}));
    if (known.empty()) {
      return add_job(submission, submitted);
    }
    return want(submission, submitted.id, number(known[0], 0) == 1);
  }));
  return submitted;
}

Result<void> SqliteStore::want(const Submission& submission, const std::string& id, bool has_ended) {
  STITCH_ASSIGN(const int64_t turn, next_turn());
  if (has_ended) {
    to_ring_.insert(kEndedBell);
    return db_.run("INSERT OR IGNORE INTO wants VALUES (?1, ?2, ?3)", {submission.run, id, turn});
  }
  return db_.run("INSERT OR IGNORE INTO wants VALUES (?1, ?2, NULL)", {submission.run, id});
}

Result<void> SqliteStore::add_job(const Submission& submission, Submitted& submitted) {
  const std::string job_class = to_string(submission.job_class);
  STITCH_ASSIGN(const std::vector<Row> waiting,
                db_.rows("SELECT SUM(waiting) FROM lanes WHERE class = ?1", {job_class}));
  const auto limit = options_.max_waiting.find(submission.job_class);
  if (limit != options_.max_waiting.end() && number(waiting[0], 0) >= limit->second) {
    submitted.is_full = true;
    return {};
  }
  submitted.is_new = true;
  STITCH_ASSIGN(const int64_t turn, next_turn());
  STITCH_TRY(db_.run("INSERT INTO jobs (id, class, run, number, state, content) VALUES (?1, ?2, ?3, ?4, 'waiting', ?5)",
                     {submitted.id, job_class, submission.run, turn, submission.content}));
  STITCH_TRY(
      db_.run("INSERT INTO lanes (class, run, waiting) VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET waiting = "
              "waiting + 1",
              {job_class, submission.run}));
  if (!submission.device.empty()) {
    STITCH_TRY(db_.run("INSERT OR IGNORE INTO pins VALUES (?1, ?2, ?3)",
                       {submission.run, submission.device, now() + options_.keep_ms}));
  }
  to_ring_.insert(job_class);
  STITCH_TRY(add(job_class, "submitted"));
  return want(submission, submitted.id, false);
}

// Leases that ran out, and what nobody has asked for in a long time.
Result<void> SqliteStore::sweep(const std::string& job_class) {
  STITCH_ASSIGN(const std::vector<Row> late,
                db_.rows("SELECT id FROM jobs WHERE state = 'leased' AND class = ?1 AND lease_until < ?2 LIMIT ?3",
                         {job_class, now(), kSweepAtOnce}));
  for (const Row& row : late) {
    STITCH_TRY(release(text(row, 0), GivenBack::kCounted, kNotHeardOf));
    STITCH_TRY(add(job_class, "taken_over"));
  }
  STITCH_ASSIGN(const std::vector<Row> old,
                db_.rows("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ended_at < ?1 LIMIT ?2) RETURNING id",
                         {now() - options_.keep_ms, kSweepAtOnce}));
  for (const Row& row : old) {
    STITCH_TRY(db_.run("DELETE FROM wants WHERE id = ?1", {text(row, 0)}));
  }
  return db_.run("DELETE FROM pins WHERE until < ?1", {now()});
}

Result<std::optional<Lease>> SqliteStore::pull(const Puller& puller) {
  std::optional<Lease> lease;
  STITCH_TRY(change([&]() -> Result<void> {
    STITCH_TRY(sweep(to_string(puller.job_class)));
    STITCH_ASSIGN(lease, take(puller));
    return {};
  }));
  return lease;
}

Result<std::optional<Lease>> SqliteStore::take(const Puller& puller) {
  const std::string job_class = to_string(puller.job_class);
  STITCH_ASSIGN(const std::vector<Row> lanes,
                db_.rows("SELECT run FROM lanes LEFT JOIN pins USING (run) WHERE class = ?1 AND waiting > 0 AND "
                         "(device IS NULL OR device = ?2 OR ?2 = '') ORDER BY leased, turn LIMIT 1",
                         {job_class, puller.device}));
  if (lanes.empty()) {
    return std::optional<Lease>{};
  }
  const std::string run = text(lanes[0], 0);
  STITCH_ASSIGN(const int64_t token, next_turn());
  STITCH_ASSIGN(const std::vector<Row> jobs,
                db_.rows("UPDATE jobs SET state = 'leased', worker = ?3, token = ?4, lease_until = ?5, deliveries = "
                         "deliveries + 1 WHERE id = (SELECT id FROM jobs WHERE state = 'waiting' AND class = ?1 AND "
                         "run = ?2 ORDER BY number LIMIT 1) RETURNING id, content, deliveries",
                         {job_class, run, puller.worker, token, now() + puller.lease_ms}));
  if (jobs.empty()) {
    return failure(ErrorCode::kFileInvalid, "the store of jobs counts a waiting job that it does not have");
  }
  STITCH_TRY(
      db_.run("UPDATE lanes SET waiting = waiting - 1, leased = leased + 1, turn = ?3 WHERE class = ?1 AND "
              "run = ?2",
              {job_class, run, token}));
  if (!puller.device.empty()) {
    STITCH_TRY(db_.run("INSERT INTO pins VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET until = ?3",
                       {run, puller.device, now() + options_.keep_ms}));
  }
  return std::optional(Lease{.id = text(jobs[0], 0),
                             .token = token,
                             .run = run,
                             .content = text(jobs[0], 1),
                             .delivery = static_cast<int>(number(jobs[0], 2))});
}

Result<bool> SqliteStore::beat(const Lease& lease, int64_t lease_ms) {
  std::vector<Row> held;
  STITCH_TRY(change([&]() -> Result<void> {
    STITCH_ASSIGN(held, db_.rows("UPDATE jobs SET lease_until = ?3 WHERE id = ?1 AND token = ?2 AND state = 'leased' "
                                 "RETURNING id",
                                 {lease.id, lease.token, now() + lease_ms}));
    return {};
  }));
  return !held.empty();
}

Result<bool> SqliteStore::holds(const Lease& lease, JobState state) {
  STITCH_ASSIGN(const std::vector<Row> found, db_.rows("SELECT 1 FROM jobs WHERE id = ?1 AND token = ?2 AND state = ?3",
                                                       {lease.id, lease.token, std::string(to_string(state))}));
  return !found.empty();
}

Result<bool> SqliteStore::complete(const Lease& lease, const std::string& result) {
  bool is_taken = false;
  STITCH_TRY(change([&]() -> Result<void> {
    STITCH_ASSIGN(const bool is_held, holds(lease, JobState::kLeased));
    STITCH_ASSIGN(const bool is_done, holds(lease, JobState::kDone));  // asked again: the same answer
    is_taken = is_held || is_done;
    return is_held ? finish(lease.id, JobState::kDone, result) : Result<void>();
  }));
  return is_taken;
}

Result<bool> SqliteStore::give_back(const Lease& lease, GivenBack how, const std::string& why) {
  bool is_taken = false;
  STITCH_TRY(change([&]() -> Result<void> {
    STITCH_ASSIGN(is_taken, holds(lease, JobState::kLeased));
    return is_taken ? release(lease.id, how, why) : Result<void>();
  }));
  return is_taken;
}

// Counts the job out of its run's lane.
Result<void> SqliteStore::leave_lane(const Row& job) {
  const bool is_waiting = text(job, 2) == "waiting";
  if (!is_waiting && text(job, 2) != "leased") {
    return {};
  }
  STITCH_TRY(db_.run("UPDATE lanes SET waiting = waiting - ?3, leased = leased - ?4 WHERE class = ?1 AND run = ?2",
                     {text(job, 0), text(job, 1), int64_t{is_waiting}, int64_t{!is_waiting}}));
  return db_.run("DELETE FROM lanes WHERE class = ?1 AND run = ?2 AND waiting <= 0 AND leased <= 0",
                 {text(job, 0), text(job, 1)});
}

constexpr const char* kLaneOfJob = "SELECT class, run, state, worker, deliveries FROM jobs WHERE id = ?1";

Result<void> SqliteStore::finish(const std::string& id, JobState state, const std::string& result) {
  STITCH_ASSIGN(const std::vector<Row> job, db_.rows(kLaneOfJob, {id}));
  STITCH_TRY(leave_lane(job[0]));
  STITCH_TRY(
      db_.run("UPDATE jobs SET state = ?2, result = ?3, ended_at = ?4, lease_until = NULL, content = '' WHERE "
              "id = ?1",
              {id, std::string(to_string(state)), result, now()}));
  to_ring_.insert(kEndedBell);
  STITCH_ASSIGN(const int64_t turn, next_turn());
  STITCH_TRY(db_.run("UPDATE wants SET ended = ?2 WHERE id = ?1", {id, turn}));
  return add(text(job[0], 0), to_string(state));
}

Result<void> SqliteStore::release(const std::string& id, GivenBack how, const std::string& why) {
  STITCH_ASSIGN(const std::vector<Row> job, db_.rows(kLaneOfJob, {id}));
  const auto deliveries = static_cast<int>(number(job[0], 4));
  if (how == GivenBack::kCounted && deliveries >= kMaxDeliveries) {
    return finish(id, JobState::kParked, parked_sentence(deliveries, text(job[0], 3), why));
  }
  STITCH_TRY(
      db_.run("UPDATE jobs SET state = 'waiting', lease_until = NULL, deliveries = deliveries - ?2 WHERE id = ?1",
              {id, int64_t{how == GivenBack::kUncounted}}));
  STITCH_TRY(db_.run("UPDATE lanes SET waiting = waiting + 1, leased = leased - 1 WHERE class = ?1 AND run = ?2",
                     {text(job[0], 0), text(job[0], 1)}));
  to_ring_.insert(text(job[0], 0));
  return {};
}

Result<std::vector<Ended>> SqliteStore::ended(const std::string& run, int max) {
  STITCH_ASSIGN(
      const std::vector<Row> rows,
      db_.rows("SELECT id, state, result, deliveries FROM wants JOIN jobs USING (id) WHERE wants.run = ?1 AND "
               "wants.ended IS NOT NULL ORDER BY wants.ended LIMIT ?2",
               {run, int64_t{max}}));
  std::vector<Ended> all;
  for (const Row& row : rows) {
    STITCH_ASSIGN(const JobState state, job_state_from_string(text(row, 1)));
    all.push_back({text(row, 0), state, text(row, 2), static_cast<int>(number(row, 3))});
  }
  return all;
}

Result<void> SqliteStore::drop(const std::string& run, const std::vector<std::string>& ids) {
  return change([&]() -> Result<void> {
    for (const std::string& id : ids) {
      STITCH_TRY(drop_one(run, id));
    }
    return {};
  });
}

Result<void> SqliteStore::drop_one(const std::string& run, const std::string& id) {
  STITCH_TRY(db_.run("DELETE FROM wants WHERE run = ?1 AND id = ?2", {run, id}));
  STITCH_ASSIGN(const std::vector<Row> others, db_.rows("SELECT 1 FROM wants WHERE id = ?1 LIMIT 1", {id}));
  STITCH_ASSIGN(const std::vector<Row> job, db_.rows(kLaneOfJob, {id}));
  if (!others.empty() || job.empty()) {
    return {};
  }
  STITCH_TRY(leave_lane(job[0]));
  return db_.run("DELETE FROM jobs WHERE id = ?1", {id});
}

Result<Counts> SqliteStore::counts() {
  Counts counts;
  STITCH_TRY(change([&]() -> Result<void> {
    for (const JobClass job_class : kJobClasses) {
      STITCH_TRY(sweep(to_string(job_class)));
    }
    return {};
  }));
  for (const JobClass job_class : kJobClasses) {
    Counts::OfClass& of = counts.of_class[job_class];
    STITCH_ASSIGN(const std::vector<Row> lanes, db_.rows("SELECT SUM(waiting), SUM(leased) FROM lanes WHERE class = ?1",
                                                         {std::string(to_string(job_class))}));
    of.waiting = number(lanes[0], 0);
    of.leased = number(lanes[0], 1);
    STITCH_ASSIGN(const std::vector<Row> totals,
                  db_.rows("SELECT what, number FROM totals WHERE class = ?1", {std::string(to_string(job_class))}));
    for (const Row& row : totals) {
      for (const auto& [name, place] : {std::pair<const char*, int64_t*>{"submitted", &of.submitted},
                                        {"done", &of.done},
                                        {"parked", &of.parked},
                                        {"taken_over", &of.taken_over}}) {
        if (text(row, 0) == name) {
          *place = number(row, 1);
        }
      }
    }
  }
  return counts;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const fs::path& file, const StoreOptions& options) {
  STITCH_ASSIGN(internal::Statements statements, internal::Statements::open(file, kSchema, kSchemaVersion));
  return std::unique_ptr<Store>(std::make_unique<SqliteStore>(file, std::move(statements), options));
}

}  // namespace stitch::store
