// SPDX-License-Identifier: Apache-2.0
// The worker's verbs, asked by the supervisor:
//   hello {device}                          -> nothing: it runs, has opened the device, and no candidate is there yet
//   load {library, device}                  -> the program's description
//   attach {blocks: [token..]}, detach {ids: [..]}
//   prepare {parameters: [..], prepared: [region]}
//   workspace {inputs: [..]}                -> {bytes}
//   run {call, schedule_seed, trial, stream} one call, waited for; on a GPU it is looked whether it is ordered on its
//                                           stream (device/order_check.h)
//   launches                                -> {launches: [..] or null, said: [..], told}, of the last run: a device
//                                           may keep no list. `said`: the pieces of results that are the host's word;
//                                           the `block` of each is the result's number. `told`: bytes of the device's
//                                           memory that the host was shown
//   again                                   -> {done}: what the program enqueued in the last run, once more, with what
//                                           inputs and parameters hold now; no code of its host's runs
//   bind {calls: [..], evict_bytes, graph}  what run_block repeats; captured into graphs if so wished
//   run_block {order: [..], with_calls, ordered}
//                                           these of the calls, waited for once; before each one `evict_bytes` are
//                                           read and as many written, so that the L2 cache holds other data
//                                           -> {event_us} from before the first eviction to behind the last call
//                                           `ordered`: each as by `run` instead, and no time
// An answer of kProgramInvalid tells what the candidate did wrong. Any other error is the world's if it answers
// `hello`; from `load` on the candidate may have written it.
#pragma once

#include <optional>

#include "artifact/report/launch_record.h"
#include "device/order_check.h"
#include "device/stream.h"
#include "device/trial.h"
#include "wire/messages/call_arguments.h"
#include "wire/messages/rpc.h"
#include "worker/loader/candidate.h"
#include "worker/memory/attached_memory.h"
#include "worker/session/bound_call.h"

namespace stitch::worker {

class Session {
 public:
  explicit Session(bool mirrored) : memory_(mirrored) {}
  Result<wire::Answer> handle(wire::Request& request);

 private:
  Result<wire::Answer> hello(const Json& arguments);
  Result<wire::Answer> load(const Json& arguments);
  Result<wire::Answer> attach(wire::Request& request);
  Result<wire::Answer> detach(const Json& arguments);
  Result<wire::Answer> prepare(const Json& arguments);
  Result<wire::Answer> workspace(const Json& arguments);
  Result<wire::Answer> run(const Json& arguments);
  Result<wire::Answer> destroy(const Json& arguments);
  Result<const LaunchRecord*> left_out(const Json& arguments, CallTrial trial) const;
  Result<wire::Answer> launches(const Json& arguments);
  Result<wire::Answer> again(const Json& arguments);
  Result<wire::Answer> bind(const Json& arguments);
  Result<wire::Answer> run_block(const Json& arguments);
  void look_at_copies(const BoundCall& call);
  Result<void*> stream_of(const Json& arguments);
  Result<void> run_in_order(const BoundCall& call, void* stream, const std::function<Result<void>()>& enqueue);
  Result<void> enqueue_call(size_t turn);
  Result<void> enqueue_turn(size_t turn, bool backwards, bool with_call);
  Result<double> run_between_events(const std::vector<int64_t>& order, bool with_calls);

  AttachedMemory memory_;
  std::optional<Candidate> candidate_;
  std::optional<device::Stream> stream_;
  std::vector<device::Stream> other_streams_;      // made when a call first wants them
  std::optional<device::OrderCheck> order_check_;  // where the device has it
  std::vector<BoundCall> bound_;
  std::vector<device::Graph> graphs_;  // empty, or one for each of bound_
  std::optional<device::Buffer> evict_;
  std::optional<device::CallTrialScope> trial_;        // under way
  std::optional<std::vector<LaunchRecord>> launches_;  // of the last run, until run() returned
  std::vector<wire::Region> said_;                     // of its results
};

}  // namespace stitch::worker
