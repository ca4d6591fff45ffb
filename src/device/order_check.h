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

  // Before anything is enqueued. The device is idle, and is taken for 20 ms at most: for work that waits for the device
  // in between, nothing is learnt.
  Result<void> begin(const std::vector<Extent>& results);
  // After it was enqueued on `stream`; the device is free again when this returns. Not to be left out after begin().
  Result<void> end(void* stream);
  // When all is over: whether what was copied is what the results are.
  Result<bool> holds();

 private:
  struct State;
  explicit OrderCheck(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stitch::device
