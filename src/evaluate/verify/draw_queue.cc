// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_queue.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace stitch::evaluate {
namespace {

using Item = Result<std::optional<QueuedDraw>>;

QueuedDraw refused(size_t plan, const std::string& sentence) {
  QueuedDraw item;
  item.plan = plan;
  item.is_last_of_regime = true;
  item.is_last_of_plan = true;
  item.refusal = sentence;
  return item;
}

}  // namespace

struct DrawQueue::State {
  State(verify::Oracle& oracle_in, std::vector<DrawPlan> plans_in)
      : oracle(oracle_in), plans(std::move(plans_in)), thread([this] { work(); }) {}

  // One finished draw may wait: more would only fill memory.
  bool put(Item item) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stopped || !waiting.has_value(); });
    if (stopped) {
      return false;
    }
    waiting.emplace(std::move(item));
    changed.notify_all();
    return true;
  }

  Item take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.has_value(); });
    Item item = std::move(*waiting);
    waiting.reset();
    changed.notify_all();
    return item;
  }

  void work() {
    for (size_t plan = 0; plan < plans.size(); ++plan) {
      auto opened = oracle.open(plans[plan].source);
      if (!opened.has_value() && plan > 0 && opened.error().code == ErrorCode::kProgramInvalid) {
        // Sizes that somebody else chose: an index in a buffer may lie beyond a smaller batch.
        if (!put(std::optional<QueuedDraw>(refused(plan, opened.error().sentence)))) {
          return;
        }
        continue;
      }
      if (!opened.has_value()) {
        put(Unexpected{opened.error()});
        return;
      }
      if (!draw_all(plan, std::make_shared<const verify::OracleProgram>(std::move(opened).value()))) {
        return;
      }
    }
    put(std::optional<QueuedDraw>{});
  }

  bool draw_all(size_t plan, const std::shared_ptr<const verify::OracleProgram>& program) {
    const auto& regimes = plans[plan].regimes.empty() ? program->regimes : plans[plan].regimes;
    for (const std::string& regime : regimes) {
      for (int number = 0; number < plans[plan].draws_per_regime; ++number) {
        auto draw = oracle.draw(*program, regime, number);
        if (!draw.has_value()) {
          put(Unexpected{draw.error()});
          return false;
        }
        const bool last = number + 1 == plans[plan].draws_per_regime;
        QueuedDraw queued{
            plan, program, regime, number, last, last && &regime == &regimes.back(), std::move(draw).value()};
        if (!put(std::optional<QueuedDraw>(std::move(queued)))) {
          return false;
        }
      }
    }
    return true;
  }

  verify::Oracle& oracle;
  std::vector<DrawPlan> plans;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Item> waiting;
  bool stopped = false;
  std::thread thread;  // last: it starts when everything above is there
};

DrawQueue::DrawQueue(verify::Oracle& oracle, std::vector<DrawPlan> plans)
    : state_(std::make_unique<State>(oracle, std::move(plans))) {}

DrawQueue::~DrawQueue() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
}

Result<std::optional<QueuedDraw>> DrawQueue::next() { return state_->take(); }

}  // namespace stitch::evaluate
