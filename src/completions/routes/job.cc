// SPDX-License-Identifier: Apache-2.0
#include "completions/routes/job.h"

namespace stitch::completions {

std::optional<DrawId> Job::begin() {
  if (is_over_) {
    set_end(failure(ErrorCode::kInterrupted, "nobody waits for this answer any more"));
    return std::nullopt;
  }
  const auto told = [this](size_t choice, const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_.emplace_back(choice, text);
    changed_.notify_all();
  };
  const Result<DrawId> begun = drawing_.begin(engine_, masks_, told, is_over_);
  if (!begun.has_value()) {
    set_end(failure(begun.error()));
    return std::nullopt;
  }
  return *begun;
}

void Job::end(Result<std::vector<Drawn>> samples) { set_end(end_of(samples)); }

Result<JobEnd> Job::end_of(const Result<std::vector<Drawn>>& samples) {
  if (!samples.has_value()) {
    return failure(samples.error());
  }
  JobEnd end{.choices = drawing_.finish(*samples)};
  if (drawing_.request().echoes) {
    TokenIds all = drawing_.prompt();
    all.insert(all.end(), end.choices.front().tokens.begin(), end.choices.front().tokens.end());
    STITCH_ASSIGN(end.scores, engine_.score(drawing_.request().model, all));
  }
  return end;
}

void Job::set_end(Result<JobEnd> end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

Job::News Job::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return !texts_.empty() || end_.has_value(); });
  News news{.texts = std::exchange(texts_, {}), .has_ended = end_.has_value()};
  return news;
}

}  // namespace stitch::completions
