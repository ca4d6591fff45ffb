// SPDX-License-Identifier: Apache-2.0
// The worker and who asks it, with a script in the place of stitchcuda: what it does is chosen by the job's seed.
#include "farm/work/worker.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "farm/ask/asker.h"
#include "farm/metrics/metrics_server.h"
#include "store/open/open_store.h"

namespace stitch::farm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = R"(#!/bin/sh
case "$*" in
  *--seed=1*) mkdir -p "$PWD/out/0"; cp "$PWD/in/task/model.py" "$PWD/out/0/copy"
              echo "{\"key\": \"$SECRET_KEY\", \"in\": \"$PWD/in/task/model.py\"}" ;;
  *--seed=2*) echo "the disk is full" >&2; exit 4 ;;
  *--seed=3*) touch "$STITCHCUDA_NODE/begun"; sleep 100 ;;
  *--seed=4*) kill -9 $$ ;;
  *--seed=5*) exit 1 ;;
esac
)";

class WorkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path script = folder_.path() / "stitchcuda";
    ASSERT_TRUE(write_file(script, kScript).has_value());
    ::chmod(script.c_str(), 0755);
    ::setenv("SECRET_KEY", "sk-secret", 1);
    ::setenv("STITCHCUDA_NODE", folder_.path().c_str(), 1);
    options_.store_url = "sqlite:" + (folder_.path() / "jobs.db").string();
    options_.name = "w1";
    options_.beat_ms = 50;
    options_.place = {.program = script, .artefacts = Artefacts(folder_.path() / "artefacts")};
  }

  Job job(int seed) {
    Job made;
    made.verb = "optimize";
    EXPECT_TRUE(write_file(folder_.path() / "model.py", "import torch\n").has_value());
    made.files = options_.place.artefacts.put_all(folder_.path() / "model.py", "task/model.py").value();
    made.words = {{JobWord::Kind::kInput, "", "task/model.py"},
                  {JobWord::Kind::kOption, "", "--seed=" + std::to_string(seed)},
                  {JobWord::Kind::kOut, "--out", "0"}};
    return made;
  }

  std::unique_ptr<Asker> asker() {
    return Asker::open({options_.store_url, options_.place.artefacts.folder().string(), "run"}).value();
  }

  // Asks while a worker works, which drains afterwards.
  Result<Answered> ask(int seed, const std::function<bool()>& is_unwanted = [] { return false; }) {
    std::thread worker([&] { EXPECT_TRUE(work(options_, drain_, metrics_, nullptr, {}, events_).has_value()); });
    Result<Answered> answered = asker()->ask(job(seed), store::JobClass::kBuild, is_unwanted);
    drain_.begin(0);
    worker.join();
    return answered;
  }

  bool has_begun() const { return fs::exists(folder_.path() / "begun"); }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-worker").value();
  WorkerOptions options_;
  Drain drain_;
  WorkerMetrics metrics_;
  WorkerEvents events_{[](const std::string&) {}};
};

TEST_F(WorkerTest, AnAnswerComesBackWithItsFilesAndWithoutKeysAndPaths) {
  const JobResult result = ask(1).value().result;
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.worker, "w1");
  EXPECT_EQ(options_.place.artefacts.get(result.answer).value(), "{\"key\": \"\", \"in\": \"in/task/model.py\"}\n");
  ASSERT_EQ(result.files.size(), 1U);
  EXPECT_EQ(result.files[0].place, "0/copy");
  EXPECT_EQ(options_.place.artefacts.get(result.files[0].digest).value(), "import torch\n");
  EXPECT_EQ(metrics_.done, 1);
}

TEST_F(WorkerTest, AVerbThatSaysNoIsAnAnswer) { EXPECT_EQ(ask(5).value().result.exit_code, 1); }

TEST_F(WorkerTest, AMachineThatFailsThreeTimesIsNoAnswer) {
  EXPECT_EQ(ask(2).value().parked,
            "3 workers took this job and none ended it; of the last, w1: the machine failed it: the disk is full");
  EXPECT_EQ(metrics_.given_back, 3);
}

TEST_F(WorkerTest, AChildThatDiesIsGivenBack) {
  EXPECT_NE(ask(4).value().parked.find("ended by signal 9 that was not ours"), std::string::npos);
}

TEST_F(WorkerTest, CancellationEndsTheChild) {
  const Result<Answered> answered = ask(3, [&] { return has_begun(); });
  ASSERT_FALSE(answered.has_value());
  EXPECT_EQ(answered.error().code, ErrorCode::kInterrupted);
}

