// SPDX-License-Identifier: Apache-2.0
#include "wire/frame/channel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

namespace stitch::wire {
namespace {

struct Ends {
  Channel channel;
  Descriptor raw;  // the other end, for bytes that no Channel would send
};

Ends make_ends() {
  auto pair = Channel::make_pair();
  EXPECT_TRUE(pair.has_value());
  return {Channel(std::move(pair->first)), std::move(pair->second)};
}

Clock::time_point soon(int ms = 20000) { return Clock::now() + std::chrono::milliseconds(ms); }

void send_raw(const Descriptor& socket, std::string_view bytes) {
  ASSERT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

std::string header_bytes(const FrameHeader& header) { return {reinterpret_cast<const char*>(&header), sizeof(header)}; }

constexpr FrameHeader kGood{.magic = kFrameMagic, .kind = 1, .id = 7, .payload_bytes = 2, .descriptor_count = 0};

TEST(ChannelTest, FramesOfAnySizeArriveInOrder) {
  auto pair = Channel::make_pair();
  ASSERT_TRUE(pair.has_value());
  Channel left(std::move(pair->first));
  Channel right(std::move(pair->second));
  const std::vector<size_t> sizes = {0, 1, 70000, kMaxPayloadBytes};
  std::jthread sender([&] {
    for (const size_t size : sizes) {
      EXPECT_TRUE(
          left.send({.kind = FrameKind::kAnswer, .id = size, .payload = std::string(size, 'x')}, soon()).has_value());
    }
  });
  for (const size_t size : sizes) {
    const Result<Frame> frame = right.receive(soon());
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->kind, FrameKind::kAnswer);
    EXPECT_EQ(frame->id, size);
    EXPECT_EQ(frame->payload, std::string(size, 'x'));
  }
}

TEST(ChannelTest, DescriptorsTravelWithTheirFrame) {
  auto pair = Channel::make_pair();
  ASSERT_TRUE(pair.has_value());
  Channel left(std::move(pair->first));
  Channel right(std::move(pair->second));
  for (const char* text : {"first", "second"}) {
    Frame frame{.payload = text};
    frame.descriptors.emplace_back(::memfd_create("test", MFD_CLOEXEC));
    ASSERT_EQ(::write(frame.descriptors[0].get(), text, std::strlen(text)), static_cast<ssize_t>(std::strlen(text)));
    ASSERT_TRUE(left.send(frame, soon()).has_value());
  }
  for (const std::string text : {"first", "second"}) {
    const Result<Frame> frame = right.receive(soon());
    ASSERT_TRUE(frame.has_value());
    ASSERT_EQ(frame->descriptors.size(), 1u);
    std::string contents(text.size(), ' ');
    EXPECT_EQ(::pread(frame->descriptors[0].get(), contents.data(), contents.size(), 0),
              static_cast<ssize_t>(text.size()));
    EXPECT_EQ(contents, text);
    EXPECT_EQ(frame->payload, text);
  }
}

TEST(ChannelTest, ABrokenHeaderEndsTheChannelWithASentence) {
  FrameHeader wrong_magic = kGood;
  wrong_magic.magic = 5;
  FrameHeader wrong_kind = kGood;
  wrong_kind.kind = 99;
  FrameHeader too_long = kGood;
  too_long.payload_bytes = 0xffffffff;
  FrameHeader too_many = kGood;
  too_many.descriptor_count = 1000;
  FrameHeader missing = kGood;
  missing.descriptor_count = 1;
  for (const FrameHeader& header : {wrong_magic, wrong_kind, too_long, too_many, missing}) {
    Ends ends = make_ends();
    send_raw(ends.raw, header_bytes(header) + "ab");
    const auto frame = ends.channel.receive(soon());
    ASSERT_FALSE(frame.has_value());
    EXPECT_EQ(frame.error().code, ErrorCode::kFileInvalid);
    EXPECT_FALSE(frame.error().message.empty());
    EXPECT_FALSE(ends.channel.receive(soon()).has_value());
    EXPECT_FALSE(ends.channel.send({}, soon()).has_value());
  }
}

TEST(ChannelTest, AnIncompleteFrameIsATimeoutAndADepartureAnError) {
  Ends ends = make_ends();
  send_raw(ends.raw, header_bytes(kGood) + "a");
  EXPECT_EQ(ends.channel.receive(soon(30)).error().code, ErrorCode::kTimeout);
  ends.raw.reset();
  EXPECT_EQ(ends.channel.receive(soon()).error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(ends.channel.send({}, soon()).error().code, ErrorCode::kEnvironment);  // and no SIGPIPE
}

TEST(ChannelTest, AReaderThatSleepsIsATimeout) {
  Ends ends = make_ends();
  const Frame large{.payload = std::string(kMaxPayloadBytes, 'x')};
  EXPECT_EQ(ends.channel.send(large, soon(30)).error().code, ErrorCode::kTimeout);
}

TEST(ChannelTest, RandomBytesNeverCrash) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Ends ends = make_ends();
    std::string bytes;
    if (round % 2 == 0) {  // half of them get past the first checks
      FrameHeader header = kGood;
      header.payload_bytes = random() % 64;
      bytes = header_bytes(header);
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    for (uint32_t i = 0; i < random() % 200; ++i) {
      bytes += static_cast<char>(random());
    }
    send_raw(ends.raw, bytes);
    ends.raw.reset();
    while (ends.channel.receive(soon()).has_value()) {
    }
  }
}

}  // namespace
}  // namespace stitch::wire
