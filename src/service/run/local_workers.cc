// SPDX-License-Identifier: Apache-2.0
#include "service/run/local_workers.h"

#include <fmt/format.h>
#include <unistd.h>

namespace stitch::service {

LocalWorkers::LocalWorkers(int count, const std::string& store_url, const farm::JobPlace& place,
                           std::function<void(const std::string&)> said) {
  for (int i = 0; i < count; ++i) {
    One& one = workers_.emplace_back();
    one.options.store_url = store_url;
    one.options.name = fmt::format("serve-{}-{}", ::getpid(), i);
    one.options.look_ms = 100;
    one.options.beat_ms = 500;  // a cancellation is heard of within this time
    one.options.place = place;
    one.options.place.visible_devices = "";  // what it runs touches nobody's GPU
    one.events.said = said;
    one.thread = std::thread([&one] {
      const farm::Canary none;
      const Result<void> worked = farm::work(one.options, one.drain, one.metrics, nullptr, none, one.events);
      if (!worked.has_value()) {
        one.events.said(one.options.name + " ends: " + worked.error().message);
      }
    });
  }
}

void LocalWorkers::drain(double grace_seconds) {
  for (One& one : workers_) {
    one.drain.begin(grace_seconds);
  }
}

LocalWorkers::~LocalWorkers() {
  drain(0);
  for (One& one : workers_) {
    one.thread.join();
  }
}

}  // namespace stitch::service
