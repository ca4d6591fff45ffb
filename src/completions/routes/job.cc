// SPDX-License-Identifier: Apache-2.0
#include "completions/routes/job.h"

namespace stitch::completions {

void Job::run(Engine& engine, MaskStore& masks) {
  Result<JobEnd> end = work(engine, masks);
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

Result<JobEnd> Job::work(Engine& engine, MaskStore& masks) {
  if (is_over_) {
    return failure(ErrorCode::kInterrupted, "nobody waits for this answer any more");
  }
  JobEnd end;
  const auto told = [this](size_t choice, const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_.emplace_back(choice, text);
    changed_.notify_all();
  };
  STITCH_ASSIGN(end.choices, drawing_.run(engine, masks, told, is_over_));
  if (drawing_.request().echoes) {
    TokenIds all = drawing_.prompt();
    all.insert(all.end(), end.choices.front().tokens.begin(), end.choices.front().tokens.end());
    STITCH_ASSIGN(end.scores, engine.score(drawing_.request().model, all));
  }
  return end;
}

Job::News Job::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return !texts_.empty() || end_.has_value(); });
  News news{.texts = std::exchange(texts_, {}), .has_ended = end_.has_value()};
  return news;
}

}  // namespace stitch::completions
