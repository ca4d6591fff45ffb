// SPDX-License-Identifier: Apache-2.0
// The keeper as the supervisor sees it. The keeper is ours: whatever goes wrong with it is an Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/device_kind.h"
#include "artifact/tensor/host_tensor.h"
#include "base/process/child.h"
#include "wire/messages/mixed_region.h"
#include "wire/messages/rpc.h"
#include "wire/messages/tensor_argument.h"

namespace stitch::evaluate {

struct KeeperFacts {
  std::string name;
  std::string architecture;
  uint64_t memory_bytes = 0;
  uint64_t l2_bytes = 0;
};

class KeeperClient {
 public:
  static Result<KeeperClient> start(DeviceKind device);

  const KeeperFacts& facts() const { return facts_; }

  struct Block {
    wire::BlockToken token;
    Descriptor memory;  // to hand on to the worker; closed on a GPU
  };
  Result<Block> allocate(uint64_t bytes);
  Result<void> release(uint64_t id);
  // Tensors that lie in another process's memory are copied from there, on the device.
  Result<void> fill(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors);
  Result<void> poison(const std::vector<wire::Region>& regions);
  Result<std::vector<int64_t>> digest(const std::vector<wire::Region>& regions);
  // The regions' contents, each as a tensor of the spec at its place.
  Result<std::vector<HostTensor>> snapshot(const std::vector<wire::Region>& regions,
                                           const std::vector<TensorSpec>& specs);
  // Checks that the device works at all: allocates a little memory, writes it and reads it.
  Result<void> try_device();
  // Makes each mix and takes its digest, one after another: they may share one region.
  Result<std::vector<int64_t>> mix(const std::vector<wire::MixedRegion>& mixes);
  // What is written before the clock starts, all of it from memory that no worker sees: copies, and mixes of two.
  struct Contents {
    std::vector<wire::Region> from;
    std::vector<wire::Region> to;
    std::vector<wire::MixedRegion> mixed;
  };
  // The clock starts when the last of the contents is written, and stops when the first of `regions` is about to be
  // read for its digest; where there are `kept` ones they are copied there, and the digests are those of the copies.
  struct Stopped {
    double elapsed_us = 0;
    std::vector<int64_t> digests;
  };
  Result<void> clock_start(const Contents& contents);
  // The clock starts when digests of these were taken.
  Result<std::vector<int64_t>> clock_start(const std::vector<wire::Region>& regions);
  Result<Stopped> clock_stop(const std::vector<wire::Region>& regions, const std::vector<wire::Region>& kept = {});

 private:
  KeeperClient(Child child, wire::Channel channel) : child_(std::move(child)), channel_(std::move(channel)) {}
  Result<void> fetch(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors);
  Result<void> hand_over(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors);
  Result<wire::Answer> ask(const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors = {});
  Result<wire::Answer> ask_regions(const std::string& verb, const std::vector<wire::Region>& regions,
                                   std::vector<Descriptor> descriptors = {});

  Child child_;
  wire::Channel channel_;
  KeeperFacts facts_;
  uint64_t last_id_ = 0;
};

}  // namespace stitch::evaluate
