// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/keeper_client.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/json/json.h"
#include "evaluate/processes/context_turn.h"

namespace stitch::evaluate {
namespace {

constexpr int kKeeperChannel = 3;
constexpr std::chrono::minutes kPatience{5};  // a GPU's first use can take a while
constexpr size_t kSnapshotsAtOnce = 32;       // fewer than a frame's descriptors

Result<Descriptor> staging_file(std::span<const HostTensor> tensors) {
  Descriptor file(::memfd_create("stitchcuda-input", MFD_CLOEXEC));
  for (const HostTensor& tensor : tensors) {
    std::span<const std::byte> left = tensor.bytes();
    while (!left.empty()) {
      const ssize_t written = ::write(file.get(), left.data(), left.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        return failure(ErrorCode::kEnvironment, fmt::format("cannot hand over an input: {}", std::strerror(errno)), "",
                       "free some memory");
      }
      left = left.subspan(static_cast<size_t>(written));
    }
  }
  return file;
}

// Asks and waits. A keeper that dies or answers what it should not is the world's failure: no file of the user's is to
// blame, and no candidate.
Result<wire::Answer> ask_keeper(wire::Channel& channel, uint64_t id, const std::string& verb, const Json& arguments,
                                std::vector<Descriptor> descriptors) {
  auto answer = wire::call(channel, id, verb, arguments, std::move(descriptors), wire::Clock::now() + kPatience);
  const bool is_channel_good = answer.has_value() || channel.try_receive().has_value();
  if (is_channel_good && (answer.has_value() || answer.error().code != ErrorCode::kFileInvalid)) {
    return answer;
  }
  return failure(ErrorCode::kEnvironment, fmt::format("the keeper failed at `{}`: {}", verb, answer.error().message),
                 "", "check that the machine has enough free memory");
}

Result<double> elapsed_of(const wire::Answer& answer) {
  STITCH_ASSIGN(const double elapsed_us, json_double(answer.json(), "elapsed_us"));
  if (!std::isfinite(elapsed_us) || elapsed_us < 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("the keeper's clock says that {} us passed", elapsed_us), "",
                   "check the machine's clock: no time taken by it can be trusted");
  }
  return elapsed_us;
}

Result<std::vector<int64_t>> digests_of(const wire::Answer& answer, size_t count) {
  STITCH_ASSIGN(std::vector<int64_t> digests, json_int_list(answer.json(), "digests"));
  if (digests.size() != count) {
    return failure(ErrorCode::kInternal, "the keeper gave another number of digests");
  }
  return digests;
}

}  // namespace

Result<KeeperClient> KeeperClient::start(DeviceKind device) {
  const char* name = device == DeviceKind::kCuda ? "stitchcuda-keeper-cuda" : "stitchcuda-keeper-emulated";
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program(name));
  STITCH_ASSIGN(auto ends, wire::Channel::make_pair());
  ChildOptions options;
  options.arguments = {program.string()};
  options.descriptors = {{ends.second.get(), kKeeperChannel}};
  options.capture_output = false;
  STITCH_ASSIGN(const ContextTurn turn, ContextTurn::take(device));
  STITCH_ASSIGN(Child child, Child::start(options));
  ends.second = Descriptor();  // the keeper's end is the keeper's alone: when it dies the channel ends
  KeeperClient client(std::move(child), wire::Channel(std::move(ends.first)));
  // Without a GPU this is where it shows: the keeper's own sentence says it all.
  STITCH_ASSIGN(const wire::Answer hello, ask_keeper(client.channel_, ++client.last_id_, "hello", Json::object(), {}));
  STITCH_ASSIGN(client.facts_.name, json_string(hello.json(), "name"));
  STITCH_ASSIGN(client.facts_.architecture, json_string(hello.json(), "architecture"));
  STITCH_ASSIGN(const int64_t memory_bytes, json_int(hello.json(), "memory_bytes"));
  STITCH_ASSIGN(const int64_t l2_bytes, json_int(hello.json(), "l2_bytes"));
  client.facts_.memory_bytes = static_cast<uint64_t>(memory_bytes);
  client.facts_.l2_bytes = static_cast<uint64_t>(l2_bytes);
  return client;
}

Result<wire::Answer> KeeperClient::ask(const std::string& verb, const Json& arguments,
                                       std::vector<Descriptor> descriptors) {
  auto answer = ask_keeper(channel_, ++last_id_, verb, arguments, std::move(descriptors));
  const std::string context = fmt::format("the keeper failed at `{}`", verb);
  if (!answer.has_value() && !answer.error().message.starts_with(context)) {
    return failure(with_context(answer.error(), context));
  }
  return answer;
}

Result<wire::Answer> KeeperClient::ask_regions(const std::string& verb, const std::vector<wire::Region>& regions,
                                               std::vector<Descriptor> descriptors) {
  Json arguments;
  arguments["regions"] = wire::to_json(regions);
  return ask(verb, arguments, std::move(descriptors));
}

Result<KeeperClient::Block> KeeperClient::allocate(uint64_t bytes) {
  Json arguments;
  arguments["bytes"] = {bytes};
  STITCH_ASSIGN(wire::Answer answer, ask("allocate", arguments));
  STITCH_ASSIGN(const std::vector<wire::BlockToken> tokens, wire::block_tokens_from_json(answer.json(), "blocks"));
  if (tokens.size() != 1) {
    return failure(ErrorCode::kInternal, "the keeper gave no block");
  }
  Block block{.token = tokens[0], .memory = {}};
  if (!answer.descriptors.empty()) {
    block.memory = std::move(answer.descriptors[0]);
  }
  return block;
}

