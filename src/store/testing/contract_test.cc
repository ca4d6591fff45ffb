// SPDX-License-Identifier: Apache-2.0
// What every store keeps, asked of each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "base/hash/sha256.h"
#include "store/open/open_store.h"
#include "store/testing/redis_server.h"

namespace stitch::store {
namespace {

using testing::RedisServer;

class SqlitePlace {
 public:
  static Result<SqlitePlace> make() {
    STITCH_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-store"));
    return SqlitePlace(std::move(folder));
  }
  static bool is_here() { return true; }
  std::string url() const { return "sqlite:" + (folder_.path() / "jobs.db").string(); }

 private:
  explicit SqlitePlace(TemporaryDirectory folder) : folder_(std::move(folder)) {}
  TemporaryDirectory folder_;
};

class RedisPlace {
 public:
  static Result<RedisPlace> make() {
    STITCH_ASSIGN(RedisServer server, RedisServer::start());
    return RedisPlace(std::move(server));
  }
  static bool is_here() { return !testing::find_redis_server().empty(); }
  std::string url() const { return server_.url() + "/3?prefix=contract"; }

 private:
  explicit RedisPlace(RedisServer server) : server_(std::move(server)) {}
  RedisServer server_;
};

template <typename Place>
class StoreContract : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Place::is_here()) {
      GTEST_SKIP() << testing::kNoRedis;
    }
    place_.emplace(Place::make().value());
    options_.clock_ms = [this] { return clock_ms_.load(); };
    options_.max_waiting[JobClass::kDevice] = 3;
    store_ = open_store(place_->url(), options_).value();
  }
  std::string submit(const std::string& run, const std::string& content, JobClass job_class = JobClass::kBuild) {
    return store_->submit({job_class, run, content}).value().id;
  }
  std::optional<Lease> pull(const std::string& worker = "w1", JobClass job_class = JobClass::kBuild,
                            const std::string& device = "") {
    return store_->pull({job_class, worker, device, kLeaseMs}).value();
  }
  std::string pulled(const std::string& device) {
    const std::optional<Lease> lease = pull("w1", JobClass::kDevice, device);
    return lease.has_value() ? lease->content : "nothing";
  }
  Counts::OfClass builds() { return store_->counts().value().of_class[JobClass::kBuild]; }

  static constexpr int64_t kLeaseMs = 1000;
  std::optional<Place> place_;
  std::atomic<int64_t> clock_ms_ = 1'764'200'000'000;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

using Places = ::testing::Types<SqlitePlace, RedisPlace>;
TYPED_TEST_SUITE(StoreContract, Places);

TYPED_TEST(StoreContract, AJobGoesAllTheWay) {
  const std::string id = this->submit("run", "content\n\0 \xff", JobClass::kBuild);
  EXPECT_EQ(id, sha256_hex("content\n\0 \xff"));
  EXPECT_TRUE(this->store_->ended("run", 10).value().empty());
  EXPECT_FALSE(this->pull("w1", JobClass::kDevice).has_value());
  const Lease lease = this->pull().value();
  EXPECT_EQ(lease.id, id);
  EXPECT_EQ(lease.run, "run");
  EXPECT_EQ(lease.content, "content\n\0 \xff");
  EXPECT_EQ(lease.delivery, 1);
  EXPECT_FALSE(this->pull().has_value());
  EXPECT_TRUE(this->store_->complete(lease, "result \xfe").value());
  const std::vector<Ended> ended = this->store_->ended("run", 10).value();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].id, id);
  EXPECT_EQ(ended[0].state, JobState::kDone);
  EXPECT_EQ(ended[0].text, "result \xfe");
  ASSERT_TRUE(this->store_->drop("run", {id}).has_value());
  EXPECT_TRUE(this->store_->ended("run", 10).value().empty());
  EXPECT_EQ(this->builds().done, 1);
}

TYPED_TEST(StoreContract, TheSameContentIsOneJob) {
  const Submission submission{JobClass::kBuild, "a", "same"};
  EXPECT_TRUE(this->store_->submit(submission).value().is_new);
  EXPECT_FALSE(this->store_->submit(submission).value().is_new);
  this->submit("b", "same");
  EXPECT_EQ(this->builds().waiting, 1);
  const Lease lease = this->pull().value();
  this->submit("c", "same");
  EXPECT_FALSE(this->pull().has_value());
  EXPECT_TRUE(this->store_->complete(lease, "r").value());
  this->submit("late", "same");
  for (const char* run : {"a", "b", "c", "late"}) {
    EXPECT_EQ(this->store_->ended(run, 10).value().size(), 1U) << run;
  }
  ASSERT_TRUE(this->store_->drop("a", {lease.id}).has_value());
  EXPECT_EQ(this->store_->ended("b", 10).value().size(), 1U);
  for (const char* run : {"b", "c", "late"}) {
    ASSERT_TRUE(this->store_->drop(run, {lease.id}).has_value());
  }
  EXPECT_TRUE(this->store_->submit(submission).value().is_new);
}

