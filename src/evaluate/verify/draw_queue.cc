// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_queue.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace stitch::evaluate {
namespace {

using Item = Result<std::optional<QueuedDraw>>;

QueuedDraw refused(size_t subject, const std::string& message) {
  QueuedDraw item;
  item.subject = subject;
  item.is_last_of_regime = true;
  item.is_last_of_plan = true;
  item.refusal = message;
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
    is_wanted = false;
    changed.notify_all();
    return true;
  }

  // False once nobody wants a draw.
  bool wait_until_wanted() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stopped || is_wanted || !in_lockstep; });
    return !stopped;
  }

  Item take() {
    std::unique_lock lock(mutex);
    is_wanted = true;
    changed.notify_all();
    changed.wait(lock, [&] { return waiting.has_value(); });
    Item item = std::move(*waiting);
    waiting.reset();
    changed.notify_all();
    return item;
  }

  void work() {
    for (size_t subject = 0; subject < plans.size(); ++subject) {
      if (!wait_until_wanted()) {
        return;
      }
      auto opened = oracle.open(plans[subject].source);
      if (!opened.has_value() && subject > 0 && opened.error().code == ErrorCode::kProgramInvalid) {
        // Sizes that somebody else chose: an index in a buffer may lie beyond a smaller batch.
        if (!put(std::optional<QueuedDraw>(refused(subject, opened.error().message)))) {
          return;
        }
        continue;
      }
      if (!opened.has_value()) {
        put(Unexpected{opened.error()});
        return;
      }
      if (!draw_all(subject, std::make_shared<const verify::OracleProgram>(std::move(opened).value()))) {
        return;
      }
    }
    put(std::optional<QueuedDraw>{});
  }

  // A draw that is to stay is the oracle's last one until it has been judged.
  void begin_lockstep_if(bool stays) {
    const std::lock_guard lock(mutex);
    in_lockstep = in_lockstep || stays;
  }

  Result<verify::OracleDraw> draw_one(const verify::OracleProgram& program, const ShapeDraws& planned,
                                      const std::string& regime, int number) {
    const bool is_handed_over = regime == verify::kAsGiven && number < planned.handed_over;
    return planned.stay && !is_handed_over ? oracle.draw_staying(program, regime, number)
                                           : oracle.draw(program, regime, number);
  }

  bool draw_all(size_t subject, const std::shared_ptr<const verify::OracleProgram>& program) {
    const auto& regimes = plans[subject].regimes.empty() ? program->regimes : plans[subject].regimes;
    DrawUses uses = plans[subject].uses;
    uses.is_on_gpu = plans[subject].source.device == TorchDevice::kCuda;
    const auto planned = std::make_shared<const ShapeDraws>(plan_draws(plans[subject].shape, *program, uses));
    begin_lockstep_if(planned->stay);
    for (const std::string& regime : regimes) {
      for (int number = 0; number < planned->draws_per_regime; ++number) {
        if (!wait_until_wanted()) {
          return false;
        }
        auto draw = draw_one(*program, *planned, regime, number);
        if (!draw.has_value()) {
          put(Unexpected{draw.error()});
          return false;
        }
        const bool last = number + 1 == planned->draws_per_regime;
        const bool ends_plan = last && &regime == &regimes.back();
        QueuedDraw queued{subject, program, planned, regime, number, last, ends_plan, std::move(draw).value()};
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
  bool in_lockstep = false;  // from the first program on whose draws stay
  bool is_wanted = false;    // somebody waits in take()
  std::thread thread;        // last: it starts when everything above is there
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
