// SPDX-License-Identifier: Apache-2.0
#include "worker/session/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "device/facts.h"
#include "device/l2_cache.h"
#include "device/launches.h"
#include "device/schedule.h"
#include "device/trial.h"

namespace stitch::worker {
namespace {

constexpr int64_t kMaxStreams = 8;

// Work that fails on the device after a candidate enqueued it is the candidate's doing.
Result<void> blame_candidate(const Result<void>& done) {
  if (done.has_value()) {
    return {};
  }
  return failure(ErrorCode::kProgramInvalid, done.error().message, wire::kDeviceLocation);
}

Result<void> need(bool condition, const char* message) {
  return condition ? Result<void>() : Result<void>(failure(ErrorCode::kInternal, message));
}

}  // namespace

// Before any candidate is there: what fails here is the world's failure, and nobody else can have said so.
Result<wire::Answer> Session::hello(const Json& arguments) {
  STITCH_ASSIGN(const int64_t device, json_int(arguments, "device"));
  STITCH_ASSIGN(const device::Facts facts, device::open_device(static_cast<int>(device)));
  STITCH_ASSIGN(device::Stream stream, device::Stream::create());
  stream_.emplace(std::move(stream));
  STITCH_ASSIGN(order_check_, device::OrderCheck::create());
  return wire::Answer();
}

Result<wire::Answer> Session::load(const Json& arguments) {
  STITCH_TRY(need(stream_.has_value(), "load comes after hello"));
  STITCH_ASSIGN(const std::string library, json_string(arguments, "library"));
  device::lend({});
  STITCH_ASSIGN(const int64_t device, json_int(arguments, "device"));
  if (!memory_.is_mirrored()) {
    // Whatever the program allocates can be kept apart from now on: where it lies is not to tell whether that ever was.
    const device::CallTrialScope once({}, CallTrial::kApart, nullptr);
  }
  STITCH_ASSIGN(Candidate candidate, Candidate::load(library));
  STITCH_ASSIGN(const wire::ProgramDescription description, candidate.describe());
  STITCH_TRY(candidate.create(static_cast<int>(device)));
  candidate_.emplace(std::move(candidate));
  return wire::Answer(wire::to_json(description));
}

Result<wire::Answer> Session::attach(wire::Request& request) {
  STITCH_ASSIGN(const std::vector<wire::BlockToken> tokens, wire::block_tokens_from_json(request.arguments, "blocks"));
  STITCH_TRY(memory_.attach(tokens, std::move(request.descriptors)));
  return wire::Answer();
}

Result<wire::Answer> Session::detach(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<int64_t> ids, json_int_list(arguments, "ids"));
  for (const int64_t id : ids) {
    memory_.detach(static_cast<uint64_t>(id));
  }
  return wire::Answer();
}

Result<wire::Answer> Session::prepare(const Json& arguments) {
  device::forget_commands();
  STITCH_TRY(need(candidate_.has_value(), "prepare comes after load"));
  STITCH_ASSIGN(const auto tensors, wire::tensor_arguments_from_json(arguments, "parameters"));
  STITCH_ASSIGN(const auto prepared, wire::regions_from_json(arguments, "prepared"));
  STITCH_TRY(need(prepared.size() == 1, "prepare wants one prepared region"));
  STITCH_ASSIGN(const BoundTensors bound, BoundTensors::bind(tensors, memory_));
  STITCH_ASSIGN(std::byte * prepared_memory, memory_.address(prepared[0]));
  const StitchParameters parameters = {.struct_size = sizeof(StitchParameters),
                                       .abi_version = STITCH_ABI_VERSION,
                                       .count = static_cast<int32_t>(bound.list().size()),
                                       .reserved = 0,
                                       .tensors = bound.list().data(),
                                       .prepared_memory = prepared_memory};
  memory_.copy_in();
  device::lend(memory_.lent());
  STITCH_TRY(candidate_->prepare(parameters, stream_->get()));
  STITCH_TRY(blame_candidate(device::wait_for_device()));
  memory_.copy_back();
  return wire::Answer();
}

