// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/wgmma.cuh does on the emulated device: operands are read from shared memory as their descriptors
// say, so that a wrong stride or swizzle multiplies the wrong numbers.
#pragma once

#include <stdint.h>

#include "stitch_emulator/ptx/mma.h"
#include "stitch_emulator/shared.h"
#include "stitch_emulator/warpgroup.h"

namespace stitch::ptx::emulated {

using stitch_emulator::GroupProduct;

inline uint32_t shared_address(const void* pointer) {
  const auto* byte = static_cast<const char*>(pointer);
  constexpr int kDescribed = 1 << 18;  // bytes that a descriptor can name
  if (byte < stitch_dynamic_shared || byte >= stitch_dynamic_shared + kDescribed) {
    stitch_emulator_fault("an operand of wgmma lies outside dynamic shared memory", __FILE__, __LINE__);
  }
  return static_cast<uint32_t>(byte - stitch_dynamic_shared);
}

// A matrix of rows along k in shared memory, swizzled by 128 bytes or not at all.
class OperandRows {
 public:
  explicit OperandRows(uint64_t descriptor)
      : start_(static_cast<uint32_t>(descriptor & 0x3fff) * 16),
        along_k_(static_cast<uint32_t>(descriptor >> 16 & 0x3fff) * 16),
        eight_rows_(static_cast<uint32_t>(descriptor >> 32 & 0x3fff) * 16),
        is_swizzled_(descriptor >> 62 == 1) {
    if (descriptor >> 62 > 1 || (descriptor >> 49 & 7) != 0) {
      stitch_emulator_fault("only operands of wgmma that are swizzled by 128 bytes or not at all are emulated",
                            __FILE__, __LINE__);
    }
  }

  float value(int row, int k) const { return fp16_value(bits<uint16_t>(row, k)); }
  float tf32(int row, int k) const { return tf32_value(bits<uint32_t>(row, k)); }

 private:
  template <typename Element>
  Element bits(int row, int k) const {
    const uint32_t of_row = start_ + static_cast<uint32_t>(row / 8) * eight_rows_;
    const uint32_t bytes = static_cast<uint32_t>(k) * sizeof(Element);
    const auto in_eight = static_cast<uint32_t>(row % 8);
    uint32_t address = of_row + in_eight * kCoreRow + bytes / kCoreRow * along_k_ + bytes % kCoreRow;
    if (is_swizzled_) {
      const uint32_t unswizzled = of_row + in_eight * 128 + bytes;
      address = unswizzled ^ (unswizzled >> 7 & 7) << 4;
    }
    Element element;
    __builtin_memcpy(&element, stitch_dynamic_shared + address, sizeof(element));
    return element;
  }

  static constexpr uint32_t kCoreRow = 16;  // bytes of a row that a core of eight rows has

