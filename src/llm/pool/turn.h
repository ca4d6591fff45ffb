// SPDX-License-Identifier: Apache-2.0
// A turn at an endpoint, which all commands of a user on this machine share: they are served in order of arrival, as
// many at once and in a minute as the limits allow. A file under a lock keeps the order; who is gone counts no more.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "llm/pool/pool_use.h"

namespace stitch::llm {

class Turn {
 public:
  struct Waiting {
    int64_t tokens = 0;  // the worst that the request can take
    std::function<bool()> is_abandoned{};
    std::function<void(const std::string&)> told{};  // once, if it has to wait
  };
  // Waits, asleep, until the turn has come; nothing where it was abandoned meanwhile. kEnvironment where the folder
  // cannot be written to.
  static Result<std::optional<Turn>> wait(const PoolUse& use, const Waiting& waiting);

  Turn(Turn&& other) noexcept;
  Turn& operator=(Turn&& other) noexcept;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();  // ends it

  // It is over: the request took so many tokens (nothing: the worst), and the server asked all to stay away for a
  // while.
  void end(std::optional<int64_t> tokens, int64_t closed_ms);

 private:
  Turn(std::string folder, int64_t number) : folder_(std::move(folder)), number_(number) {}
  std::string folder_;  // empty: it is over
  int64_t number_ = 0;
};

}  // namespace stitch::llm
