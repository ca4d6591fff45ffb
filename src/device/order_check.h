// SPDX-License-Identifier: Apache-2.0
// Whether work is ordered on the stream it was given. While it is enqueued every multiprocessor is taken; then one is
// given back, and a part of the results is copied as soon as the stream says that they are there: what another stream,
// which is not joined, has yet to write is missing in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error/result.h"
#include "device/bulk.h"

namespace stitch::device {

class OrderCheck {
 public:
  // Nothing where this device has no code for it.
  static Result<std::optional<OrderCheck>> create();
  OrderCheck(OrderCheck&& other) noexcept;
  OrderCheck& operator=(OrderCheck&& other) noexcept;
  ~OrderCheck();

  // Call on an idle device before anything is enqueued. Takes the device for 20 ms at most: work that waits for the
  // device in between is not checked.
  Result<void> begin(const std::vector<Extent>& results);
  // Call after the work was enqueued on `stream`, always after begin(). The device is free again when this returns.
  Result<void> end(void* stream);
  // Call when all work has ended: whether the copied part equals the results.
  Result<bool> holds();

 private:
  struct State;
  explicit OrderCheck(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stitch::device
