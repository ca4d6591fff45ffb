// SPDX-License-Identifier: Apache-2.0
#include "wire/frame/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace stitch::wire {
namespace {

constexpr int kMaxPollMs = 1000;

// Room for the largest set of descriptors in one ancillary message.
struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> bytes{};
};

void attach_descriptors(const std::vector<Descriptor>& descriptors, ControlBuffer& control, msghdr& message) {
  if (descriptors.empty()) {
    return;
  }
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
  std::vector<int> numbers;
  numbers.reserve(descriptors.size());
  for (const Descriptor& descriptor : descriptors) {
    numbers.push_back(descriptor.get());
  }
  std::memcpy(CMSG_DATA(header), numbers.data(), sizeof(int) * numbers.size());
}

void take_descriptors(msghdr& message, std::deque<Descriptor>& taken) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      taken.emplace_back(number);
    }
  }
}

bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (Clock::now() < deadline) {
    pollfd polled{.fd = socket, .events = events, .revents = 0};
    if (::poll(&polled, 1, poll_timeout_ms(deadline, kMaxPollMs)) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

int poll_timeout_ms(Clock::time_point deadline, int max_ms) {
  const auto left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(left_ms, 0, max_ms));
}

Channel::Channel(Descriptor socket) : socket_(std::move(socket)) {}

Result<std::pair<Descriptor, Descriptor>> Channel::make_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a socket pair: {}", std::strerror(errno)), {},
                   "close some programs: this process has no file descriptors left");
  }
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

Unexpected Channel::broken(Error error) {
  broken_ = error;
  return failure(std::move(error));
}

Result<void> Channel::send(const Frame& frame, Clock::time_point deadline) {
  STITCH_CHECK(frame.payload.size() <= kMaxPayloadBytes && frame.descriptors.size() <= kMaxDescriptors)
      << "a frame of " << frame.payload.size() << " bytes and " << frame.descriptors.size() << " descriptors";
  if (broken_.has_value()) {
    return failure(*broken_);
  }
  const FrameHeader header{.magic = kFrameMagic,
                           .kind = static_cast<uint32_t>(frame.kind),
                           .id = frame.id,
                           .payload_bytes = static_cast<uint32_t>(frame.payload.size()),
                           .descriptor_count = static_cast<uint32_t>(frame.descriptors.size())};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += frame.payload;
  ControlBuffer control;
  size_t sent_bytes = 0;
  while (sent_bytes < bytes.size()) {
    iovec piece{.iov_base = bytes.data() + sent_bytes, .iov_len = bytes.size() - sent_bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (sent_bytes == 0) {  // descriptors ride on the first byte that leaves
      attach_descriptors(frame.descriptors, control, message);
    }
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      sent_bytes += static_cast<size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(socket_.get(), POLLOUT, deadline)) {
        return broken({ErrorCode::kTimeout, "the other process did not take a message in time", "", ""});
      }
    } else if (errno != EINTR) {
      return broken(
          {ErrorCode::kEnvironment, fmt::format("the other process is gone: {}", std::strerror(errno)), "", ""});
    }
  }
  return {};
}

Result<bool> Channel::read_some() {
  std::array<char, 65536> buffer;
  ControlBuffer control;
  iovec piece{.iov_base = buffer.data(), .iov_len = buffer.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  const ssize_t size = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return false;
  }
  if (size <= 0) {
    return broken({ErrorCode::kEnvironment, "the other process closed its channel", "", ""});
  }
  take_descriptors(message, received_descriptors_);
  if ((message.msg_flags & MSG_CTRUNC) != 0 || received_descriptors_.size() > size_t{4} * kMaxDescriptors) {
    return broken({ErrorCode::kFileInvalid, "the other process sent more descriptors than it may", "", ""});
  }
  received_.append(buffer.data(), static_cast<size_t>(size));
  return true;
}

Result<std::optional<Frame>> Channel::next_frame() {
  FrameHeader header{};
  if (received_.size() < sizeof(header)) {
    return std::optional<Frame>();
  }
  std::memcpy(&header, received_.data(), sizeof(header));
  if (const Result<void> good = check_header(header); !good.has_value()) {
    return broken(good.error());
  }
  const size_t frame_bytes = sizeof(header) + header.payload_bytes;
  if (received_.size() < frame_bytes) {
    return std::optional<Frame>();
  }
  if (received_descriptors_.size() < header.descriptor_count) {
    return broken({ErrorCode::kFileInvalid, "a frame announces descriptors that did not come", "", ""});
  }
  Frame frame{.kind = static_cast<FrameKind>(header.kind), .id = header.id};
  frame.payload = received_.substr(sizeof(header), header.payload_bytes);
  for (uint32_t i = 0; i < header.descriptor_count; ++i) {
    frame.descriptors.push_back(std::move(received_descriptors_.front()));
    received_descriptors_.pop_front();
  }
  received_.erase(0, frame_bytes);
  return std::optional<Frame>(std::move(frame));
}

Result<std::optional<Frame>> Channel::try_receive() {
  if (broken_.has_value()) {
    return failure(*broken_);
  }
  while (true) {
    STITCH_ASSIGN(std::optional<Frame> frame, next_frame());
    if (frame.has_value()) {
      return std::optional<Frame>(std::move(frame));
    }
    STITCH_ASSIGN(const bool more, read_some());
    if (!more) {
      return std::optional<Frame>();
    }
  }
}

Result<Frame> Channel::receive(Clock::time_point deadline) {
  while (true) {
    STITCH_ASSIGN(std::optional<Frame> frame, try_receive());
    if (frame.has_value()) {
      return std::move(*frame);
    }
    if (!wait_for(socket_.get(), POLLIN, deadline)) {
      return failure(ErrorCode::kTimeout, "the other process did not answer in time");
    }
  }
}

}  // namespace stitch::wire