Result<void> KeeperClient::release(uint64_t id) {
  Json arguments;
  arguments["ids"] = {id};
  STITCH_TRY(ask("release", arguments));
  return {};
}

Result<void> KeeperClient::fetch(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors) {
  Json arguments{{"regions", wire::to_json(regions)}, {"handles", Json::array()}, {"offsets", Json::array()}};
  for (const HostTensor& tensor : tensors) {
    arguments["handles"].push_back(tensor.place()->handle);
    arguments["offsets"].push_back(static_cast<int64_t>(tensor.place()->offset));
  }
  STITCH_TRY(ask("fetch", arguments));
  return {};
}

Result<void> KeeperClient::fill(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors) {
  std::vector<wire::Region> here;
  std::vector<wire::Region> elsewhere;
  std::vector<HostTensor> handed;
  std::vector<HostTensor> fetched;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool is_here = tensors[i].place() == nullptr;
    (is_here ? here : elsewhere).push_back(regions.at(i));
    (is_here ? handed : fetched).push_back(tensors[i]);
  }
  if (!fetched.empty()) {
    STITCH_TRY(fetch(elsewhere, fetched));
  }
  return fetched.empty() || !handed.empty() ? hand_over(here, handed) : Result<void>();
}

Result<void> KeeperClient::hand_over(const std::vector<wire::Region>& regions, std::span<const HostTensor> tensors) {
  STITCH_ASSIGN(Descriptor file, staging_file(tensors));
  std::vector<Descriptor> files;
  files.push_back(std::move(file));
  STITCH_TRY(ask_regions("fill", regions, std::move(files)));
  return {};
}

Result<void> KeeperClient::poison(const std::vector<wire::Region>& regions) {
  STITCH_TRY(ask_regions("poison", regions));
  return {};
}

Result<std::vector<int64_t>> KeeperClient::digest(const std::vector<wire::Region>& regions) {
  STITCH_ASSIGN(const wire::Answer answer, ask_regions("digest", regions));
  return digests_of(answer, regions.size());
}

Result<std::vector<HostTensor>> KeeperClient::snapshot(const std::vector<wire::Region>& regions,
                                                       const std::vector<TensorSpec>& specs) {
  std::vector<HostTensor> tensors;
  while (tensors.size() < regions.size()) {
    const auto first = regions.begin() + static_cast<int64_t>(tensors.size());
    const auto count = std::min<int64_t>(regions.end() - first, kSnapshotsAtOnce);
    STITCH_ASSIGN(const wire::Answer answer, ask_regions("snapshot", std::vector<wire::Region>(first, first + count)));
    if (answer.descriptors.size() != static_cast<size_t>(count)) {
      return failure(ErrorCode::kInternal, "the keeper kept too few outputs");
    }
    for (const Descriptor& file : answer.descriptors) {
      const std::string path = fmt::format("/proc/self/fd/{}", file.get());
      STITCH_ASSIGN(HostTensor tensor, HostTensor::map_file(specs.at(tensors.size()), path));
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

Result<void> KeeperClient::try_device() {
  constexpr uint64_t kBytes = uint64_t{2} << 20;
  STITCH_ASSIGN(const Block block, allocate(kBytes));
  const std::vector<wire::Region> whole = {{.block = block.token.id, .offset = 0, .bytes = kBytes}};
  STITCH_TRY(poison(whole));
  STITCH_TRY(digest(whole));
  return release(block.token.id);
}

Result<std::vector<int64_t>> KeeperClient::clock_start(const std::vector<wire::Region>& regions) {
  STITCH_ASSIGN(const wire::Answer answer, ask_regions("clock_start", regions));
  return digests_of(answer, regions.size());
}

Result<std::vector<int64_t>> KeeperClient::mix(const std::vector<wire::MixedRegion>& mixes) {
  Json arguments;
  arguments["mixed"] = wire::to_json(mixes);
  STITCH_ASSIGN(const wire::Answer answer, ask("mix", arguments));
  STITCH_ASSIGN(std::vector<int64_t> digests, json_int_list(answer.json(), "digests"));
  if (digests.size() != mixes.size()) {
    return failure(ErrorCode::kInternal, "the keeper made another number of mixes");
  }
  return digests;
}

Result<void> KeeperClient::clock_start(const Contents& contents) {
  Json arguments;
  arguments["from"] = wire::to_json(contents.from);
  arguments["to"] = wire::to_json(contents.to);
  arguments["mixed"] = wire::to_json(contents.mixed);
  STITCH_TRY(ask("clock_start", arguments));
  return {};
}

Result<KeeperClient::Stopped> KeeperClient::clock_stop(const std::vector<wire::Region>& regions,
                                                       const std::vector<wire::Region>& kept) {
  Json arguments;
  arguments["regions"] = wire::to_json(regions);
  if (!kept.empty()) {
    arguments["kept"] = wire::to_json(kept);
  }
  STITCH_ASSIGN(const wire::Answer answer, ask("clock_stop", arguments));
  Stopped stopped;
  STITCH_ASSIGN(stopped.elapsed_us, elapsed_of(answer));
  STITCH_ASSIGN(stopped.digests, digests_of(answer, regions.size()));
  return stopped;
}

}  // namespace stitch::evaluate