TEST_F(WorkerTest, AWorkerThatDrainsGivesBackWhatIsUnderWay) {
  const std::unique_ptr<store::Store> store = store::open_store(options_.store_url).value();
  ASSERT_TRUE(store->submit({store::JobClass::kBuild, "run", to_text(job(3))}).has_value());
  std::thread worker([&] { EXPECT_TRUE(work(options_, drain_, metrics_, nullptr, {}, events_).has_value()); });
  while (!has_begun()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  drain_.begin(0);
  worker.join();
  EXPECT_EQ(metrics_.given_back, 1);
  EXPECT_EQ(store->pull({store::JobClass::kBuild, "w2", ""}).value().value().delivery, 1);
}

// As of a run that was stopped with many tasks under way and goes on with few.
TEST_F(WorkerTest, EndedJobsThatNobodyWaitsForDoNotHideOthers) {
  const std::unique_ptr<store::Store> store = store::open_store(options_.store_url).value();
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(store->submit({store::JobClass::kBuild, "run", std::to_string(i)}).has_value());
    ASSERT_TRUE(store->complete(store->pull({store::JobClass::kBuild, "w", ""}).value().value(), "r").has_value());
  }
  EXPECT_EQ(ask(5).value().result.exit_code, 1);
}

TEST_F(WorkerTest, WhatIsNoJobIsRefused) {
  const std::unique_ptr<store::Store> store = store::open_store(options_.store_url).value();
  ASSERT_TRUE(store->submit({store::JobClass::kBuild, "run", "rm -rf /"}).has_value());
  options_.max_jobs = 1;
  ASSERT_TRUE(work(options_, drain_, metrics_, nullptr, {}, events_).has_value());
  const std::vector<store::Ended> ended = store->ended("run", 1).value();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_FALSE(read_job_result(ended[0].text).value().refusal.empty());
  EXPECT_EQ(metrics_.refused, 1);
}

TEST_F(WorkerTest, AForgedArtefactIsNotRun) {
  const Job forged = job(1);
  ASSERT_TRUE(
      write_file(options_.place.artefacts.folder() / forged.files[0].digest.substr(0, 2) / forged.files[0].digest,
                 "import evil\n")
          .has_value());
  const JobRun run = run_job(options_.place, forged, [] { return false; }).value();
  EXPECT_NE(run.world.find("not what its digest says"), std::string::npos) << run.world;
}

TEST_F(WorkerTest, OneWorkerHasAGpuAndTwoFailuresOfTheCanaryQuarantineIt) {
  int asked = 0;
  {
    const GpuPlace gpu = GpuPlace::take(folder_.path(), "GPU-1").value();
    EXPECT_NE(GpuPlace::take(folder_.path(), "GPU-1").error().message.find("another worker has GPU"),
              std::string::npos);
    EXPECT_TRUE(GpuPlace::take(folder_.path(), "GPU-2").has_value());
    EXPECT_TRUE(
        gpu.check([&]() -> Result<std::string> { return std::string(++asked == 1 ? "once" : ""); }).has_value());
    EXPECT_EQ(asked, 2);
  }
  const std::string uuid = "GPU-1";
  EXPECT_FALSE(
      GpuPlace::take(folder_.path(), uuid).value().check([] { return Result<std::string>("wrong sums"); }).has_value());
  const Error error = GpuPlace::take(folder_.path(), uuid).error();
  EXPECT_EQ(error.message, "GPU GPU-1 is in quarantine: a program that is known to be right failed twice: wrong sums");
  fs::remove(error.location);
  EXPECT_TRUE(GpuPlace::take(folder_.path(), uuid).has_value());
}

TEST(Metrics, AreToldAsPrometheusReadsThem) {
  WorkerMetrics metrics;
  metrics.done = 3;
  store::Counts counts;
  counts.of_class[store::JobClass::kDevice].waiting = 7;
  const std::string text = prometheus_text(metrics, {"host \"a\"", "device", "NVIDIA H200"}, &counts);
  EXPECT_NE(text.find("stitchcuda_worker_jobs_total{worker=\"host \\\"a\\\"\",class=\"device\",device=\"NVIDIA "
                      "H200\",outcome=\"done\"} 3\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("stitchcuda_store_jobs{class=\"device\",state=\"waiting\"} 7\n"), std::string::npos) << text;
  EXPECT_NE(prometheus_text(metrics, {"w", "build", ""}, nullptr)
                .find("stitchcuda_store_up{worker=\"w\",class=\"build\","
                      "device=\"\"} 0\n"),
            std::string::npos);
}

TEST(MetricsServer, RefusesAddressesThatAreNone) {
  for (const char* address : {"", "x", "70000", "1.2.3:9", "nowhere:80"}) {
    EXPECT_FALSE(MetricsServer::start(address, [] { return std::string(); }).has_value()) << address;
  }
  EXPECT_GT(MetricsServer::start("0", [] { return std::string(); }).value()->port(), 0);
}

}  // namespace
}  // namespace stitch::farm
