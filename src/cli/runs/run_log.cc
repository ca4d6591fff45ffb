// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/run_log.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "cli/stages/task.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kKeptRuns = 200;
constexpr double kLeastSecondsBetween = 0.5;

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : fs::absolute(path, ignored).lexically_normal().string();
}

runs::RunRecord asked(const CommandLine& line) {
  std::error_code ignored;
  runs::RunRecord record;
  record.verb = line.verb;
  record.command = line.command;
  record.folder = fs::current_path(ignored).string();
  record.file = absolute(line.file);
  record.task = task_name(line.file);
  record.options = line.given;
  record.math = to_string(line.math);
  if (line.verb == "optimize") {
    record.out = absolute(line.out.empty() ? (fs::path("out") / record.task).string() : line.out);
  }
  return record;
}

}  // namespace

void RunLog::begin(const CommandLine& line) {
  {
    const std::lock_guard lock(mutex_);
    record_ = asked(line);
    const int64_t now = std::time(nullptr);
    record_.started = runs::utc_text(now);
    record_.process = own_identity();
    const Result<fs::path> state = runs::state_folder();
    Result<void> kept = state.has_value() ? Result<void>() : Result<void>(failure(state.error()));
    if (kept.has_value()) {
      store_ = std::make_unique<runs::RunStore>(*state);
      record_.id = store_->new_id(record_.task, now);
      kept = store_->write(record_);
    }
    if (!kept.has_value()) {
      store_.reset();
      reporter_.progress("runs", fmt::format("no record of this run is kept: {}", kept.error().sentence));
      return;
    }
    store_->prune(kKeptRuns);
  }
  reporter_.listen([this](const std::string& stage, const std::string& sentence) { say_stage(stage, sentence); });
}

void RunLog::learn(const std::function<void(runs::RunRecord&)>& change) {
  const std::lock_guard lock(mutex_);
  change(record_);
  write();
}

void RunLog::fail(const Error& error) {
  learn([&](runs::RunRecord& record) { record.error = error_text(error); });
  end(error.code == ErrorCode::kInterrupted ? runs::RunState::kInterrupted : runs::RunState::kFailed);
}

void RunLog::end(runs::RunState state) {
  const std::lock_guard lock(mutex_);
  if (store_ == nullptr || record_.state != runs::RunState::kRunning) {
    return;
  }
  record_.state = state;
  record_.ended = runs::utc_text(std::time(nullptr));
  write();
  store_.reset();
}

void RunLog::say_stage(const std::string& stage, const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  const bool is_new = record_.stage != stage;
  record_.stage = stage;
  record_.stage_sentence = sentence;
  if (is_new || reporter_.elapsed_seconds() - written_seconds_ >= kLeastSecondsBetween) {
    write();
  }
}

// A folder that has become unwritable since the beginning is no reason to stop, nor to say so every second.
void RunLog::write() {
  if (store_ == nullptr) {
    return;
  }
  written_seconds_ = reporter_.elapsed_seconds();
  record_.seconds = written_seconds_;
  const Result<void> ignored = store_->write(record_);
  static_cast<void>(ignored);
}

}  // namespace stitch::cli
