// SPDX-License-Identifier: Apache-2.0
// The keeper's verbs, asked by the supervisor alone:
//   hello {}                     -> {name, architecture, memory_bytes, l2_bytes, multiprocessors}
//   allocate {bytes: [..]}       -> {blocks: [token..]} and, emulated, a memfd for each
//   release {ids: [..]}
//   fill {regions: [..]}         from the file that comes along, region after region
//   fetch {regions: [..], handles: [..], offsets: [..]}  from where another process, the oracle, keeps each
//   poison {regions: [..]}       fresh random bytes
//   digest {regions: [..]}       -> {digests: [..]}
//   snapshot {regions: [..]}     -> a memfd for each
//   mix {mixed: [..]}            -> {digests: [..]}: makes each and takes its digest, in turn: they may share one place
//   clock_start {[from, to, mixed]}  copies and mixes regions first, on the device, from blocks that no worker was
//                                handed: the clock starts when the last input is written
//   clock_stop {[regions[, kept]]}  -> {elapsed_us[, digests]}: it stops before the first of the regions is read. With
//                                `kept` they are copied there, and the digests are those of the copies
#pragma once

#include "keeper/blocks/block_pool.h"
#include "wire/messages/rpc.h"

namespace stitch::keeper {

class Session {
 public:
  Result<wire::Answer> handle(wire::Request& request);

 private:
  Result<wire::Answer> hello();
  Result<wire::Answer> allocate(const Json& arguments);
  Result<wire::Answer> release(const Json& arguments);
  Result<wire::Answer> fill(wire::Request& request);
  Result<wire::Answer> fetch(const Json& arguments);
  Result<wire::Answer> poison(const Json& arguments);
  Result<wire::Answer> digest(const Json& arguments);
  Result<wire::Answer> snapshot(const Json& arguments);
  Result<wire::Answer> mix(const Json& arguments);
  Result<void> copy(const Json& arguments, const char* from_key, const char* to_key);
  Result<wire::Answer> clock_start(const Json& arguments);
  Result<wire::Answer> clock_stop(const Json& arguments);

  BlockPool pool_;
  wire::Clock::time_point clock_start_{};
};

}  // namespace stitch::keeper
