// SPDX-License-Identifier: Apache-2.0
#include "device/order_check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "device/buffer.h"
#include "device/common/status.h"
#include "device/cuda/bulk_kernels.h"
#include "device/stream.h"

namespace stitch::device {

#ifdef STITCH_HAS_BULK_KERNELS

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMaxHoldTime{20};
// By the host's clock, which runs on while other processes have the device.
constexpr std::chrono::milliseconds kMaxTakingTime{100};
constexpr std::chrono::milliseconds kMaxCopyingTime{200};
// All are held for as long as copies take that wait for nothing, one goes free for as long as a small program takes:
// by the device's clock, as far as it is ours.
constexpr std::chrono::microseconds kAllHeld{150};
constexpr std::chrono::microseconds kOneFree{1500};
// Small copies may be made by a multiprocessor, for which they would have to wait; large ones are not.
constexpr uint64_t kPieceBytes = 256 << 10;
constexpr uint64_t kPieces = 8;  // of one result, from all over it

// By chance, so that nobody can see to it that these are written first.
void append_pieces(const Extent& whole, std::mt19937_64& random, std::vector<Extent>& pieces) {
  if (whole.bytes <= kPieces * kPieceBytes) {
    pieces.push_back(whole);
    return;
  }
  for (uint64_t i = 0; i < kPieces; ++i) {
    const uint64_t room = whole.bytes / kPieces;
    pieces.push_back({whole.data + room * i + random() % (room - kPieceBytes + 1), kPieceBytes});
  }
}

void say(unsigned& signal, unsigned value) {
  std::atomic_ref<unsigned>(signal).store(value, std::memory_order_release);
}

}  // namespace

struct OrderCheck::State {
  State(Stream holding_stream, Stream copying_stream, Event ordered_event, Buffer arrived_buffer)
      : holding(std::move(holding_stream)),
        copying(std::move(copying_stream)),
        ordered(std::move(ordered_event)),
        arrived(std::move(arrived_buffer)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    cudaFreeHost(signals);
    cudaFreeHost(copied);
  }

  Result<void> allow(uint64_t bytes);
  Result<void> take();
  Result<void> copy_behind(cudaStream_t stream);
  void wait_for_copies(std::chrono::microseconds max_time) const;
  cudaStream_t copying_stream() const { return static_cast<cudaStream_t>(copying.get()); }

  Stream holding;
  Stream copying;
  Event ordered;
  Buffer arrived;
  HoldSignals* signals = nullptr;
  std::byte* copied = nullptr;  // page-locked: such copies need no multiprocessor
  uint64_t copied_bytes = 0;
  std::vector<Extent> pieces;
  std::mt19937_64 random{std::random_device{}()};
};

Result<void> OrderCheck::State::allow(uint64_t bytes) {
  if (bytes > copied_bytes) {
    STITCH_TRY(check(cudaFreeHost(std::exchange(copied, nullptr)), "releasing page-locked memory"));
    copied_bytes = 0;
    STITCH_TRY(check(cudaHostAlloc(reinterpret_cast<void**>(&copied), bytes, cudaHostAllocDefault),
                     "allocating page-locked memory"));
    copied_bytes = bytes;
  }
  return {};
}

Result<void> OrderCheck::State::take() {
  *signals = {};
  STITCH_TRY(check(cudaMemset(arrived.data(), 0, sizeof(unsigned)), "clearing a counter"));
  STITCH_TRY(check(cudaDeviceSynchronize(), "clearing a counter"));
  STITCH_TRY(check(launch_hold(signals, reinterpret_cast<unsigned*>(arrived.data()),
                               static_cast<uint64_t>(std::chrono::nanoseconds(kMaxHoldTime).count()),
                               static_cast<cudaStream_t>(holding.get())),
                   "taking all multiprocessors"));
  const Clock::time_point until = Clock::now() + kMaxTakingTime;
  while (std::atomic_ref<unsigned>(signals->taken).load(std::memory_order_acquire) == 0 && Clock::now() < until) {
  }
  return {};
}

