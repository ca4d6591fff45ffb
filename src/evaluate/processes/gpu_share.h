// SPDX-License-Identifier: Apache-2.0
// Several commands on one GPU: each states how much of its memory it needs and waits until so much is left, in their
// order of arrival; a timing needs all of it. A file of the GPU's own keeps the queue; who is gone counts no more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::evaluate {

class GpuShare {
 public:
  // `total_bytes` is what the GPU has; no less than `bytes`. `waiting` is called once, if it has to wait, with what
  // those before it take.
  static Result<GpuShare> take(const std::filesystem::path& queue, uint64_t bytes, uint64_t total_bytes,
                               const std::function<void(uint64_t taken_bytes)>& waiting);
  GpuShare(GpuShare&& other) noexcept;
  GpuShare& operator=(GpuShare&& other) noexcept;
  ~GpuShare();  // gives it back

  // All that are in the queue, this process among them. While one has all of the GPU the others do nothing on it.
  Result<std::vector<int64_t>> processes() const;

 private:
  GpuShare(std::filesystem::path queue, std::string mark) : queue_(std::move(queue)), mark_(std::move(mark)) {}
  std::filesystem::path queue_;
  std::string mark_;  // of our line; empty when moved from
};

}  // namespace stitch::evaluate
