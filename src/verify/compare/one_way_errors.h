// SPDX-License-Identifier: Apache-2.0
// Errors of a 16-bit output that all go one way. Each element may err by some roundings of a coarse type, so that an
// output that is a few per cent too large hides below the budget of every tile. Over many elements honest roundings
// cancel: what is left of them, a scale or an offset common to a tile or to the whole output, shrinks with their
// number.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "verify/compare/float_rule.h"

namespace stitch::verify {

// The farthest that a candidate is off, as a multiple of what is allowed.
struct OneWay {
  enum class Kind {
    kScale,     // all elements are too large or too small
    kOffset,    // lie too high or too low
    kTogether,  // err to any side, by too much
  };
  double ratio = 0;
  Kind kind = Kind::kScale;
  double by = 0;  // relative: 0.05 is five per cent, of the root of mean squares but for a scale
  double allowed = 0;
  std::optional<int64_t> element{};  // the first of the tile
  std::optional<int64_t> column{};   // along the last axis; neither: the whole output
};
// "elements of output 0 are 5 % too large on the whole (0.4 % allowed)"
std::string message(const OneWay& found, const std::string& output, const std::vector<int64_t>& shape);

class OneWayErrors {
 public:
  // Of an output of this type's epsilon and shape; one of 32 bits and more is not looked at.
  OneWayErrors(double epsilon, const std::vector<int64_t>& shape);

  // `more_runs`: of the reference in coarser arithmetic that the mode accepts, where it has such.
  void observe(const TileData& tile, const std::vector<std::span<const double>>& more_runs);
  // Adds what was seen of later tiles.
  void merge(const OneWayErrors& later);
  // Adds one draw of an output that is small, whose draws count alike: each as multiples of its root of mean squares.
  void observe_small(const TileData& tile, const std::vector<std::span<const double>>& more_runs);
  // Nothing where too few elements were seen.
  std::optional<OneWay> farthest() const;
  // Of draws that observe_small() saw: all that they have in common, as a tile's elements have. Elements of one draw
  // may share their errors, so that a draw counts as one: errors to any side are told where most draws have them.
  std::optional<OneWay> farthest_of_small() const;

 private:
  static constexpr size_t kScale = 0;
  static constexpr size_t kOffset = 1;
  static constexpr size_t kKinds = 2;
  using Both = std::array<double, kKinds>;
  // Sums over elements of t (what is right), e (a run's or the candidate's error) and s (the error of one element that
  // an honest program may make).
  struct Sums {
    double elements = 0;
    double truth_squares = 0;           // t^2
    Both spread{};                      // s^2 t^2, s^2
    Both candidate{};                   // e t, e
    std::vector<Both> runs{};           // the same of each run of the reference
    double candidate_squares = 0;       // e^2
    std::vector<double> run_squares{};  // the native one's first
    void add(const Sums& other);
    void add_element(double truth, double error, double own, const std::vector<double>& by_runs);
    void divide(double size);  // as if truth and errors were that many times smaller
    // Those above as relative numbers: how far off, and how far one in six million honest ones of independent errors
    // is.
    double relative(const Both& sums, size_t kind) const;
    double chance(size_t kind) const;
    double largest_run(size_t kind) const;
  };
  struct Tile {
    int64_t begin;
    Sums sums;
  };
  // What is compared: elements of a tile, a column or all of them.
  struct Part {
    std::optional<int64_t> element{};
    std::optional<int64_t> column{};
    bool is_whole = false;
  };
  Sums sums_of(const TileData& tile, const std::vector<std::span<const double>>& more_runs);
  Both allowed_by_runs(const std::vector<const Sums*>& parts) const;
  void compare_together(const Sums& sums, OneWay& farthest) const;
  void compare_tiles(OneWay& farthest) const;
  void compare_columns(OneWay& farthest) const;
  void compare(const Sums& sums, const Both& more_allowed, const Part& part, OneWay& farthest) const;

  double epsilon_;
  Sums whole_;
  size_t small_draws_ = 0;
  size_t small_draws_beyond_ = 0;  // by all errors together
  std::vector<Tile> tiles_;
  std::vector<Sums> columns_;  // empty: not looked at
};

}  // namespace stitch::verify
