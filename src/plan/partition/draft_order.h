// SPDX-License-Identifier: Apache-2.0
// Which draft reads results of which, and one order in which all of them can run, kept up to date while drafts grow:
// a new dependency moves only the drafts between its two ends (Pearce and Kelly, "A dynamic topological sort algorithm
// for directed acyclic graphs", 2007).
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace stitch::plan {

class DraftOrder {
 public:
  // Adds draft `number`, the next one, at the end of the order.
  void add(int number);
  // Records that `number` reads results of `reads`, none of which may depend on it.
  void set_reads(int number, const std::set<int>& reads);
  // Removes `absorbed`, which became part of `number`: what read it reads that now. Nothing that one of the two reads
  // may depend on the other, but for `absorbed` and `number` themselves.
  void merge(int number, int absorbed);

  const std::set<int>& reads(int number) const { return at(number).reads; }
  const std::set<int>& readers(int number) const { return at(number).readers; }
  // Whether `later` needs, directly or not, a result of `earlier`.
  bool depends_on(int later, int earlier) const;

 private:
  struct Links {
    std::set<int> reads;
    std::set<int> readers;
    size_t place = 0;  // in the order
  };
  const Links& at(int number) const { return links_[static_cast<size_t>(number)]; }
  Links& at(int number) { return links_[static_cast<size_t>(number)]; }
  // Drafts that can be reached from `start` along `next` without leaving the places from `first` to `last`.
  std::vector<int> reached(int start, std::set<int> Links::*next, size_t first, size_t last) const;
  // Moves drafts so that `read` comes before `reader`.
  void put_before(int read, int reader);

  std::vector<Links> links_;
};

}  // namespace stitch::plan