TYPED_TEST(StoreContract, EndedJobsComeInTheOrderOfTheirEnd) {
  this->submit("run", "1");
  this->submit("run", "2");
  const Lease first = this->pull().value();
  const Lease second = this->pull().value();
  EXPECT_EQ(first.content, "1");
  ASSERT_TRUE(this->store_->complete(second, "of 2").value());
  ASSERT_TRUE(this->store_->complete(first, "of 1").value());
  EXPECT_EQ(this->store_->ended("run", 1).value()[0].text, "of 2");
  EXPECT_EQ(this->store_->ended("run", 2).value()[1].text, "of 1");
}

TYPED_TEST(StoreContract, ALeaseLivesAsLongAsItBeats) {
  this->submit("run", "x");
  this->submit("run", "y");
  const Lease first = this->pull("w1").value();
  this->clock_ms_ += 900;
  EXPECT_TRUE(this->store_->beat(first, this->kLeaseMs).value());
  this->clock_ms_ += 900;
  EXPECT_EQ(this->pull("w2")->content, "y");
  EXPECT_FALSE(this->pull("w3").has_value());
  this->clock_ms_ += 200;
  const Lease second = this->pull("w3").value();  // before what is younger
  EXPECT_EQ(second.content, "x");
  EXPECT_EQ(second.delivery, 2);
  EXPECT_FALSE(this->store_->beat(first, this->kLeaseMs).value());
  EXPECT_FALSE(this->store_->complete(first, "too late").value());
  EXPECT_FALSE(this->store_->give_back(first, GivenBack::kCounted, "too late").value());
  EXPECT_TRUE(this->store_->complete(second, "in time").value());
  EXPECT_EQ(this->store_->ended("run", 10).value()[0].text, "in time");
  EXPECT_EQ(this->builds().taken_over, 1);
}

TYPED_TEST(StoreContract, AnEndIsTakenAgainFromTheSameLeaseAlone) {
  this->submit("run", "x");
  const Lease lease = this->pull().value();
  EXPECT_TRUE(this->store_->complete(lease, "first").value());
  EXPECT_TRUE(this->store_->complete(lease, "second").value());
  EXPECT_EQ(this->store_->ended("run", 10).value()[0].text, "first");
  EXPECT_EQ(this->builds().done, 1);
  Lease other = lease;
  ++other.token;
  EXPECT_FALSE(this->store_->complete(other, "third").value());
}

TYPED_TEST(StoreContract, WhoNeverEndsIsParkedWithASentence) {
  this->submit("run", "x");
  for (const char* worker : {"w1", "w2", "w3"}) {
    ASSERT_TRUE(this->pull(worker).has_value()) << worker;
    this->clock_ms_ += this->kLeaseMs + 1;
  }
  EXPECT_FALSE(this->pull("w4").has_value());
  const std::vector<Ended> ended = this->store_->ended("run", 10).value();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].state, JobState::kParked);
  EXPECT_EQ(ended[0].deliveries, 3);
  EXPECT_EQ(ended[0].text, "3 workers took this job and none ended it; of the last, w3: it was not heard of again");
  EXPECT_EQ(this->builds().parked, 1);
  EXPECT_EQ(this->builds().leased, 0);
  ASSERT_TRUE(this->store_->drop("run", {ended[0].id}).has_value());
  EXPECT_TRUE(this->store_->submit({JobClass::kBuild, "run", "x"}).value().is_new);
}

TYPED_TEST(StoreContract, ADrainingWorkerGivesBackWithoutHarm) {
  this->submit("run", "x");
  for (int i = 0; i < 5; ++i) {
    const Lease lease = this->pull().value();
    EXPECT_EQ(lease.delivery, 1);
    EXPECT_TRUE(this->store_->give_back(lease, GivenBack::kUncounted, "").value());
  }
  for (int i = 1; i <= 3; ++i) {
    const Lease lease = this->pull().value();
    EXPECT_EQ(lease.delivery, i);
    EXPECT_TRUE(this->store_->give_back(lease, GivenBack::kCounted, "its process 100% died").value());
  }
  const std::string sentence = this->store_->ended("run", 10).value().at(0).text;
  EXPECT_EQ(sentence, "3 workers took this job and none ended it; of the last, w1: its process 100% died");
}

