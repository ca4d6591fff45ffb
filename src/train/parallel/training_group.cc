// SPDX-License-Identifier: Apache-2.0
#include "train/parallel/training_group.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/guard/guarded.h"
#include "train/parallel/backend.h"

namespace stitch::train {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<int64_t> number_in(const char* name, int64_t least, int64_t most) {
  const std::string text = variable(name);
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number < least || number > most) {
    return failure(ErrorCode::kUsage, std::string(name) + " is '" + text + "', and must be a number", name,
                   "start the processes with torchrun --no-python, or leave WORLD_SIZE out for one alone");
  }
  return number;
}

}  // namespace

Result<GroupPlace> place_from_environment() {
  GroupPlace place;
  if (variable("WORLD_SIZE").empty()) {
    return place;
  }
  STITCH_ASSIGN(place.size, number_in("WORLD_SIZE", 1, 4096));
  if (place.size == 1) {
    return place;
  }
  STITCH_ASSIGN(place.rank, number_in("RANK", 0, place.size - 1));
  STITCH_ASSIGN(place.port, number_in("MASTER_PORT", 1, 65535));
  if (!variable("LOCAL_RANK").empty()) {
    STITCH_ASSIGN(place.local_rank, number_in("LOCAL_RANK", 0, place.rank));
  }
  place.address = variable("MASTER_ADDR");
  if (place.address.empty()) {
    return failure(ErrorCode::kUsage, "MASTER_ADDR is not set, and WORLD_SIZE is " + std::to_string(place.size),
                   "MASTER_ADDR", "start the processes with torchrun --no-python");
  }
  return place;
}

std::string TrainingGroup::device(const std::string& asked) const {
  return asked == "cuda" && size() > 1 ? "cuda:" + std::to_string(place_.local_rank) : asked;
}

namespace {

constexpr auto kPatience = std::chrono::seconds(60);     // until all have come
constexpr auto kLongestWait = std::chrono::minutes(30);  // for one that writes a checkpoint, say

Unexpected left_alone(const std::exception& error) {
  const std::string said = error.what();
  return failure(ErrorCode::kEnvironment,
                 "the processes that train together lost each other: " + said.substr(0, said.find('\n')), "",
                 "see what another of them said, and begin all of them again: they go on from the latest checkpoint");
}

c10::intrusive_ptr<c10d::Store> store_of(const GroupPlace& place) {
  // torchrun has a store of its own at that port, unless it says that it has none.
  const bool is_there = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.rank == 0 && !is_there;
  options.timeout = kPatience;
  options.waitWorkers = false;
  const std::string attempt = variable("TORCHELASTIC_RUN_ID") + "/" + variable("TORCHELASTIC_RESTART_COUNT");
  return c10::make_intrusive<c10d::PrefixStore>("stitchcuda/" + attempt,
                                                c10::make_intrusive<c10d::TCPStore>(place.address, options));
}

}  // namespace

struct TrainingGroup::Wire {
  Wire(BackendPointer made, at::Device where, const char* called)
      : backend(std::move(made)), device(where), name(called) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  // Between GPUs something is under way until it is told to end; with a process that is lost it never would.
  ~Wire() {
    (void)guarded([&] { is_lost ? backend->abort() : backend->shutdown(); }, ErrorCode::kEnvironment, "");
  }

  BackendPointer backend;
  at::Device device;  // where it sums
  const char* name;
  mutable bool is_lost = false;
};

TrainingGroup::TrainingGroup() = default;

Result<TrainingGroup> TrainingGroup::join(const GroupPlace& place, const std::string& asked) {
  TrainingGroup joined;
  joined.place_ = place;
  if (place.size == 1) {
    return joined;
  }
  try {
    const BackendRequest request = {place, store_of(place), kPatience};
    BackendPointer backend = asked == "cuda" ? nccl_backend(request) : BackendPointer();
    const bool is_nccl = backend.defined();
    backend = is_nccl ? backend : gloo_backend(request);
    if (!backend.defined()) {
      return failure(ErrorCode::kEnvironment,
                     "this stitchcuda-train was built without Gloo, and WORLD_SIZE is " + std::to_string(place.size),
                     "WORLD_SIZE", "install libgloo-dev and build it again, or train with one process");
    }
    const at::Device device = is_nccl ? at::Device(joined.device(asked)) : at::Device(at::kCPU);
    joined.wire_ = std::make_shared<const Wire>(std::move(backend), device, is_nccl ? "nccl" : "gloo");
    STITCH_TRY(joined.wait_for_all());
    joined.wire_->backend->setTimeout(kLongestWait);
  } catch (const std::exception& error) {
    return left_alone(error);
  }
  return joined;
}

std::string TrainingGroup::backend() const { return wire_ == nullptr ? "" : wire_->name; }

Result<void> TrainingGroup::sum(const std::vector<Tensor>& tensors) const {
  if (wire_ == nullptr || tensors.empty()) {
    return {};
  }
  const at::NoGradGuard no_gradients;
  std::vector<Tensor> flat;
  for (const Tensor& tensor : tensors) {
    flat.push_back(tensor.detach().flatten());
  }
  std::vector<Tensor> sent = {at::cat(flat).to(wire_->device)};
  try {
    wire_->backend->allreduce(sent)->wait();
  } catch (const std::exception& error) {
    wire_->is_lost = true;
    return left_alone(error);
  }
  int64_t first = 0;
  for (const Tensor& tensor : tensors) {
    tensor.detach().copy_(sent.front().narrow(0, first, tensor.numel()).view(tensor.sizes()));
    first += tensor.numel();
  }
  return {};
}

Result<void> TrainingGroup::wait_for_all() const { return sum({at::zeros({1})}); }

}  // namespace stitch::train
