// SPDX-License-Identifier: Apache-2.0
#include "base/machine/available_memory.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(AvailableMemory, IsReadFromTheKernelsTable) {
  EXPECT_EQ(available_of_meminfo("MemTotal:  16 kB\nMemAvailable:      12 kB\nBuffers: 1 kB\n"), uint64_t{12} * 1024);
  EXPECT_EQ(available_of_meminfo("MemTotal:  16 kB\n"), std::nullopt);
  EXPECT_EQ(available_of_meminfo("MemAvailable:"), std::nullopt);
  EXPECT_EQ(available_of_meminfo("MemAvailable: 99999999999999999999 kB"), std::nullopt);
  EXPECT_EQ(available_of_meminfo("MemAvailable: 18446744073709551615 kB"), std::nullopt);
}

TEST(AvailableMemory, OfThisMachineIsSome) { EXPECT_GT(available_memory_bytes(), uint64_t{1} << 20); }

}  // namespace
}  // namespace stitch