TYPED_TEST(StoreContract, TurnsAreFairBetweenRuns) {
  for (int i = 0; i < 4; ++i) {
    this->submit("big", fmt::format("big {}", i));
  }
  this->submit("small", "small 0");
  this->submit("small", "small 1");
  std::vector<std::string> order;
  std::vector<Lease> leases;
  for (int i = 0; i < 4; ++i) {
    leases.push_back(this->pull().value());
    order.push_back(leases.back().content);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"big 0", "small 0", "big 1", "small 1"}));
  // Shares are of what is under way, not of turns: whose jobs ended comes first.
  ASSERT_TRUE(this->store_->complete(leases[0], "").value());
  ASSERT_TRUE(this->store_->complete(leases[2], "").value());
  this->submit("small", "small 2");
  EXPECT_EQ(this->pull()->content, "big 2");
}

TYPED_TEST(StoreContract, TooManyThatWaitAreNotTaken) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(this->store_->submit({JobClass::kDevice, "run", fmt::format("{}", i)}).value().is_new);
  }
  EXPECT_TRUE(this->store_->submit({JobClass::kDevice, "run", "3"}).value().is_full);
  EXPECT_FALSE(this->store_->submit({JobClass::kDevice, "run", "0"}).value().is_full) << "it is known";
  EXPECT_TRUE(this->store_->submit({JobClass::kBuild, "run", "3"}).value().is_new) << "of another class";
  ASSERT_TRUE(this->pull("w1", JobClass::kDevice).has_value());
  EXPECT_TRUE(this->store_->submit({JobClass::kDevice, "run", "4"}).value().is_new);
}

TYPED_TEST(StoreContract, CancellationReachesTheWorker) {
  const std::string waiting = this->submit("run", "waits");
  const std::string shared = this->submit("run", "shared");
  this->submit("other", "shared");
  ASSERT_TRUE(this->store_->drop("run", {waiting}).has_value());
  ASSERT_TRUE(this->store_->drop("run", {shared}).has_value());
  const Lease lease = this->pull().value();
  EXPECT_EQ(lease.content, "shared");
  EXPECT_TRUE(this->store_->beat(lease, this->kLeaseMs).value());
  ASSERT_TRUE(this->store_->drop("other", {shared}).has_value());
  EXPECT_FALSE(this->store_->beat(lease, this->kLeaseMs).value());
  EXPECT_FALSE(this->store_->complete(lease, "").value());
  EXPECT_EQ(this->builds().waiting, 0);
  EXPECT_EQ(this->builds().leased, 0);
  EXPECT_TRUE(this->store_->drop("nobody", {"no such job"}).has_value());
}

TYPED_TEST(StoreContract, OneRunHasOneKindOfDevice) {
  this->submit("run", "0", JobClass::kDevice);
  this->submit("run", "1", JobClass::kDevice);
  ASSERT_TRUE(this->store_->submit({JobClass::kDevice, "strict", "2", "NVIDIA A100"}).has_value());
  EXPECT_EQ(this->pulled("NVIDIA H200"), "0");
  EXPECT_EQ(this->pulled("NVIDIA A100"), "2");
  EXPECT_EQ(this->pulled("NVIDIA A100"), "nothing");
  EXPECT_EQ(this->pulled("NVIDIA H200"), "1");
}

TYPED_TEST(StoreContract, WhatNobodyDropsGoesAfterItsTime) {
  const std::string id = this->submit("run", "x");
  ASSERT_TRUE(this->store_->complete(this->pull().value(), "r").value());
  this->clock_ms_ += this->options_.keep_ms + 1;
  EXPECT_FALSE(this->pull().has_value());
  EXPECT_TRUE(this->store_->ended("run", 10).value().empty());
  EXPECT_TRUE(this->store_->submit({JobClass::kBuild, "run", "x"}).value().is_new);
}

TYPED_TEST(StoreContract, SubmissionsThatAreNoneAreRefused) {
  EXPECT_FALSE(this->store_->submit({JobClass::kBuild, "", "x"}).has_value());
  EXPECT_FALSE(this->store_->submit({JobClass::kBuild, "two words", "x"}).has_value());
  EXPECT_FALSE(this->store_->submit({JobClass::kBuild, "run", ""}).has_value());
  EXPECT_FALSE(this->store_->submit({JobClass::kBuild, "run", std::string(kMaxContentBytes + 1, 'x')}).has_value());
}

