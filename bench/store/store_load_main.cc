// SPDX-License-Identifier: Apache-2.0
// A front end and workers that do nothing but use the store: for bench/store/run and for tests that kill them.
//     stitchcuda-store-load submit URL RUN COUNT WINDOW RESULTS    appends "id text" of each ended job to the file
//     RESULTS,
//                                                                  from which it goes on; prints latencies as JSON
//     stitchcuda-store-load work URL THREADS SLEEP_MS LEASE_MS     until it is killed
//     stitchcuda-store-load crowd URL THREADS SLEEP_MS COUNT       workers that end after COUNT jobs: their busy share
//     stitchcuda-store-load redis                                  a server of its own: prints its address, ends with
//     stdin
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/hash/sha256.h"
#include "store/open/open_store.h"
#include "store/testing/redis_server.h"

namespace stitch::store {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

int failed(const Error& error) {
  fmt::print(stderr, "{} ({})\n", error.message, error.location);
  return exit_status(error.code);
}

uint64_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// Jobs of one run, WINDOW of them in the store at once.
class FrontEnd {
 public:
  FrontEnd(std::unique_ptr<Store> store, std::string run, int count, size_t window, const std::string& results)
      : store_(std::move(store)), run_(std::move(run)), count_(count), window_(window) {
    std::ifstream known(results);
    for (std::string id, text; known >> id >> text;) {
      known_.insert(id);
    }
    file_.open(results, std::ios::app);
  }

  Result<void> run() {
    const Clock::time_point begun = Clock::now();
    const uint64_t before = resident_kib();
    int next = 0;
    while (next < count_ || !begun_.empty()) {
      while (next < count_ && begun_.size() < window_) {
        STITCH_TRY(submit(fmt::format("{}/{}", run_, next++)));
      }
      STITCH_TRY(collect());
    }
    const double seconds = milliseconds_since(begun) / 1000;
    std::sort(latencies_.begin(), latencies_.end());
    const size_t ended = latencies_.size();
    fmt::print(
        "{{\"jobs\": {}, \"seconds\": {:.3f}, \"jobs_a_second\": {:.1f}, \"p50_ms\": {:.2f}, \"p99_ms\": {:.2f}, "
        "\"parked\": {}, \"grown_kib\": {}}}\n",
        ended, seconds, static_cast<double>(ended) / seconds, ended == 0 ? 0 : latencies_[ended / 2],
        ended == 0 ? 0 : latencies_[ended * 99 / 100], parked_,
        static_cast<int64_t>(resident_kib()) - static_cast<int64_t>(before));
    return {};
  }

 private:
  Result<void> submit(const std::string& content) {
    const std::string id = sha256_hex(content);
    if (known_.contains(id)) {
      return store_->drop(run_, {id});  // it ended before this process began
    }
    begun_[id] = Clock::now();
    STITCH_TRY(store_->submit({JobClass::kBuild, run_, content}));
    return {};
  }

  // What is written down first is never lost; what is there already is not written again.
  Result<void> collect() {
    STITCH_ASSIGN(const std::vector<Ended> ended, store_->ended(run_, 100));
    std::vector<std::string> ids;
    for (const Ended& each : ended) {
      ids.push_back(each.id);
      const auto found = begun_.find(each.id);
      if (found != begun_.end()) {
        parked_ += each.state == JobState::kParked ? 1 : 0;
        file_ << each.id << ' ' << (each.state == JobState::kDone ? each.text : "parked") << std::endl;
        latencies_.push_back(milliseconds_since(found->second));
        begun_.erase(found);
      }
    }
    return ids.empty() ? store_->wait_for_ended(run_, 200) : store_->drop(run_, ids);
  }

