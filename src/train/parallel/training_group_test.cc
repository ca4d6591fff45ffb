// SPDX-License-Identifier: Apache-2.0
#include "train/parallel/training_group.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <future>

namespace stitch::train {
namespace {

int64_t free_port() {
  const int opened = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(opened, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(opened, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(opened);
  return ntohs(address.sin_port);
}

// What `work` gives in each of so many processes, which here are threads.
template <typename Work>
auto in_each(int64_t size, const Work& work) {
  const int64_t port = free_port();
  std::vector<std::future<decltype(work(TrainingGroup()))>> running;
  for (int64_t rank = 0; rank < size; ++rank) {
    running.push_back(std::async(std::launch::async, [=, &work] {
      const auto joined = TrainingGroup::join(
          {.rank = rank, .size = size, .local_rank = rank, .address = "127.0.0.1", .port = port}, "cpu");
      EXPECT_TRUE(joined.has_value()) << joined.error().message;
      return work(joined.value());
    }));
  }
  std::vector<decltype(work(TrainingGroup()))> found;
  for (auto& each : running) {
    found.push_back(each.get());
  }
  return found;
}

class Environment : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
      ::unsetenv(name);
    }
  }
};

TEST(TrainingGroup, OneAloneSumsNothing) {
  const Tensor tensor = at::full({3}, 2.0);
  ASSERT_TRUE(TrainingGroup().sum({tensor}).has_value());
  EXPECT_TRUE(at::equal(tensor, at::full({3}, 2.0)));
  EXPECT_EQ(TrainingGroup().device("cuda"), "cuda");
  EXPECT_EQ(TrainingGroup().backend(), "");
}

#ifdef STITCH_GLOO_TESTED
TEST(TrainingGroup, SumsAreTheSameToTheBitInAll) {
  const auto found = in_each(3, [](const TrainingGroup& group) {
    const Tensor drawn = at::sin(at::arange(1000) * static_cast<double>(group.rank() + 1)).view({10, 100});
    const Tensor other = at::full({2}, static_cast<double>(group.rank()), at::kFloat);
    EXPECT_TRUE(group.sum({drawn, other}).has_value());
    EXPECT_EQ(group.device("cuda"), "cuda:" + std::to_string(group.rank()));
    EXPECT_EQ(group.backend(), "gloo");
    return std::vector<Tensor>{drawn, other};
  });
  Tensor expected = at::zeros({1000});
  for (int rank = 0; rank < 3; ++rank) {
    expected += at::sin(at::arange(1000) * static_cast<double>(rank + 1));
  }
  EXPECT_TRUE(at::allclose(found[0][0].flatten(), expected, 1e-5, 1e-6));
  EXPECT_TRUE(at::equal(found[0][1], at::full({2}, 3.0)));
  for (const auto& each : found) {
    EXPECT_TRUE(at::equal(each[0], found[0][0]));
  }
}

TEST(TrainingGroup, WhoIsLeftAloneSaysSo) {
  const auto found = in_each(2, [](const TrainingGroup& group) {
    if (group.is_first()) {
      return std::string();  // it goes
    }
    const Result<void> summed = group.sum({at::ones({4})});
    return summed.has_value() ? std::string() : summed.error().message;
  });
  EXPECT_NE(found[1].find("lost each other"), std::string::npos) << found[1];
}
#endif

TEST_F(Environment, IsThatOfTorchrunOrOneProcess) {
  EXPECT_EQ(place_from_environment()->size, 1);
  ::setenv("WORLD_SIZE", "2", 1);
  EXPECT_EQ(place_from_environment().error().code, ErrorCode::kUsage);
  ::setenv("RANK", "1", 1);
  ::setenv("MASTER_PORT", "29500", 1);
  EXPECT_EQ(place_from_environment().error().location, "MASTER_ADDR");
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ASSERT_TRUE(place_from_environment().has_value());
  EXPECT_EQ(place_from_environment()->rank, 1);
  ::setenv("RANK", "2", 1);
  EXPECT_EQ(place_from_environment().error().code, ErrorCode::kUsage);
  ::setenv("RANK", "x", 1);
  EXPECT_NE(place_from_environment().error().message.find("RANK is 'x'"), std::string::npos);
}

}  // namespace
}  // namespace stitch::train