Result<void> OrderCheck::State::copy_behind(cudaStream_t stream) {
  const auto event = static_cast<cudaEvent_t>(ordered.get());
  STITCH_TRY(check(cudaEventRecord(event, stream), "recording an event"));
  STITCH_TRY(check(cudaStreamWaitEvent(copying_stream(), event, 0), "waiting for an event"));
  std::byte* to = copied;
  for (const Extent& piece : pieces) {
    STITCH_TRY(check(cudaMemcpyAsync(to, piece.data, piece.bytes, cudaMemcpyDeviceToHost, copying_stream()),
                     "copying results"));
    to += piece.bytes;
  }
  return {};
}

void OrderCheck::State::wait_for_copies(std::chrono::microseconds max_time) const {
  const auto held_ns = [&] {
    return std::atomic_ref<unsigned long long>(signals->held_ns).load(std::memory_order_acquire);
  };
  const Clock::time_point until = Clock::now() + kMaxCopyingTime;
  const uint64_t released_ns = held_ns() + static_cast<uint64_t>(std::chrono::nanoseconds(max_time).count());
  while (cudaStreamQuery(copying_stream()) == cudaErrorNotReady && held_ns() < released_ns && Clock::now() < until) {
  }
}

Result<std::optional<OrderCheck>> OrderCheck::create() {
  STITCH_ASSIGN(Stream holding, Stream::create());
  STITCH_ASSIGN(Stream copying, Stream::create());
  STITCH_ASSIGN(Event ordered, Event::create());
  STITCH_ASSIGN(Buffer arrived, Buffer::allocate(sizeof(unsigned)));
  auto state = std::make_unique<State>(std::move(holding), std::move(copying), std::move(ordered), std::move(arrived));
  STITCH_TRY(check(
      cudaHostAlloc(reinterpret_cast<void**>(&state->signals), sizeof(HoldSignals), cudaHostAllocMapped),
      "allocating page-locked memory"));
  // Once without anything to look for: the first launch loads the kernel, which may wait for the device.
  OrderCheck made(std::move(state));
  STITCH_TRY(made.begin({}));
  STITCH_TRY(made.end(made.state_->copying.get()));
  STITCH_TRY(wait_for_device());
  return std::optional<OrderCheck>(std::move(made));
}

Result<void> OrderCheck::begin(const std::vector<Extent>& results) {
  state_->pieces.clear();
  for (const Extent& result : results) {
    append_pieces(result, state_->random, state_->pieces);
  }
  std::shuffle(state_->pieces.begin(), state_->pieces.end(), state_->random);
  uint64_t bytes = 0;
  for (const Extent& piece : state_->pieces) {
    bytes += piece.bytes;
  }
  STITCH_TRY(state_->allow(bytes));
  return state_->take();
}

Result<void> OrderCheck::end(void* stream) {
  const cudaError_t before = cudaGetLastError();
  const Result<void> copying = state_->copy_behind(static_cast<cudaStream_t>(stream));
  state_->wait_for_copies(kAllHeld);
  say(state_->signals->release, kFirstGoes);
  state_->wait_for_copies(kOneFree);
  say(state_->signals->release, kAllGo);
  static_cast<void>(cudaGetLastError());  // that something was not ready
  STITCH_TRY(check(before, "the work on the device"));
  return copying;
}

Result<bool> OrderCheck::holds() {
  std::vector<std::byte> now(kPieces * kPieceBytes);
  const std::byte* then = state_->copied;
  for (const Extent& piece : state_->pieces) {
    STITCH_TRY(copy_to_host(now.data(), piece.data, piece.bytes));
    if (std::memcmp(now.data(), then, piece.bytes) != 0) {
      return false;
    }
    then += piece.bytes;
  }
  return true;
}

#else

struct OrderCheck::State {};
Result<std::optional<OrderCheck>> OrderCheck::create() { return std::optional<OrderCheck>(); }
Result<void> OrderCheck::begin(const std::vector<Extent>&) { return {}; }
Result<void> OrderCheck::end(void*) { return {}; }
Result<bool> OrderCheck::holds() { return true; }

#endif

OrderCheck::OrderCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
OrderCheck::OrderCheck(OrderCheck&& other) noexcept = default;
OrderCheck& OrderCheck::operator=(OrderCheck&& other) noexcept = default;
OrderCheck::~OrderCheck() = default;

}  // namespace stitch::device
