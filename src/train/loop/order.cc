// SPDX-License-Identifier: Apache-2.0
#include "train/loop/order.h"

#include <algorithm>
#include <string>

#include "base/seed/seed.h"

namespace stitch::train {

std::vector<size_t> ShuffledOrder::of_step(int64_t step, int64_t batch) {
  const auto count = static_cast<int64_t>(count_);
  std::vector<size_t> chosen;
  for (int64_t place = step * batch; place < (step + 1) * batch; ++place) {
    if (place / count != epoch_) {
      epoch_ = place / count;
      order_.clear();
      for (size_t i = 0; i < count_; ++i) {
        order_.emplace_back(derived_seed(seed_, "order of epoch " + std::to_string(epoch_), i), i);
      }
      std::sort(order_.begin(), order_.end());
    }
    chosen.push_back(order_[static_cast<size_t>(place % count)].second);
  }
  return chosen;
}

}  // namespace stitch::train
