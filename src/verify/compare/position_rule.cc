// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/position_rule.h"

#include <vector>

#include "verify/compare/elements.h"
#include "verify/compare/exact_rule.h"
#include "verify/compare/tiling.h"

namespace stitch::verify {
namespace {

// Lines of `kept` positions along one axis of a source; `inner` lines lie side by side.
struct Lines {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t length = 1;
  int64_t kept = 1;

  explicit Lines(const IndexSource& source) : kept(source.kept) {
    const std::vector<int64_t>& shape = source.values.spec().type.shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const auto place = static_cast<int64_t>(axis);
      (place < source.axis ? outer : place > source.axis ? inner : length) *= shape[axis];
    }
  }
};

// Which positions of one line break a rule, by their ranks.
class LineJudge {
 public:
  LineJudge(const IndexSource& source, const Lines& lines)
      : source_(source), lines_(lines), seen_(static_cast<size_t>(lines.length)) {}

  std::vector<int64_t> refused_ranks(const std::vector<int64_t>& positions, int64_t outer, int64_t in) {
    std::vector<int64_t> refused;
    ++line_;
    for (int64_t rank = 0; rank < lines_.kept; ++rank) {
      const int64_t position = positions[static_cast<size_t>(rank * lines_.inner + in)];
      if (position < 0 || position >= lines_.length) {
        continue;  // the rule of values refuses it
      }
      int64_t& last_seen = seen_[static_cast<size_t>(position)];
      const int64_t before = rank > 0 ? positions[static_cast<size_t>((rank - 1) * lines_.inner + in)] : -1;
      const bool is_out_of_order = source_.stable && before > position && before < lines_.length &&
                                   value(outer, before, in) == value(outer, position, in);
      if (last_seen == line_ || is_out_of_order) {
        refused.push_back(rank);
      }
      last_seen = line_;
    }
    return refused;
  }

 private:
  double value(int64_t outer, int64_t position, int64_t in) const {
    double result = 0;
    load_doubles(source_.values, (outer * lines_.length + position) * lines_.inner + in, 1, &result);
    return result;
  }

  const IndexSource& source_;
  const Lines& lines_;
  std::vector<int64_t> seen_;  // the last line that named each position
  int64_t line_ = 0;
};

}  // namespace

void judge_positions(const OutputReference& reference, const HostTensor& got, OutputComparison& result) {
  const IndexSource& source = *reference.index_source;
  const Lines lines(source);
  const int64_t count = lines.kept * lines.inner;
  if (!source.distinct || lines.outer * count != got.spec().type.element_count()) {
    return;
  }
  LineJudge judge(source, lines);
  std::vector<int64_t> positions(static_cast<size_t>(count));
  for (int64_t outer = 0; outer < lines.outer; ++outer) {
    load_integers(got, outer * count, count, positions.data());
    for (int64_t in = 0; in < lines.inner; ++in) {
      for (const int64_t rank : judge.refused_ranks(positions, outer, in)) {
        const int64_t element = outer * count + rank * lines.inner + in;
        int64_t expected = 0;
        load_integers(reference.reference, element, 1, &expected);
        refuse_exactly(result, {element, Tiling(reference.type.shape).tile_of(element),
                                static_cast<double>(positions[static_cast<size_t>(rank * lines.inner + in)]),
                                static_cast<double>(expected), 0, 0});
      }
    }
  }
}

}  // namespace stitch::verify
