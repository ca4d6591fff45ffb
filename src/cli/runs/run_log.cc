// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/run_log.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "artifact/task/task.h"
#include "base/fs/files.h"
#include "cli/options/keep_limits.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kMinSecondsBetween = 0.5;

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
  make_record(line);
  has_journal_ = line.verb == "optimize" && line.agents.are_asked();
  listen();
}

void RunLog::begin_again(runs::RunRecord record) {
  const Result<fs::path> state = runs::state_folder();
  if (state.has_value()) {
    const std::lock_guard lock(mutex_);
    store_ = std::make_unique<runs::RunStore>(*state);
    record_ = std::move(record);
    record_.process = own_identity();
    record_.state = runs::RunState::kRunning;
    record_.ended.clear();
    record_.error.clear();
    write(false);
  }
  has_journal_ = true;
  listen();
}

fs::path RunLog::folder() {
  const std::lock_guard lock(mutex_);
  return store_ == nullptr ? fs::path() : store_->folder_of(record_.id);
}

void RunLog::listen() {
  reporter_.listen({.said = [this](const std::string& stage, const std::string& message) { say_stage(stage, message); },
                    .built = [this](DeviceKind device, size_t done, size_t total) { count_built(device, done, total); },
                    .installed = [this] { installed_ = true; }});
}

void RunLog::make_record(const CommandLine& line) {
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
    reporter_.fact("runs", fmt::format("no record of this run is kept: {}", kept.error().message));
    return;
  }
  prune(now);
  warn_of_others();
}

void RunLog::prune(int64_t now) {
  const Result<runs::KeepLimits> limits = asked_keep_limits();
  if (limits.has_value()) {
    store_->prune(*limits, now);
  } else {
    reporter_.fact("runs", fmt::format("no older record is thrown away: {}", error_text(limits.error())));
  }
}

// Each makes its results aside and puts them in place at once, so that neither harms the other.
void RunLog::warn_of_others() {
  const Result<std::vector<runs::RunSummary>> others =
      record_.out.empty() ? std::vector<runs::RunSummary>() : store_->writing_to(record_.out);
  for (const runs::RunSummary& other : others.has_value() ? *others : std::vector<runs::RunSummary>()) {
    if (other.state == runs::RunState::kRunning && other.id != record_.id) {
      reporter_.fact("runs",
                     fmt::format("the run {} writes to this folder too; the one that ends last replaces it", other.id));
    }
  }
}

void RunLog::learn(const std::function<void(runs::RunRecord&)>& change) {
  const std::lock_guard lock(mutex_);
  change(record_);
  write(true);
}

// Like the record itself: a folder that cannot be written to costs no run.
void RunLog::keep(const std::string& name, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (store_ != nullptr) {
    const Result<void> ignored = write_file(store_->folder_of(record_.id) / name, text);
    static_cast<void>(ignored);
  }
}

void RunLog::fail(const Error& error) {
  learn([&](runs::RunRecord& record) { record.error = error_text(error); });
  end(error.code == ErrorCode::kInterrupted ? runs::RunState::kInterrupted : runs::RunState::kFailed);
}

void RunLog::count_built(DeviceKind device, size_t done, size_t total) {
  const std::lock_guard lock(mutex_);
  built_[device] = {done, total};
}

void RunLog::goes_on_by(std::string command) {
  const std::lock_guard lock(mutex_);
  goes_on_by_ = std::move(command);
}

Error RunLog::interruption() {
  const std::lock_guard lock(mutex_);
  Error error;
  error.code = ErrorCode::kInterrupted;
  if (!goes_on_by_.empty()) {
    error.message = "interrupted; what had ended is kept";
    error.remedy = "it goes on with: " + goes_on_by_;
    return error;
  }
  if (record_.verb.empty()) {
    error.message = "interrupted; nothing was replaced";
    error.remedy = "give the same command again";
    return error;
  }
  if (installed_ && !record_.out.empty()) {
    error.message = fmt::format("interrupted when {} was written", record_.out);
    error.remedy = "its results are whole: nothing has to be done again";
    return error;
  }
  error.message = "interrupted" + (record_.out.empty() ? "" : fmt::format("; {} is as it was", record_.out));
  if (has_journal_) {
    error.remedy = fmt::format("it goes on with: stitchcuda runs resume {}", record_.id);
    return error;
  }
  std::string built;
  for (const auto& [device, count] : built_) {
    built += fmt::format("{}{} of {} files are built for {}", built.empty() ? "" : ", ", count.first, count.second,
                         device == DeviceKind::kCuda ? "the GPU" : fmt::format("the {} device", to_string(device)));
  }
  error.remedy = built.empty() ? "the same command starts over: nothing was built yet"
                               : fmt::format("the same command goes on: {}", built);
  return error;
}

void RunLog::end(runs::RunState state) {
  const std::lock_guard lock(mutex_);
  if (store_ == nullptr || record_.state != runs::RunState::kRunning) {
    return;
  }
  record_.state = state;
  record_.ended = runs::utc_text(std::time(nullptr));
  write(false);
  store_.reset();
}

void RunLog::say_stage(const std::string& stage, const std::string& message) {
  const std::lock_guard lock(mutex_);
  const bool is_new = record_.stage != stage;
  record_.stage = stage;
  record_.stage_message = message;
  if (is_new || reporter_.elapsed_seconds() - written_seconds_ >= kMinSecondsBetween) {
    write(true);
  }
}

// A folder that has become unwritable since the beginning is no reason to stop, nor to say so every second.
void RunLog::write(bool is_progress) {
  if (store_ == nullptr) {
    return;
  }
  written_seconds_ = reporter_.elapsed_seconds();
  record_.seconds = written_seconds_;
  const Result<void> ignored = is_progress ? store_->write_progress(record_) : store_->write(record_);
  static_cast<void>(ignored);
}

}  // namespace stitch::cli
