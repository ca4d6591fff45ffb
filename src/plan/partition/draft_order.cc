// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/draft_order.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::plan {

void DraftOrder::add(int number) {
  STITCH_CHECK(static_cast<size_t>(number) == links_.size()) << "drafts are numbered in the order they are added";
  links_.push_back({{}, {}, links_.size()});
}

void DraftOrder::set_reads(int number, const std::set<int>& reads) {
  const std::set<int> before = at(number).reads;
  for (const int old : before) {
    if (reads.count(old) == 0) {
      at(old).readers.erase(number);
    }
  }
  at(number).reads = reads;
  for (const int read : reads) {
    if (at(read).readers.insert(number).second && at(read).place > at(number).place) {
      put_before(read, number);
    }
  }
}

void DraftOrder::merge(int number, int absorbed) {
  const Links gone = at(absorbed);
  for (const int read : gone.reads) {
    at(read).readers.erase(absorbed);
  }
  at(absorbed).reads.clear();
  at(absorbed).readers.clear();
  at(number).reads.erase(absorbed);
  std::set<int> reads = at(number).reads;
  reads.insert(gone.reads.begin(), gone.reads.end());
  reads.erase(number);
  set_reads(number, reads);
  for (const int reader : gone.readers) {
    if (reader != number) {
      std::set<int> of_reader = at(reader).reads;
      of_reader.erase(absorbed);
      of_reader.insert(number);
      set_reads(reader, of_reader);
    }
  }
}

bool DraftOrder::depends_on(int later, int earlier) const {
  if (at(later).place <= at(earlier).place) {
    return false;
  }
  const std::vector<int> needed = reached(later, &Links::reads, at(earlier).place, at(later).place);
  return std::find(needed.begin(), needed.end(), earlier) != needed.end();
}

std::vector<int> DraftOrder::reached(int start, std::set<int> Links::*next, size_t first, size_t last) const {
  std::set<int> seen = {start};
  std::vector<int> found = {start};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const int other : at(found[i]).*next) {
      if (at(other).place >= first && at(other).place <= last && seen.insert(other).second) {
        found.push_back(other);
      }
    }
  }
  return found;
}

void DraftOrder::put_before(int read, int reader) {
  const size_t first = at(reader).place;
  const size_t last = at(read).place;
  std::vector<int> above = reached(read, &Links::reads, first, last);
  std::vector<int> below = reached(reader, &Links::readers, first, last);
  const auto by_place = [this](int a, int b) { return at(a).place < at(b).place; };
  std::sort(above.begin(), above.end(), by_place);
  std::sort(below.begin(), below.end(), by_place);
  STITCH_CHECK(std::find(below.begin(), below.end(), read) == below.end()) << "two drafts wait for each other";
  // Both keep their own order and share the places they had, what is read first.
  std::vector<int> moved = above;
  moved.insert(moved.end(), below.begin(), below.end());
  std::vector<size_t> places;
  for (const int number : moved) {
    places.push_back(at(number).place);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < moved.size(); ++i) {
    at(moved[i]).place = places[i];
  }
}

}  // namespace stitch::plan
