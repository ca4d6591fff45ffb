// SPDX-License-Identifier: Apache-2.0
#include "base/process/identity.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stitch {
namespace {

TEST(ProcessIdentity, WeAreAlive) {
  const ProcessIdentity own = own_identity();
  EXPECT_EQ(own.pid, ::getpid());
  EXPECT_GT(own.start_ticks, 0u);
  EXPECT_TRUE(is_alive(own));
}

TEST(ProcessIdentity, ANumberThatWasGivenAgainIsAnotherProcess) {
  ProcessIdentity other = own_identity();
  ++other.start_ticks;
  EXPECT_FALSE(is_alive(other));
  other = own_identity();
  other.boot = "an earlier one";
  EXPECT_FALSE(is_alive(other));
}

TEST(ProcessIdentity, AnEndedProcessIsGoneAlsoBeforeItIsReaped) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const ProcessIdentity own = own_identity();
    const ssize_t written = ::write(ends[1], &own.start_ticks, sizeof(own.start_ticks));
    ::_exit(written == sizeof(own.start_ticks) ? 0 : 1);
  }
  ProcessIdentity identity = own_identity();
  identity.pid = child;
  ASSERT_EQ(::read(ends[0], &identity.start_ticks, sizeof(identity.start_ticks)),
            static_cast<ssize_t>(sizeof(identity.start_ticks)));
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_alive(identity));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_alive(identity));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ProcessIdentity, PartsOfFileNames) {
  const std::string own = own_name_part();
  EXPECT_FALSE(is_name_part_of_gone(own));
  const std::string before = own.substr(0, own.rfind('-') + 1);
  EXPECT_TRUE(is_name_part_of_gone(before + "1"));  // the number is ours, the start is another's
  EXPECT_FALSE(is_name_part_of_gone("1-" + own.substr(own.find('-') + 1)));  // counted elsewhere
  for (const char* text : {"", "-", "1-2", "a-b-c", "1-2-3-4"}) {
    EXPECT_FALSE(is_name_part_of_gone(text)) << text;
  }
  EXPECT_FALSE(is_name_part_of_gone(before + "1x"));
  EXPECT_FALSE(is_alive({}));
}

}  // namespace
}  // namespace stitch
