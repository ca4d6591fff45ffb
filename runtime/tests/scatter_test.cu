// SPDX-License-Identifier: Apache-2.0
// Scatters, by all kernels, against the sequential loop whose order they promise: every reduction, with and without
// the element's own value, places that many sources share, places out of range, targets shared by all columns.
#include "kernels/scatter/buckets.cuh"
#include "kernels/scatter/in_place.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct Target {
  const int64_t* places;
  int64_t sources;
  bool is_shared;
  __device__ int64_t operator()(int64_t column, int64_t source) const {
    return places[(is_shared ? 0 : column * sources) + source];
  }
};

template <typename T>
struct Value {
  const T* x;
  int64_t sources;
  __device__ T operator()(int64_t column, int64_t source) const { return x[column * sources + source]; }
};

// Elements lie places by columns, or columns by places.
struct Layout {
  int64_t columns;
  int64_t places;
  bool places_innermost;
  __host__ __device__ int64_t at(int64_t column, int64_t place) const {
    return places_innermost ? column * places + place : place * columns + column;
  }
};

template <typename T>
struct Self {
  const T* self;
  Layout layout;
  __device__ T operator()(int64_t column, int64_t place) const { return self[layout.at(column, place)]; }
};

template <typename T>
struct Store {
  T* out;
  Layout layout;
  __device__ void operator()(int64_t column, int64_t place, T value) const { out[layout.at(column, place)] = value; }
};

template <typename T>
T larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <typename T>
T smaller(T a, T b) {
  return a != a || a < b ? a : b;
}

template <typename T>
T joined(ScatterReduce reduce, T total, T value) {
  switch (reduce) {
    case ScatterReduce::kNone:
      return value;
    case ScatterReduce::kProd:
      return total * value;
    case ScatterReduce::kAmax:
      return total != total ? total : larger(value, total);
    case ScatterReduce::kAmin:
      return total != total ? total : smaller(value, total);
    default:
      return total + value;
  }
}

template <typename T>
T mean_of(T total, int64_t count) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<T>(std::floor(static_cast<double>(total) / static_cast<double>(count)));
  } else {
    return total / static_cast<T>(count);
  }
}

template <typename T>
struct Case {
  ScatterShape shape;
  bool is_shared;
  std::vector<int64_t> targets;
  std::vector<T> values;
  std::vector<T> self;

  Layout layout() const { return {shape.columns, shape.places, shape.places_innermost}; }
};

template <typename T>
std::vector<T> looped(const Case<T>& given, ScatterReduce reduce, bool include_self) {
  std::vector<T> out = given.self;
  for (int64_t column = 0; column < given.shape.columns; ++column) {
    for (int64_t place = 0; place < given.shape.places; ++place) {
      const auto at = static_cast<size_t>(given.layout().at(column, place));
      int64_t count = include_self ? 1 : 0;
      for (int64_t source = 0; source < given.shape.sources; ++source) {
        const int64_t first = given.is_shared ? 0 : column * given.shape.sources;
        if (given.targets[static_cast<size_t>(first + source)] == place) {
          const T value = given.values[static_cast<size_t>(column * given.shape.sources + source)];
          out[at] = count == 0 ? value : joined<T>(reduce, out[at], value);
          ++count;
        }
      }
      if (reduce == ScatterReduce::kMean && count > 0) {
        out[at] = mean_of<T>(out[at], count);
      }
    }
  }
  return out;
}

// Once beside the old values, which must stay as they are, and once over them.
template <ScatterReduce kReduce, bool kIncludeSelf, typename T>
void check_in_place(Checker& checker, const std::string& name, const Case<T>& given, const Target& target,
                    const Value<T>& value, const std::vector<T>& want) {
  const auto bytes = static_cast<int64_t>(given.self.size() * sizeof(T));
  const DeviceArray<T> self(given.self);
  const DeviceArray<T> beside(static_cast<int64_t>(given.self.size()));
  const auto run = [&](T* out) {
    return launch_scatter_in_place<kReduce, kIncludeSelf, T>(target, value, Self<T>{self.data(), given.layout()},
                                                             Store<T>{out, given.layout()}, given.shape,
                                                             {self.data(), out, bytes}, nullptr);
  };
  checker.launched(name, run(beside.data()));
  checker.same(name + ", beside", beside.values(), want);
  checker.same(name + ", what stood there", self.values(), given.self);
  checker.launched(name, run(self.data()));
  checker.same(name + ", in place", self.values(), want);
}

