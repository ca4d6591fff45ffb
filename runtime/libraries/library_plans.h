// SPDX-License-Identifier: Apache-2.0
// What a program handle keeps of an optional library: the library's own handle and a plan for each call seen so far.
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include "stitch/libraries.h"

namespace stitch {

// Api has create(Handle*) and destroy(Handle), which return 0 when they succeed. Plan has a `key`, and a function
// destroy(const Api&, Plan&) beside it.
template <typename Api, typename Handle, typename Plan>
class LibraryPlans {
 public:
  explicit LibraryPlans(const Api& api) : api_(api) { is_open_ = api_.create(&handle_) == 0; }
  ~LibraryPlans() {
    for (Plan& plan : plans_) {
      destroy(api_, plan);
    }
    if (is_open_) {
      api_.destroy(handle_);
    }
  }
  LibraryPlans(const LibraryPlans&) = delete;
  LibraryPlans& operator=(const LibraryPlans&) = delete;

  Handle handle() const { return handle_; }
  bool is_open() const { return is_open_; }

  // The plan of that key; a new one once `complete` has filled it.
  template <typename Key, typename Complete>
  Plan& find_or_make(const Key& key, const Complete& complete) {
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return plan.key == key; });
    if (found != plans_.end()) {
      return *found;
    }
    // A program called with ever new batches must not keep them all.
    constexpr std::size_t kMostPlans = 256;
    if (plans_.size() == kMostPlans) {
      destroy(api_, plans_.front());
      plans_.erase(plans_.begin());
    }
    Plan plan{};
    plan.key = key;
    complete(plan);
    plans_.push_back(plan);
    return plans_.back();
  }

 private:
  const Api& api_;
  Handle handle_ = nullptr;
  bool is_open_ = false;
  std::vector<Plan> plans_;
};

// What a program handle keeps in `slot`, made at first use; null when memory is out.
template <typename Library, typename Api>
Library* library_in(LibrarySlot& slot, const Api& api) {
  if (slot.state == nullptr) {
    slot.state = new (std::nothrow) Library(api);
    slot.destroy = [](void* state) { delete static_cast<Library*>(state); };
  }
  return static_cast<Library*>(slot.state);
}

}  // namespace stitch
