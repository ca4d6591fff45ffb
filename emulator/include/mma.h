// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma for fp16, bf16, TF32 and 8-bit integer fragments. Which lane holds which element is ours to choose, as
// the language leaves it open: element i of lane l is number l * num_elements + i in row-major order.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "stitch_emulator/collective.h"
#include "stitch_emulator/count.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

namespace details {

template <class T>
struct Element {
  using Storage = T;
};
template <>
struct Element<precision::tf32> {
  using Storage = float;
};

template <class Use, int M, int N, int K>
struct Extent;
template <int M, int N, int K>
struct Extent<matrix_a, M, N, K> {
  static constexpr int kRows = M;
  static constexpr int kColumns = K;
};
template <int M, int N, int K>
struct Extent<matrix_b, M, N, K> {
  static constexpr int kRows = K;
  static constexpr int kColumns = N;
};
template <int M, int N, int K>
struct Extent<accumulator, M, N, K> {
  static constexpr int kRows = M;
  static constexpr int kColumns = N;
};

template <class T>
inline float operand(T value) {
  return static_cast<float>(value);
}
inline float operand(__half value) { return __half2float(value); }
inline float operand(__nv_bfloat16 value) { return __bfloat162float(value); }

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  using Extent = details::Extent<Use, M, N, K>;
  using element_type = typename details::Element<T>::Storage;
  using storage_element_type = element_type;
  static constexpr int kRows = Extent::kRows;
  static constexpr int kColumns = Extent::kColumns;
  static constexpr int num_elements = kRows * kColumns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

inline float __float_to_tf32(float value) {
  // Round to nearest, ties away from zero, on the 10 stored bits of the fraction.
  const uint32_t bits = __float_as_uint(value);
  return (bits & 0x7f800000u) == 0x7f800000u ? value : __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

template <class Fragment, class Value>
inline void fill_fragment(Fragment& fragment, const Value& value) {
  for (auto& element : fragment.x) {
    element = value;
  }
}

namespace details {

// Counts the tile as a GPU moves it: each lane its share of what lies together, up to 16 bytes at once.
template <class Fragment, class Memory>
inline void count_tile(const Memory* memory, unsigned int stride, bool column_major, bool store) {
  const int together = column_major ? Fragment::kRows : Fragment::kColumns;
  const int share = Fragment::num_elements < together ? Fragment::num_elements : together;
  const int most = static_cast<int>(16 / sizeof(Memory));
  const int piece = share < most ? share : most;
  for (int i = 0; i < Fragment::num_elements; i += piece) {
    const int number = static_cast<int>(stitch_lane()) * Fragment::num_elements + i;
    const size_t at = static_cast<size_t>(number / together) * stride + static_cast<size_t>(number % together);
    stitch_count_access(memory + at, piece * sizeof(Memory), store);
  }
}

template <class Fragment, class Pointer>
STITCH_UNMARKED inline void each_element(Fragment& fragment, Pointer memory, unsigned int stride, bool column_major,
                                         bool store) {
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const int number = static_cast<int>(stitch_lane()) * Fragment::num_elements + i;
    const unsigned int row = static_cast<unsigned int>(number / Fragment::kColumns);
    const unsigned int column = static_cast<unsigned int>(number % Fragment::kColumns);
    const size_t at = column_major ? size_t{column} * stride + row : size_t{row} * stride + column;
    if constexpr (requires { memory[at] = fragment.x[i]; }) {
      if (store) {
        memory[at] = fragment.x[i];
        continue;
      }
    }
    fragment.x[i] = memory[at];
  }
}

// All lanes must be here before a collective load or store happens.
inline void meet(const char* name, const char* file, int line) {
  stitch_warp_exchange(stitch_emulator::combine_nothing, stitch_emulator::kFullMask, 0, 0, name, file, line);
}

template <class Layout>
constexpr bool kColumnMajor = false;
template <>
constexpr bool kColumnMajor<col_major> = true;

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class Memory>
inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& target, const Memory* memory, unsigned int stride,
                             STITCH_PLACE) {
  details::meet("load_matrix_sync", STITCH_PLACE_ARGUMENTS);
  details::count_tile<fragment<Use, M, N, K, T, Layout>>(memory, stride, details::kColumnMajor<Layout>, false);
  details::each_element(target, memory, stride, details::kColumnMajor<Layout>, false);
}

template <int M, int N, int K, class T, class Memory>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& target, const Memory* memory, unsigned int stride,
                             layout_t layout, STITCH_PLACE) {
  details::meet("load_matrix_sync", STITCH_PLACE_ARGUMENTS);
  details::count_tile<fragment<accumulator, M, N, K, T>>(memory, stride, layout == mem_col_major, false);
  details::each_element(target, memory, stride, layout == mem_col_major, false);
}

