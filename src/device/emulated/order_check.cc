// SPDX-License-Identifier: Apache-2.0
#include "device/order_check.h"

#include "base/error/check.h"

namespace stitch::device {

// Work on the emulated device is done in the order in which it is enqueued.
struct OrderCheck::State {};

Result<std::optional<OrderCheck>> OrderCheck::create() { return std::optional<OrderCheck>(); }
OrderCheck::OrderCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
OrderCheck::OrderCheck(OrderCheck&& other) noexcept = default;
OrderCheck& OrderCheck::operator=(OrderCheck&& other) noexcept = default;
OrderCheck::~OrderCheck() = default;
Result<void> OrderCheck::begin(const std::vector<Extent>&) { return {}; }
Result<void> OrderCheck::end(void*) { return {}; }
Result<bool> OrderCheck::holds() { return true; }

}  // namespace stitch::device