  uint32_t start_;
  uint32_t along_k_;
  uint32_t eight_rows_;
  bool is_swizzled_;
};

constexpr int kGroupRows = 64;
constexpr int kGroupDepth = 16;

inline void gather(float (&a)[kGroupRows][kGroupDepth], uint64_t descriptor) {
  const OperandRows rows(descriptor);
  for (int row = 0; row < kGroupRows; ++row) {
    for (int k = 0; k < kGroupDepth; ++k) {
      a[row][k] = rows.value(row, k);
    }
  }
}

// d += a * b of all threads' accumulators.
template <int kColumns, int kDepth>
inline void add_products(const GroupProduct* const threads[128], const float (&a)[kGroupRows][kDepth],
                         const float (&b)[kDepth][kColumns]) {
  for (int row = 0; row < kGroupRows; ++row) {
    double sums[kColumns];
    const auto held = [&](int column) -> float& {
      const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      return threads[thread]->d[column / 8 * 4 + row % 16 / 8 * 2 + column % 2];
    };
    for (int column = 0; column < kColumns; ++column) {
      sums[column] = threads[0]->accumulate ? static_cast<double>(held(column)) : 0.0;
    }
    for (int k = 0; k < kDepth; ++k) {
      for (int column = 0; column < kColumns; ++column) {
        sums[column] += static_cast<double>(a[row][k]) * static_cast<double>(b[k][column]);
      }
    }
    for (int column = 0; column < kColumns; ++column) {
      held(column) = cut_off(sums[column]);
    }
  }
  for (int operation = 0; operation < kColumns / 2; ++operation) {
    stitch_count_matrix_operation();  // each the size of a warp's m16n8k16, or m16n8k8 in TF32
  }
}

// b in shared memory, whatever holds a.
template <int kColumns>
inline void multiply_by_rows(const GroupProduct* const threads[128], const float (&a)[kGroupRows][kGroupDepth]) {
  float b[kGroupDepth][kColumns];
  const OperandRows rows(threads[0]->b);
  for (int column = 0; column < kColumns; ++column) {
    for (int k = 0; k < kGroupDepth; ++k) {
      b[k][column] = rows.value(column, k);
    }
  }
  add_products(threads, a, b);
  stitch_count_matrix_flops(STITCH_GROUP_PIPE, 2 * kGroupRows * kColumns * kGroupDepth);
}

template <int kColumns>
inline void wgmma_body(const GroupProduct* const threads[128]) {
  float a[kGroupRows][kGroupDepth];
  gather(a, threads[0]->a);
  multiply_by_rows<kColumns>(threads, a);
  stitch_count_shared_operand(sizeof(uint16_t) * kGroupDepth * (kGroupRows + kColumns));
}

template <int kColumns>
inline void wgmma_tf32_body(const GroupProduct* const threads[128]) {
  constexpr int kDepth = 8;
  float a[kGroupRows][kDepth];
  for (int thread = 0; thread < 128; ++thread) {
    for (int part = 0; part < 4; ++part) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + part % 2 * 8;
      a[row][thread % 4 + part / 2 * 4] = tf32_value(threads[thread]->a_registers[part]);
    }
  }
  float b[kDepth][kColumns];
  const OperandRows rows(threads[0]->b);
  for (int column = 0; column < kColumns; ++column) {
    for (int k = 0; k < kDepth; ++k) {
      b[k][column] = rows.tf32(column, k);
    }
  }
  add_products(threads, a, b);
  stitch_count_matrix_flops(STITCH_TF32_PIPE, 2 * kGroupRows * kColumns * kDepth);
  stitch_count_shared_operand(sizeof(uint32_t) * kDepth * kColumns);
}

template <int kColumns>
inline void wgmma_registers_body(const GroupProduct* const threads[128]) {
  float a[kGroupRows][kGroupDepth];
  for (int thread = 0; thread < 128; ++thread) {
    for (int part = 0; part < 4; ++part) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + part % 2 * 8;
      const int k = thread % 4 * 2 + part / 2 * 8;
      const uint32_t packed = threads[thread]->a_registers[part];
      a[row][k] = fp16_value(packed & 0xffffu);
      a[row][k + 1] = fp16_value(packed >> 16);
    }
  }
  multiply_by_rows<kColumns>(threads, a);
  stitch_count_shared_operand(sizeof(uint16_t) * kGroupDepth * kColumns);
}

template <int kColumns>
inline void wgmma_f16(float* d, const uint32_t (&a)[4], uint64_t b, bool accumulate) {
  const GroupProduct share{wgmma_registers_body<kColumns>, d, 0, b, accumulate, a};
  stitch_group_product(&share, __FILE__, __LINE__);
}

template <int kColumns>
inline void wgmma_f16(float* d, uint64_t a, uint64_t b, bool accumulate) {
  const GroupProduct share{wgmma_body<kColumns>, d, a, b, accumulate};
  stitch_group_product(&share, __FILE__, __LINE__);
}

template <int kColumns>
inline void wgmma_tf32(float* d, const uint32_t (&a)[4], uint64_t b, bool accumulate) {
  const GroupProduct share{wgmma_tf32_body<kColumns>, d, 0, b, accumulate, a};
  stitch_group_product(&share, __FILE__, __LINE__);
}

inline void wgmma_fence() { stitch_group_fence(); }
inline void wgmma_commit() { stitch_group_commit(); }
inline void wgmma_wait(int pending) { stitch_group_wait(pending, __FILE__, __LINE__); }

}  // namespace stitch::ptx::emulated