template <int M, int N, int K, class T, class Memory>
inline void store_matrix_sync(Memory* memory, const fragment<accumulator, M, N, K, T>& source, unsigned int stride,
                              layout_t layout, STITCH_PLACE) {
  details::meet("store_matrix_sync", STITCH_PLACE_ARGUMENTS);
  details::count_tile<fragment<accumulator, M, N, K, T>>(memory, stride, layout == mem_col_major, true);
  fragment<accumulator, M, N, K, T> copy = source;
  details::each_element(copy, memory, stride, layout == mem_col_major, true);
}

namespace details {

template <class A, class B, class C, class D>
struct Product {
  D* d;
  const A* a;
  const B* b;
  const C* c;

  // A TF32 operand's low 13 bits are not seen by the hardware, whether the program rounded it or not.
  template <class Fragment>
  static float seen(const Fragment& fragment, int element, bool tf32) {
    const float value = operand(fragment.x[element]);
    return tf32 ? __uint_as_float(__float_as_uint(value) & 0xffffe000u) : value;
  }

  template <class Sum, bool kTf32>
  static void run(void* const lanes[32]) {
    constexpr int kM = A::kRows;
    constexpr int kN = B::kColumns;
    constexpr int kK = A::kColumns;
    stitch_count_matrix_operation();
    stitch_count_matrix_flops(kTf32 ? STITCH_TF32_PIPE : STITCH_HALF_PIPE, uint64_t{2} * kM * kN * kK);
    Sum a[kM][kK];
    Sum b[kK][kN];
    for (int number = 0; number < kM * kK; ++number) {
      const auto* lane = static_cast<const Product*>(lanes[number / A::num_elements]);
      a[number / kK][number % kK] = static_cast<Sum>(seen(*lane->a, number % A::num_elements, kTf32));
    }
    for (int number = 0; number < kK * kN; ++number) {
      const auto* lane = static_cast<const Product*>(lanes[number / B::num_elements]);
      b[number / kN][number % kN] = static_cast<Sum>(seen(*lane->b, number % B::num_elements, kTf32));
    }
    for (int row = 0; row < kM; ++row) {
      Sum sums[kN];
      for (int column = 0; column < kN; ++column) {
        const int number = row * kN + column;
        const auto* lane = static_cast<const Product*>(lanes[number / C::num_elements]);
        sums[column] = static_cast<Sum>(operand_sum<Sum>(lane->c->x[number % C::num_elements]));
      }
      for (int k = 0; k < kK; ++k) {
        for (int column = 0; column < kN; ++column) {
          sums[column] += a[row][k] * b[k][column];
        }
      }
      for (int column = 0; column < kN; ++column) {
        const int number = row * kN + column;
        const auto* lane = static_cast<const Product*>(lanes[number / D::num_elements]);
        lane->d->x[number % D::num_elements] = static_cast<typename D::element_type>(sums[column]);
      }
    }
  }

  template <class Sum, class Value>
  static Sum operand_sum(Value value) {
    if constexpr (sizeof(Value) == 2) {
      return static_cast<Sum>(operand(value));
    } else {
      return static_cast<Sum>(value);
    }
  }
};

}  // namespace details

template <int M, int N, int K, class TD, class TA, class LayoutA, class TB, class LayoutB, class TC>
inline void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LayoutA>& a,
                     const fragment<matrix_b, M, N, K, TB, LayoutB>& b, const fragment<accumulator, M, N, K, TC>& c,
                     STITCH_PLACE) {
  using Whole = details::Product<fragment<matrix_a, M, N, K, TA, LayoutA>, fragment<matrix_b, M, N, K, TB, LayoutB>,
                                 fragment<accumulator, M, N, K, TC>, fragment<accumulator, M, N, K, TD>>;
  using Storage = typename details::Element<TD>::Storage;
  constexpr bool kInteger = static_cast<Storage>(0.5f) == static_cast<Storage>(0) && sizeof(Storage) == 4;
  Whole lane{&d, &a, &b, &c};
  if constexpr (kInteger) {
    stitch_warp_collective(&lane, Whole::template run<int, false>, STITCH_PLACE_ARGUMENTS);
  } else if constexpr (sizeof(typename details::Element<TA>::Storage) == 4) {
    stitch_warp_collective(&lane, Whole::template run<float, true>, STITCH_PLACE_ARGUMENTS);
  } else {
    stitch_warp_collective(&lane, Whole::template run<float, false>, STITCH_PLACE_ARGUMENTS);
  }
}

}  // namespace wmma
}  // namespace nvcuda
