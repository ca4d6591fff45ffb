// SPDX-License-Identifier: Apache-2.0
// The bottom lines of a terminal, drawn again in place ten times a second: what is waited for, and for how long. Facts
// scroll up above them. Safe from any thread; the terminal's width is asked for at every drawing.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/output/lines.h"

namespace stitch::cli {

class LiveDisplay {
 public:
  LiveDisplay(int descriptor, Style style, std::function<double()> clock);
  ~LiveDisplay();

  // A line that stays; it is cut to the terminal's width.
  void fact(const std::string& stage, const std::string& message);
  int begin(const std::string& stage, const std::string& message);
  void say(int id, const std::string& message);
  void end(int id);
  // Takes the lines away and draws none any more: what follows is printed by others.
  void close();
  // And takes the terminal's own "^C" off the line where the next sentence begins.
  void close_for_interrupt();

 private:
  struct Size {
    int columns = 80;
    int rows = 24;
  };
  Size size() const;
  void tick_until_closed();
  std::string taken_back(const Size& size);
  std::string drawn(const Size& size);
  void draw(const std::string& facts);

  int descriptor_;
  Style style_;
  std::function<double()> clock_;
  std::mutex mutex_;
  std::condition_variable closing_;
  bool closed_ = false;
  int next_id_ = 1;
  int tick_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<int> widths_;  // of the lines that are on the screen now
  std::thread ticking_;      // from the first thing that is waited for on
};

}  // namespace stitch::cli