Result<wire::Answer> Session::workspace(const Json& arguments) {
  STITCH_TRY(need(candidate_.has_value(), "workspace comes after load"));
  STITCH_ASSIGN(const auto tensors, wire::tensor_arguments_from_json(arguments, "inputs"));
  STITCH_ASSIGN(const BoundTensors bound, BoundTensors::bind(tensors, memory_));
  STITCH_ASSIGN(const uint64_t bytes, candidate_->workspace_bytes(bound.list()));
  Json json;
  json["bytes"] = static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::run(const Json& arguments) {
  STITCH_TRY(need(candidate_.has_value(), "run comes after load"));
  STITCH_ASSIGN(const Json* call_json, json_object(arguments, "call"));
  STITCH_ASSIGN(const wire::CallArguments call, wire::call_arguments_from_json(*call_json));
  STITCH_ASSIGN(const int64_t schedule_seed, json_int(arguments, "schedule_seed"));
  STITCH_ASSIGN(void* const stream, stream_of(arguments));
  STITCH_ASSIGN(const BoundCall bound, BoundCall::bind(call, memory_, stream));
  STITCH_ASSIGN(const int64_t trial, json_int(arguments, "trial"));
  STITCH_TRY(need(trial >= 0 && trial < kCallTrials, "run wants a trial that there is"));
  STITCH_ASSIGN(const LaunchRecord* without, left_out(arguments, static_cast<CallTrial>(trial)));
  device::set_schedule_seed(static_cast<uint64_t>(schedule_seed));
  memory_.copy_in();
  device::lend(memory_.lent());
  device::forget_launches();
  // Where the program sees copies, their memory is the sanitizer's.
  const bool is_whole = runs_wholly(static_cast<CallTrial>(trial));
  device::watch_host_bytes(is_whole && !memory_.is_mirrored());
  device::forget_commands();
  trial_.emplace(memory_.ranges(), memory_.is_mirrored() ? CallTrial::kNone : static_cast<CallTrial>(trial), without);
  STITCH_TRY(run_in_order(bound, stream, [&]() -> Result<void> {
    device::keep_commands(is_whole && !memory_.is_mirrored());
    const Result<void> ran = candidate_->run(bound.get());
    device::keep_commands(false);
    STITCH_TRY(ran);
    if (is_whole) {
      launches_ = device::launches();
    }
    return {};
  }));
  if (is_whole) {
    look_at_copies(bound);
  }
  memory_.copy_back();
  return wire::Answer();
}

// Which bytes of its results the host said.
void Session::look_at_copies(const BoundCall& call) {
  said_.clear();
  const auto pieces = device::host_bytes();
  device::watch_host_bytes(false);
  for (size_t i = 0; pieces.has_value() && i < call.results().size(); ++i) {
    const auto* const start = call.results()[i].data;
    const auto* const end = start + call.results()[i].bytes;
    for (const device::Memory& piece : *pieces) {
      const auto* const first = std::max(static_cast<const std::byte*>(piece.start), start);
      const auto* const last = std::min(static_cast<const std::byte*>(piece.start) + piece.bytes, end);
      if (first < last) {
        said_.push_back({i, static_cast<uint64_t>(first - start), static_cast<uint64_t>(last - first)});
      }
    }
  }
}

// The kernel that a call is to be made without, of those that the last whole call listed.
Result<const LaunchRecord*> Session::left_out(const Json& arguments, CallTrial trial) const {
  if (trial != CallTrial::kWithoutOne) {
    return nullptr;
  }
  STITCH_ASSIGN(const int64_t index, json_int(arguments, "left_out"));
  STITCH_TRY(need(launches_.has_value() && index >= 0 && index < static_cast<int64_t>(launches_->size()),
                  "run wants to leave out a kernel that there is"));
  return &(*launches_)[static_cast<size_t>(index)];
}

Result<void*> Session::stream_of(const Json& arguments) {
  STITCH_ASSIGN(const int64_t number, json_int(arguments, "stream"));
  STITCH_TRY(need(number >= 0 && number < kMaxStreams, "run wants a stream that there is"));
  while (static_cast<int64_t>(other_streams_.size()) < number) {
    STITCH_ASSIGN(device::Stream stream, device::Stream::create());
    other_streams_.push_back(std::move(stream));
  }
  return number == 0 ? stream_->get() : other_streams_[static_cast<size_t>(number) - 1].get();
}

Result<void> Session::run_in_order(const BoundCall& call, void* stream, const std::function<Result<void>()>& enqueue) {
  if (order_check_.has_value()) {
    STITCH_TRY(blame_candidate(order_check_->begin(call.results())));
  }
  const Result<void> enqueued = enqueue();
  const Result<void> ended = order_check_.has_value() ? order_check_->end(stream) : Result<void>();
  STITCH_TRY(enqueued);
  STITCH_TRY(blame_candidate(ended));
  STITCH_TRY(blame_candidate(device::wait_for_device()));
  if (order_check_.has_value()) {
    STITCH_ASSIGN(const bool holds, order_check_->holds());
    if (!holds) {
      return failure(ErrorCode::kProgramInvalid,
                     "results were still being written when the stream that run() was given had done its work: what "
                     "runs on another stream must be joined to it by an event");
    }
  }
  return {};
}

Result<wire::Answer> Session::destroy(const Json&) {
  STITCH_TRY(need(candidate_.has_value(), "destroy comes after load"));
  device::forget_commands();
  candidate_->destroy();
  candidate_.reset();
  STITCH_TRY(blame_candidate(device::wait_for_device()));
  return wire::Answer();
}

Result<wire::Answer> Session::launches(const Json&) {
  Json json = {{"launches", nullptr},
               {"said", wire::to_json(said_)},
               {"told", static_cast<int64_t>(std::min<uint64_t>(device::bytes_told(), INT64_MAX))}};
  if (launches_.has_value()) {
    json["launches"] = to_json(*launches_);
  }
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::again(const Json&) {
  const bool is_done = device::play_commands();
  STITCH_TRY(blame_candidate(device::wait_for_device()));
  device::forget_commands();
  return wire::Answer(Json{{"done", is_done}});
}

Result<wire::Answer> Session::bind(const Json& arguments) {
  STITCH_TRY(need(candidate_.has_value(), "bind comes after load"));
  STITCH_ASSIGN(const Json* calls, json_array(arguments, "calls"));
  STITCH_ASSIGN(const int64_t evict_bytes, json_int(arguments, "evict_bytes"));
  STITCH_ASSIGN(const bool use_graphs, json_bool(arguments, "graph"));
  STITCH_TRY(need(!calls->empty() && evict_bytes >= 0, "bind wants calls"));
  graphs_.clear();
  bound_.clear();
  for (const Json& item : *calls) {
    STITCH_ASSIGN(const wire::CallArguments call, wire::call_arguments_from_json(item));
    STITCH_ASSIGN(BoundCall bound, BoundCall::bind(call, memory_, stream_->get()));
    bound_.push_back(std::move(bound));
  }
  for (size_t i = 0; use_graphs && i < bound_.size(); ++i) {
    Result<device::Graph> graph = stream_->capture([&] { return candidate_->run(bound_[i].get()); });
    if (!graph.has_value()) {
      return failure(ErrorCode::kProgramInvalid, "run() cannot be captured into a graph: " + graph.error().message);
    }
    graphs_.push_back(std::move(*graph));
  }
  evict_.reset();
  if (evict_bytes > 0) {
    STITCH_ASSIGN(device::Buffer buffer, device::Buffer::allocate(2 * static_cast<uint64_t>(evict_bytes)));
    evict_.emplace(std::move(buffer));
  }
  return wire::Answer();
}

Result<void> Session::enqueue_turn(size_t turn, bool backwards, bool with_call) {
  if (evict_.has_value()) {
    STITCH_TRY(blame_candidate(stream_->evict_by(*evict_, backwards)));  // fails after calls that did
  }
  return with_call ? enqueue_call(turn) : Result<void>();
}

Result<void> Session::enqueue_call(size_t turn) {
  return graphs_.empty() ? candidate_->run(bound_[turn].get()) : stream_->launch(graphs_[turn]);
}

Result<double> Session::run_between_events(const std::vector<int64_t>& order, bool with_calls) {
  STITCH_ASSIGN(const device::Event start, device::Event::create());
  STITCH_ASSIGN(const device::Event stop, device::Event::create());
  STITCH_TRY(device::forget_persisting_lines());
  STITCH_TRY(stream_->record(start));
  for (size_t i = 0; i < order.size(); ++i) {
    STITCH_TRY(enqueue_turn(static_cast<size_t>(order[i]), i % 2 != 0, with_calls));
  }
  STITCH_TRY(blame_candidate(stream_->record(stop)));
  STITCH_TRY(blame_candidate(device::wait_for_device()));
  return device::microseconds_between(start, stop);
}

Result<wire::Answer> Session::run_block(const Json& arguments) {
  STITCH_TRY(need(!bound_.empty(), "run_block comes after bind"));
  STITCH_ASSIGN(const std::vector<int64_t> order, json_int_list(arguments, "order"));
  STITCH_ASSIGN(const bool with_calls, json_bool(arguments, "with_calls"));
  for (const int64_t turn : order) {
    STITCH_TRY(need(turn >= 0 && turn < static_cast<int64_t>(bound_.size()), "run_block wants bound calls"));
  }
  STITCH_ASSIGN(const bool ordered, json_bool(arguments, "ordered"));
  memory_.copy_in();
  device::lend(memory_.lent());
  Json json;
  json["event_us"] = 0.0;
  if (ordered) {
    for (const int64_t turn : order) {
      const auto index = static_cast<size_t>(turn);
      STITCH_TRY(run_in_order(bound_[index], stream_->get(), [&] { return enqueue_call(index); }));
    }
  } else {
    STITCH_ASSIGN(json["event_us"], run_between_events(order, with_calls));
  }
  memory_.copy_back();
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::handle(wire::Request& request) {
  trial_.reset();  // it lasts until the next request: nobody has work between two calls
  if (request.verb == "attach") {
    return attach(request);
  }
  using Verb = Result<wire::Answer> (Session::*)(const Json&);
  constexpr std::pair<const char*, Verb> kVerbs[] = {
      {"hello", &Session::hello},       {"load", &Session::load},
      {"detach", &Session::detach},     {"prepare", &Session::prepare},
      {"run", &Session::run},           {"workspace", &Session::workspace},
      {"bind", &Session::bind},         {"run_block", &Session::run_block},
      {"launches", &Session::launches}, {"destroy", &Session::destroy},
      {"again", &Session::again}};
  for (const auto& [name, verb] : kVerbs) {
    if (request.verb == name) {
      return (this->*verb)(request.arguments);
    }
  }
  return failure(ErrorCode::kInternal, fmt::format("the worker knows no verb {}", request.verb));
}

}  // namespace stitch::worker
