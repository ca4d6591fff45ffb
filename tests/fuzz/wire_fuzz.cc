// SPDX-License-Identifier: Apache-2.0
// The framed protocol, on bytes that a hostile process writes into its end of the channel: read as requests, as the
// answers to them, and as what those messages carry. The first byte says how many descriptors come along.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/json/json.h"
#include "fuzz.h"
#include "wire/messages/call_arguments.h"
#include "wire/messages/program_description.h"
#include "wire/messages/rpc.h"

namespace stitch::fuzz {
namespace {

using wire::Channel;

constexpr size_t kMaxSentDescriptors = 8;

// Sends the bytes with `count` descriptors on their first one; nobody reads what comes back.
void send_raw(int socket, std::string_view bytes, size_t count) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxSentDescriptors)] = {};
  iovec piece{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    const int numbers[kMaxSentDescriptors] = {1, 1, 1, 1, 1, 1, 1, 1};
    std::memcpy(CMSG_DATA(header), numbers, sizeof(int) * count);
  }
  ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket, SHUT_WR);
}

// A channel at whose other end these bytes wait, and that end.
std::pair<Channel, Descriptor> channel_with(std::string_view bytes, size_t descriptors) {
  auto ends = Channel::make_pair();
  require(ends.has_value(), "a socket pair can be had");
  send_raw(ends->second.get(), bytes, descriptors);
  return {Channel(std::move(ends->first)), std::move(ends->second)};
}

// Everything that some message reads out of such an object.
void read_everything(const Json& json) {
  const auto call = wire::call_arguments_from_json(json);
  if (call.has_value()) {
    const auto again = wire::call_arguments_from_json(wire::to_json(*call));
    require(again.has_value() && again->inputs.size() == call->inputs.size(), "call arguments are read as written");
  }
  const auto description = wire::program_description_from_json(json);
  if (description.has_value()) {
    require(wire::program_description_from_json(wire::to_json(*description)).has_value(),
            "a description is read as written");
  }
  (void)wire::block_tokens_from_json(json, "blocks").has_value();
  (void)wire::regions_from_json(json, "regions").has_value();
  (void)wire::tensor_arguments_from_json(json, "inputs").has_value();
}

}  // namespace
}  // namespace stitch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stitch;
  if (size == 0) {
    return 0;
  }
  const size_t descriptors = data[0] % (fuzz::kMaxSentDescriptors + 1);
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);

  auto [server, client] = fuzz::channel_with(bytes, descriptors);
  (void)wire::serve(server, [](wire::Request& request) -> Result<wire::Answer> {
    fuzz::read_everything(request.arguments);
    return request.verb == "fail" ? Result<wire::Answer>(failure(ErrorCode::kInternal, request.verb)) : wire::Answer();
  }).has_value();

  auto [channel, other] = fuzz::channel_with(bytes, descriptors);
  size_t taken = 0;
  while (true) {
    auto frame = channel.try_receive();
    if (!frame.has_value() || !frame->has_value()) {
      break;
    }
    taken += (*frame)->descriptors.size();
    const uint64_t id = (*frame)->id;
    const auto answer = wire::decode_answer(std::move(**frame), id);
    if (answer.has_value()) {
      fuzz::read_everything(answer->json());
    }
  }
  fuzz::require(taken <= descriptors, "no more descriptors are handed out than came");
  return 0;
}
