// SPDX-License-Identifier: Apache-2.0
#include "base/text/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stitch {

size_t edit_distance(std::string_view a, std::string_view b) {
  // One row of the usual table: distances from a's first i characters to each beginning of b.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace stitch