TYPED_TEST(StoreContract, WhoWaitsIsWoken) {
  constexpr int64_t kFar = 30'000;
  using Clock = std::chrono::steady_clock;
  const std::string url = this->place_->url();
  std::atomic<int> looks = 0;
  std::thread worker([&] {
    const std::unique_ptr<Store> own = open_store(url, this->options_).value();
    std::optional<Lease> lease = own->pull({JobClass::kBuild, "w", "", kFar}).value();
    while (!lease.has_value()) {
      ++looks;
      EXPECT_TRUE(own->wait_for_work(JobClass::kBuild, kFar).has_value());
      lease = own->pull({JobClass::kBuild, "w", "", kFar}).value();
    }
    EXPECT_TRUE(own->complete(*lease, "r").value());
  });
  const Clock::time_point begun = Clock::now();
  while (looks < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  this->submit("run", "x");
  while (this->store_->ended("run", 1).value().empty()) {
    ASSERT_TRUE(this->store_->wait_for_ended("run", kFar).has_value());
  }
  EXPECT_LT(Clock::now() - begun, std::chrono::milliseconds(kFar));
  worker.join();
}

// Threads with stores of their own, each of which now and then forgets its lease.
TYPED_TEST(StoreContract, ManyAtOnceLoseAndDoubleNothing) {
  constexpr int kJobs = 120;
  const std::string url = this->place_->url();
  std::atomic<int> forgotten = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&, w] {
      const std::unique_ptr<Store> own = open_store(url, this->options_).value();
      for (int i = 0; !is_over; ++i) {
        const std::optional<Lease> lease = own->pull({JobClass::kBuild, fmt::format("w{}", w), "", 1000}).value();
        if (!lease.has_value()) {
          EXPECT_TRUE(own->wait_for_work(JobClass::kBuild, 5).has_value());
        } else if (i % 7 == w && lease->delivery < kMaxDeliveries) {
          ++forgotten;
          this->clock_ms_ += 1001;
        } else {
          static_cast<void>(own->complete(*lease, lease->content).value());
        }
      }
    });
  }
  std::set<std::string> expected;
  for (int i = 0; i < kJobs; ++i) {
    expected.insert(this->submit(fmt::format("run{}", i % 3), fmt::format("job {}", i)));
  }
  std::multiset<std::string> seen;
  while (seen.size() < expected.size()) {
    for (const char* run : {"run0", "run1", "run2"}) {
      const std::vector<Ended> ended = this->store_->ended(run, 10).value();
      for (const Ended& each : ended) {
        EXPECT_TRUE(each.state == JobState::kParked || sha256_hex(each.text) == each.id) << each.text;
        seen.insert(each.id);
        ASSERT_TRUE(this->store_->drop(run, {each.id}).has_value());
      }
    }
  }
  is_over = true;
  for (std::thread& worker : workers) {
    worker.join();
  }
  EXPECT_GT(forgotten, 0);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), expected);
  EXPECT_EQ(seen.size(), expected.size());
  EXPECT_EQ(this->builds().waiting + this->builds().leased, 0);
}

TEST(OpenStore, AddressesAreReadStrictly) {
  for (const char* good : {"sqlite:a/b.db", "b.db", "redis://host", "redis://host:6380/2?prefix=a-b", "valkey://[::1]",
                           "redis://h?prefix=x&password-file=/run/secret"}) {
    EXPECT_TRUE(check_store_url(good).has_value()) << good;
  }
  for (const char* bad :
       {"", "sqlite:", "http://host", "redis://", "redis://:secret@host", "redis://host:port", "redis://host:70000",
        "redis://host/x", "redis://host?prefix=", "redis://host?prefix=a b", "redis://host?speed=9"}) {
    EXPECT_FALSE(check_store_url(bad).has_value()) << bad;
  }
}

TEST(RedisStore, ServerThatIsNotThereIsASentence) {
  const Result<std::unique_ptr<Store>> store = open_store("redis://127.0.0.1:1", {.patience_ms = 10});
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().message.find("did not answer"), std::string::npos) << store.error().message;
}

// What was answered outlives the server's process; who asks meanwhile waits.
TEST(RedisStore, OutlivesAKilledServer) {
  if (testing::find_redis_server().empty()) {
    GTEST_SKIP() << testing::kNoRedis;
  }
  RedisServer server = RedisServer::start().value();
  const std::unique_ptr<Store> store = open_store(server.url()).value();
  ASSERT_TRUE(store->submit({JobClass::kBuild, "run", "x"}).has_value());
  ASSERT_TRUE(store->submit({JobClass::kBuild, "run", "y"}).has_value());
  const Lease lease = store->pull({JobClass::kBuild, "w", ""}).value().value();
  server.kill();
  std::thread asker([&] { EXPECT_TRUE(store->complete(lease, "r").value()); });
  ASSERT_TRUE(server.start_again().has_value());  // here: a child ends with the thread that started it
  asker.join();
  EXPECT_EQ(store->ended("run", 10).value().size(), 1U);
  EXPECT_EQ(store->pull({JobClass::kBuild, "w", ""}).value()->content, "y");
}

}  // namespace
}  // namespace stitch::store
