// SPDX-License-Identifier: Apache-2.0
// The observer of a request: a terminal, a log, a service's client, or nothing. It receives text and returns none.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "artifact/device_kind.h"

namespace stitch::driver {

// Called from any thread.
class Progress {
 public:
  virtual ~Progress() = default;

  // Something under way, until it goes out of scope.
  class Wait {
   public:
    Wait(Wait&& other) noexcept;
    Wait& operator=(Wait&&) = delete;
    ~Wait();
    // How far it is.
    void say(const std::string& message);
    // What it waits for now. Shown only where the next text can replace it.
    void hint(const std::string& message);

   private:
    friend Progress;
    Wait(Progress* progress, std::string stage, int id) : progress_(progress), stage_(std::move(stage)), id_(id) {}
    Progress* progress_;
    std::string stage_;
    int id_;
  };
  Wait wait(const std::string& stage, const std::string& message);

  // A fact that stays: "plan", "7 steps from 41 operators".
  virtual void fact(const std::string& stage, const std::string& message) = 0;
  // So many of the files of one build are compiled for `device`.
  virtual void built(DeviceKind device, size_t done, size_t total);
  // The folder of results has taken its place.
  virtual void installed();

 protected:
  // The number by which what is waited for is spoken of afterwards.
  virtual int begin(const std::string& stage, const std::string& message) = 0;
  virtual void say(int id, const std::string& stage, const std::string& message) = 0;
  virtual void hint(int id, const std::string& stage, const std::string& message) = 0;
  virtual void end(int id) = 0;
};

}  // namespace stitch::driver