template <ScatterReduce kReduce, bool kIncludeSelf, typename T>
void check(Checker& checker, const std::string& what, const Case<T>& given) {
  const ScatterShape& shape = given.shape;
  const DeviceArray<int64_t> targets(given.targets);
  const DeviceArray<T> values(given.values);
  const DeviceArray<T> self(given.self);
  const Target target{targets.data(), shape.sources, given.is_shared};
  const Value<T> value{values.data(), shape.sources};
  const Self<T> own{self.data(), given.layout()};
  const std::vector<T> want = looped(given, kReduce, kIncludeSelf);
  const std::string name = what + ", reduction " + std::to_string(static_cast<int>(kReduce)) +
                           (kIncludeSelf ? " with self: " : ": ") + std::to_string(shape.columns) + " columns, " +
                           std::to_string(shape.sources) + " sources to " + std::to_string(shape.places) + " places";
  const DeviceArray<T> pulled(static_cast<int64_t>(given.self.size()));
  checker.launched(name, launch_scatter_pull<kReduce, kIncludeSelf, T>(
                             target, value, own, Store<T>{pulled.data(), given.layout()}, shape, nullptr));
  checker.same(name + ", pull", pulled.values(), want);
  const int64_t target_columns = given.is_shared ? 1 : shape.columns;
  const DeviceArray<int32_t> scratch(target_columns * (2 * shape.places + shape.sources) + 1);
  const DeviceArray<T> dropped(static_cast<int64_t>(given.self.size()));
  const Store<T> store{dropped.data(), given.layout()};
  checker.launched(name, given.is_shared ? launch_scatter_buckets<kReduce, kIncludeSelf, true, T>(
                                               target, value, own, store, shape, scratch.data(), nullptr)
                                         : launch_scatter_buckets<kReduce, kIncludeSelf, false, T>(
                                               target, value, own, store, shape, scratch.data(), nullptr));
  checker.same(name + ", buckets", dropped.values(), want);
  check_in_place<kReduce, kIncludeSelf>(checker, name, given, target, value, want);
}

template <typename T>
void check_reductions(Checker& checker, const std::string& what, const Case<T>& given) {
  check<ScatterReduce::kNone, false>(checker, what, given);
  check<ScatterReduce::kSum, true>(checker, what, given);
  check<ScatterReduce::kSum, false>(checker, what, given);
  check<ScatterReduce::kProd, true>(checker, what, given);
  check<ScatterReduce::kMean, true>(checker, what, given);
  check<ScatterReduce::kMean, false>(checker, what, given);
  check<ScatterReduce::kAmax, true>(checker, what, given);
  check<ScatterReduce::kAmax, false>(checker, what, given);
  check<ScatterReduce::kAmin, true>(checker, what, given);
}

// Targets from -1 to `places`: both ends are nowhere.
template <typename T>
Case<T> drawn(const ScatterShape& shape, bool is_shared, uint64_t seed) {
  Case<T> made{shape, is_shared, {}, {}, {}};
  const int64_t targets = (is_shared ? 1 : shape.columns) * shape.sources;
  for (const float place : random_floats(targets, seed, -1.0f, static_cast<float>(shape.places + 1))) {
    made.targets.push_back(static_cast<int64_t>(std::floor(place)));
  }
  for (const float value : random_floats(shape.columns * shape.sources, seed + 1, -3.0f, 3.0f)) {
    made.values.push_back(static_cast<T>(value));
  }
  for (const float value : random_floats(shape.columns * shape.places, seed + 2, -3.0f, 3.0f)) {
    made.self.push_back(static_cast<T>(value));
  }
  return made;
}

void check_shape(Checker& checker, const ScatterShape& shape, uint64_t seed) {
  for (const bool is_shared : {false, true}) {
    const std::string what = is_shared ? "shared targets" : "targets of each column";
    check_reductions<float>(checker, what, drawn<float>(shape, is_shared, seed));
    check_reductions<int64_t>(checker, what + ", integers", drawn<int64_t>(shape, is_shared, seed));
    Case<float> odd = drawn<float>(shape, is_shared, seed);
    odd.values.front() = NAN;
    odd.self.back() = NAN;
    odd.values[odd.values.size() / 2] = -INFINITY;
    check_reductions<float>(checker, what + ", NaN", odd);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_shape(checker, {1, 1, 1, true}, 1);
  check_shape(checker, {3, 5, 1, false}, 2);
  check_shape(checker, {1, 300, 7, true}, 3);
  check_shape(checker, {7, 3, 200, true}, 4);  // buckets long enough for the heap
  check_shape(checker, {2, 1, 77, false}, 5);  // all to one place
  check_shape(checker, {33, 11, 41, false}, 6);
  check_shape(checker, {5, 130, 261, true}, 7);
  check_reductions<double>(checker, "doubles", drawn<double>({3, 4, 90, true}, false, 8));
  return checker.finish();
}
