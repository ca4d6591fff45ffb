// SPDX-License-Identifier: Apache-2.0
#include "store/redis/redis_store.h"

#include <charconv>

#include "base/hash/sha256.h"
#include "store/redis/scripts.h"

namespace stitch::store {
namespace {

using internal::RedisConnection;
using internal::RedisReply;

Result<int64_t> number_in(const RedisReply& reply) {
  int64_t number = 0;
  const char* end = reply.text.data() + reply.text.size();
  const auto [stop, error] = std::from_chars(reply.text.data(), end, number);
  if (reply.is_nothing) {
    return int64_t{0};
  }
  if (error != std::errc() || stop != end) {
    return failure(ErrorCode::kFileInvalid, "the store of jobs answers '" + reply.text + "' where a number stands", "",
                   "name another prefix with ?prefix= in --store");
  }
  return number;
}

Result<void> check_length(const RedisReply& reply, size_t multiple_of) {
  if (reply.list.size() % multiple_of != 0) {
    return failure(ErrorCode::kFileInvalid, "the store of jobs answers with a list of another length");
  }
  return {};
}

class RedisStore : public Store {
 public:
  RedisStore(const internal::RedisPlace& place, const StoreOptions& options)
      : connection_(place), work_wait_(place), ended_wait_(place), options_(options) {}

  Result<void> greet() {
    STITCH_TRY(connection_.ask({"PING"}));
    return {};
  }

  Result<Submitted> submit(const Submission& submission) override;
  Result<std::optional<Lease>> pull(const Puller& puller) override;
  Result<bool> beat(const Lease& lease, int64_t lease_ms) override {
    return is_one(run(scripts_.beat, {lease.id, std::to_string(lease.token), std::to_string(lease_ms)}));
  }
  Result<bool> complete(const Lease& lease, const std::string& result) override {
    return is_one(run(scripts_.complete, {lease.id, std::to_string(lease.token), result}));
  }
  Result<bool> give_back(const Lease& lease, GivenBack how, const std::string& why) override {
    const char* counted = how == GivenBack::kCounted ? "1" : "0";
    return is_one(run(scripts_.give_back, {lease.id, std::to_string(lease.token), counted, why}));
  }
  Result<std::vector<Ended>> ended(const std::string& of_run, int max) override;
  Result<void> drop(const std::string& of_run, const std::vector<std::string>& ids) override {
    std::vector<std::string> arguments = {of_run};
    arguments.insert(arguments.end(), ids.begin(), ids.end());
    STITCH_TRY(run(scripts_.drop, std::move(arguments)));
    return {};
  }
  Result<Counts> counts() override;
  Result<void> wait_for_work(JobClass job_class, int64_t timeout_ms) override {
    return work_wait_.listen(bell(to_string(job_class)), timeout_ms);
  }
  Result<void> wait_for_ended(const std::string& of_run, int64_t timeout_ms) override {
    return ended_wait_.listen(bell(of_run), timeout_ms);
  }

 private:
  std::string bell(const std::string& of) const { return connection_.place().prefix + "bell:" + of; }
  Result<RedisReply> run(const std::string& script, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::to_string(options_.clock_ms ? options_.clock_ms() : 0));
    return connection_.run_script(script, arguments);
  }
  static Result<bool> is_one(Result<RedisReply> reply) {
    STITCH_ASSIGN(const RedisReply answer, std::move(reply));
    return answer.text == "1";
  }

  const internal::RedisScripts scripts_ = internal::redis_scripts();
  RedisConnection connection_;
  RedisConnection work_wait_;  // a connection that listens cannot ask
  RedisConnection ended_wait_;
  StoreOptions options_;
};

Result<Submitted> RedisStore::submit(const Submission& submission) {
  STITCH_TRY(check(submission));
  Submitted submitted{.id = sha256_hex(submission.content)};
  const auto limit = options_.max_waiting.find(submission.job_class);
  const int64_t max = limit == options_.max_waiting.end() ? INT64_MAX : limit->second;
  STITCH_ASSIGN(const RedisReply reply,
                run(scripts_.submit, {submitted.id, to_string(submission.job_class), submission.run, submission.content,
                                      submission.device, std::to_string(max), std::to_string(options_.keep_ms)}));
  submitted.is_new = reply.text == "new";
  submitted.is_full = reply.text == "full";
  return submitted;
}

Result<std::optional<Lease>> RedisStore::pull(const Puller& puller) {
  STITCH_ASSIGN(const RedisReply reply,
                run(scripts_.pull, {to_string(puller.job_class), puller.worker, puller.device,
                                    std::to_string(puller.lease_ms), std::to_string(options_.keep_ms)}));
  constexpr size_t kFields = 5;
  STITCH_TRY(check_length(reply, kFields));
  if (reply.list.empty()) {
    return std::optional<Lease>{};
  }
  STITCH_ASSIGN(const int64_t token, number_in(reply.list[1]));
  STITCH_ASSIGN(const int64_t delivery, number_in(reply.list[4]));
  return std::optional(Lease{.id = reply.list[0].text,
                             .token = token,
                             .run = reply.list[2].text,
                             .content = reply.list[3].text,
                             .delivery = static_cast<int>(delivery)});
}

Result<std::vector<Ended>> RedisStore::ended(const std::string& of_run, int max) {
  STITCH_ASSIGN(const RedisReply reply, run(scripts_.ended, {of_run, std::to_string(max)}));
  constexpr size_t kFields = 4;
  STITCH_TRY(check_length(reply, kFields));
  std::vector<Ended> all;
  for (size_t i = 0; i < reply.list.size(); i += kFields) {
    STITCH_ASSIGN(const JobState state, job_state_from_string(reply.list[i + 1].text));
    STITCH_ASSIGN(const int64_t deliveries, number_in(reply.list[i + 3]));
    all.push_back({reply.list[i].text, state, reply.list[i + 2].text, static_cast<int>(deliveries)});
  }
  return all;
}

Result<Counts> RedisStore::counts() {
  Counts counts;
  for (const JobClass job_class : kJobClasses) {
    Counts::OfClass& of = counts.of_class[job_class];
    STITCH_ASSIGN(const RedisReply reply,
                  run(scripts_.counts, {to_string(job_class), std::to_string(options_.keep_ms)}));
    int64_t* const places[] = {&of.waiting, &of.leased, &of.submitted, &of.done, &of.parked, &of.taken_over};
    STITCH_TRY(check_length(reply, std::size(places)));
    for (size_t i = 0; i < reply.list.size(); ++i) {
      STITCH_ASSIGN(*places[i], number_in(reply.list[i]));
    }
  }
  return counts;
}

}  // namespace

Result<std::unique_ptr<Store>> open_redis_store(internal::RedisPlace place, const StoreOptions& options) {
  place.patience_ms = options.patience_ms;
  auto store = std::make_unique<RedisStore>(place, options);
  STITCH_TRY(store->greet());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace stitch::store
