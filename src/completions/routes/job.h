// SPDX-License-Identifier: Apache-2.0
// A request between the thread of its connection and that of the engine.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "completions/run/drawing.h"
#include "completions/run/scheduler.h"

namespace stitch::completions {

struct JobEnd {
  std::vector<Choice> choices{};
  std::vector<float> scores{};  // of prompt and answer, where the prompt is echoed
};

class Job final : public Work {
 public:
  // Engine and masks must outlive it.
  Job(Engine& engine, MaskStore& masks, Drawing drawing)
      : engine_(engine), masks_(masks), drawing_(std::move(drawing)) {}

  const Drawing& drawing() const { return drawing_; }

  int64_t rows() const override { return drawing_.count(); }
  std::optional<DrawId> begin() override;
  void end(Result<std::vector<Drawn>> samples) override;

  // What has come since the last call: waits for something to come, `patience` at most.
  struct News {
    std::vector<std::pair<size_t, std::string>> texts{};  // with the choices that they are of
    bool has_ended = false;
  };
  News wait(std::chrono::milliseconds patience);
  // Once it has ended.
  const Result<JobEnd>& end() const { return *end_; }
  // Nobody waits for it any more.
  void give_up() { is_over_ = true; }

 private:
  Result<JobEnd> end_of(const Result<std::vector<Drawn>>& samples);
  void set_end(Result<JobEnd> end);

  Engine& engine_;
  MaskStore& masks_;
  Drawing drawing_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<size_t, std::string>> texts_;  // under mutex_, as the next
  std::optional<Result<JobEnd>> end_;
};

}  // namespace stitch::completions