  std::unique_ptr<Store> store_;
  std::string run_;
  int count_;
  size_t window_;
  std::set<std::string> known_;
  std::map<std::string, Clock::time_point> begun_;
  std::vector<double> latencies_;
  int64_t parked_ = 0;
  std::ofstream file_;
};

// One worker: sleeps in place of work. Its result is what only who read the content can say.
Result<double> work_until(const std::string& url, const std::string& name, int64_t sleep_ms, int64_t lease_ms,
                          const std::function<bool()>& is_over, std::atomic<int64_t>& ended) {
  STITCH_ASSIGN(const std::unique_ptr<Store> store, open_store(url));
  double busy_ms = 0;
  while (!is_over()) {
    STITCH_ASSIGN(const std::optional<Lease> lease, store->pull({JobClass::kBuild, name, "", lease_ms}));
    if (!lease.has_value()) {
      STITCH_TRY(store->wait_for_work(JobClass::kBuild, 200));
      continue;
    }
    const Clock::time_point begun = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
    busy_ms += milliseconds_since(begun);
    STITCH_TRY(store->complete(*lease, sha256_hex("result of " + lease->content)));
    ++ended;
  }
  return busy_ms;
}

int work(const std::string& url, int threads, int64_t sleep_ms, int64_t lease_ms, int64_t count) {
  std::atomic<int64_t> ended = 0;
  std::atomic<int> status = 0;
  std::vector<double> busy_ms(static_cast<size_t>(threads));
  std::vector<std::thread> all;
  const Clock::time_point begun = Clock::now();
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      const Result<double> busy = work_until(
          url, fmt::format("load-{}-{}", ::getpid(), i), sleep_ms, lease_ms,
          [&] { return count > 0 && ended >= count; }, ended);
      if (busy.has_value()) {
        busy_ms[static_cast<size_t>(i)] = *busy;
      } else {
        status = failed(busy.error());
      }
    });
  }
  for (std::thread& thread : all) {
    thread.join();
  }
  double busy = 0;
  for (const double each : busy_ms) {
    busy += each;
  }
  fmt::print("{{\"workers\": {}, \"jobs\": {}, \"busy_share\": {:.4f}, \"resident_kib\": {}}}\n", threads, ended.load(),
             busy / threads / milliseconds_since(begun), resident_kib());
  return status;
}

int serve_redis() {
  Result<testing::RedisServer> server = testing::RedisServer::start();
  if (!server.has_value()) {
    return failed(server.error());
  }
  fmt::print("{}\n", server->url());
  std::fflush(stdout);
  char letter = 0;
  while (::read(STDIN_FILENO, &letter, 1) > 0) {  // each letter kills it and starts it again
    const Result<void> again = server->start_again();
    if (!again.has_value()) {
      return failed(again.error());
    }
    fmt::print("again\n");
    std::fflush(stdout);
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  const auto number = [&](size_t i) { return std::strtoll(words[i].c_str(), nullptr, 10); };
  if (words.size() == 6 && words[0] == "submit") {
    Result<std::unique_ptr<Store>> store = open_store(words[1]);
    if (!store.has_value()) {
      return failed(store.error());
    }
    FrontEnd front_end(std::move(store).value(), words[2], static_cast<int>(number(3)), static_cast<size_t>(number(4)),
                       words[5]);
    const Result<void> ran = front_end.run();
    return ran.has_value() ? 0 : failed(ran.error());
  }
  if (words.size() == 5 && words[0] == "work") {
    return work(words[1], static_cast<int>(number(2)), number(3), number(4), 0);
  }
  if (words.size() == 5 && words[0] == "crowd") {
    constexpr int64_t kLeaseMs = 30'000;
    return work(words[1], static_cast<int>(number(2)), number(3), kLeaseMs, number(4));
  }
  if (words.size() == 1 && words[0] == "redis") {
    return serve_redis();
  }
  fmt::print(stderr, "see the head of bench/store/store_load_main.cc\n");
  return 2;
}

}  // namespace
}  // namespace stitch::store

int main(int argc, char** argv) { return stitch::store::run({argv + 1, argv + argc}); }
