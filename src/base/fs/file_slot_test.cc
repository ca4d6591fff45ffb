// SPDX-License-Identifier: Apache-2.0
#include "base/fs/file_slot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/fs/files.h"

namespace stitch {
namespace {

TEST(FileSlot, HasAsManyPlacesAsWereAskedFor) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-slot").value();
  const auto file = folder.path() / "gpu.context";
  std::optional<FileSlot> first = FileSlot::try_take(file, 2).value();
  const std::optional<FileSlot> second = FileSlot::try_take(file, 2).value();
  EXPECT_TRUE(first.has_value() && second.has_value());
  EXPECT_FALSE(FileSlot::try_take(file, 2).value().has_value());
  first.reset();
  EXPECT_TRUE(FileSlot::try_take(file, 2).value().has_value());
}

TEST(FileSlot, WhoWaitsGetsAPlaceThatIsLeft) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-slot").value();
  const auto file = folder.path() / "gpu.context";
  std::optional<FileSlot> held = FileSlot::take(file, 1).value();
  std::atomic<bool> has_it = false;
  std::thread waiting([&] {
    EXPECT_TRUE(FileSlot::take(file, 1).has_value());
    has_it = true;
  });
  EXPECT_FALSE(has_it);
  held.reset();
  waiting.join();
}

}  // namespace
}  // namespace stitch
