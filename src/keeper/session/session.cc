// SPDX-License-Identifier: Apache-2.0
#include "keeper/session/session.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/json/json.h"
#include "device/facts.h"

namespace stitch::keeper {
namespace {

// A read-only mapping of a whole file.
class Mapping {
 public:
  static Result<Mapping> of(const Descriptor& file) {
    struct stat status {};
    Mapping mapping;
    if (::fstat(file.get(), &status) != 0) {
      return failure(ErrorCode::kInternal, fmt::format("cannot ask for a file's size: {}", std::strerror(errno)));
    }
    mapping.bytes_ = static_cast<size_t>(status.st_size);
    if (mapping.bytes_ > 0) {
      mapping.address_ = ::mmap(nullptr, mapping.bytes_, PROT_READ, MAP_SHARED | MAP_POPULATE, file.get(), 0);
    }
    if (mapping.address_ == MAP_FAILED) {
      mapping.address_ = nullptr;
      return failure(ErrorCode::kEnvironment, fmt::format("cannot map an input: {}", std::strerror(errno)), "",
                     "free some memory");
    }
    return mapping;
  }
  Mapping(Mapping&& other) noexcept : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (address_ != nullptr) {
      ::munmap(address_, bytes_);
    }
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), bytes_}; }

 private:
  Mapping() = default;
  void* address_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace

Result<wire::Answer> Session::hello() {
  STITCH_ASSIGN(const device::Facts facts, device::open_device(0));
  Json json;
  json["name"] = facts.name;
  json["architecture"] = facts.architecture;
  json["memory_bytes"] = facts.memory_bytes;
  json["l2_bytes"] = facts.l2_bytes;
  json["multiprocessors"] = facts.multiprocessors;
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::allocate(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<int64_t> sizes, json_int_list(arguments, "bytes"));
  std::vector<wire::BlockToken> tokens;
  std::vector<Descriptor> memories;
  for (const int64_t size : sizes) {
    STITCH_ASSIGN(BlockPool::Allocated allocated, pool_.allocate(static_cast<uint64_t>(size)));
    tokens.push_back(allocated.token);
    if (allocated.memory.is_open()) {
      memories.push_back(std::move(allocated.memory));
    }
  }
  Json json;
  json["blocks"] = wire::to_json(tokens);
  return wire::Answer(std::move(json), std::move(memories));
}

Result<wire::Answer> Session::release(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<int64_t> ids, json_int_list(arguments, "ids"));
  for (const int64_t id : ids) {
    pool_.release(static_cast<uint64_t>(id));
  }
  return wire::Answer();
}

Result<wire::Answer> Session::fill(wire::Request& request) {
  STITCH_ASSIGN(const std::vector<wire::Region> regions, wire::regions_from_json(request.arguments, "regions"));
  if (request.descriptors.size() != 1) {
    return failure(ErrorCode::kInternal, "fill wants one file");
  }
  STITCH_ASSIGN(const Mapping mapping, Mapping::of(request.descriptors[0]));
  STITCH_TRY(pool_.fill(regions, mapping.bytes()));
  return wire::Answer();
}

Result<wire::Answer> Session::fetch(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<wire::Region> regions, wire::regions_from_json(arguments, "regions"));
  STITCH_ASSIGN(const std::vector<int64_t> offsets, json_int_list(arguments, "offsets"));
  STITCH_ASSIGN(const Json* handles, json_array(arguments, "handles"));
  if (offsets.size() != regions.size() || handles->size() != regions.size()) {
    return failure(ErrorCode::kInternal, "fetch wants a place for each region");
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    const Json& handle = (*handles)[i];
    if (!handle.is_string() || offsets[i] < 0) {
      return failure(ErrorCode::kInternal, "fetch wants places that can be");
    }
    STITCH_TRY(pool_.fetch(regions[i], handle.get<std::string>(), static_cast<uint64_t>(offsets[i])));
  }
  return wire::Answer();
}

Result<wire::Answer> Session::poison(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<wire::Region> regions, wire::regions_from_json(arguments, "regions"));
  for (const wire::Region& region : regions) {
    STITCH_TRY(pool_.poison(region));
  }
  return wire::Answer();
}

Result<wire::Answer> Session::digest(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<wire::Region> regions, wire::regions_from_json(arguments, "regions"));
  STITCH_ASSIGN(const std::vector<uint64_t> found, pool_.digests(regions));
  Json digests = Json::array();
  for (const uint64_t digest : found) {
    digests.push_back(static_cast<int64_t>(digest));
  }
  Json json;
  json["digests"] = std::move(digests);
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::snapshot(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<wire::Region> regions, wire::regions_from_json(arguments, "regions"));
  std::vector<Descriptor> files;
  for (const wire::Region& region : regions) {
    STITCH_ASSIGN(Descriptor file, pool_.snapshot(region));
    files.push_back(std::move(file));
  }
  return wire::Answer(Json::object(), std::move(files));
}

Result<void> Session::copy(const Json& arguments, const char* from_key, const char* to_key) {
  STITCH_ASSIGN(const std::vector<wire::Region> from, wire::regions_from_json(arguments, from_key));
  STITCH_ASSIGN(const std::vector<wire::Region> to, wire::regions_from_json(arguments, to_key));
  if (from.size() != to.size()) {
    return failure(ErrorCode::kInternal, "copy wants as many regions to write as to read");
  }
  for (size_t i = 0; i < from.size(); ++i) {
    STITCH_TRY(pool_.copy(from[i], to[i]));
  }
  return {};
}

Result<wire::Answer> Session::mix(const Json& arguments) {
  STITCH_ASSIGN(const std::vector<wire::MixedRegion> mixes, wire::mixed_regions_from_json(arguments, "mixed"));
  Json digests = Json::array();
  for (const wire::MixedRegion& mix : mixes) {
    STITCH_TRY(pool_.mix({mix}));
    STITCH_ASSIGN(const std::vector<uint64_t> found, pool_.digests({mix.to}));
    digests.push_back(static_cast<int64_t>(found.at(0)));
  }
  Json json;
  json["digests"] = std::move(digests);
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::clock_start(const Json& arguments) {
  std::vector<wire::MixedRegion> mixes;  // read before anything is written
  if (arguments.contains("mixed")) {
    STITCH_ASSIGN(mixes, wire::mixed_regions_from_json(arguments, "mixed"));
  }
  if (arguments.contains("from")) {
    STITCH_TRY(copy(arguments, "from", "to"));
  }
  if (!mixes.empty()) {
    STITCH_TRY(pool_.mix(mixes));
  }
  wire::Answer answer;
  if (arguments.contains("regions")) {
    STITCH_ASSIGN(answer, digest(arguments));
  }
  clock_start_ = wire::Clock::now();
  return answer;
}

Result<wire::Answer> Session::clock_stop(const Json& arguments) {
  const auto elapsed = wire::Clock::now() - clock_start_;
  Json json = Json::object();
  if (arguments.contains("kept")) {
    STITCH_TRY(copy(arguments, "regions", "kept"));
    STITCH_ASSIGN(const wire::Answer digests, digest(Json{{"regions", arguments["kept"]}}));
    json = digests.json();
  } else if (arguments.contains("regions")) {
    STITCH_ASSIGN(const wire::Answer digests, digest(arguments));
    json = digests.json();
  }
  json["elapsed_us"] = std::chrono::duration<double, std::micro>(elapsed).count();
  return wire::Answer(std::move(json));
}

Result<wire::Answer> Session::handle(wire::Request& request) {
  if (request.verb == "fill") {
    return fill(request);
  }
  if (request.verb == "hello") {
    return hello();
  }
  using Verb = Result<wire::Answer> (Session::*)(const Json&);
  constexpr std::pair<const char*, Verb> kVerbs[] = {
      {"allocate", &Session::allocate},       {"release", &Session::release},       {"fetch", &Session::fetch},
      {"poison", &Session::poison},           {"digest", &Session::digest},         {"snapshot", &Session::snapshot},
      {"clock_start", &Session::clock_start}, {"clock_stop", &Session::clock_stop}, {"mix", &Session::mix}};
  for (const auto& [name, verb] : kVerbs) {
    if (request.verb == name) {
      return (this->*verb)(request.arguments);
    }
  }
  return failure(ErrorCode::kInternal, fmt::format("the keeper knows no verb {}", request.verb));
}

}  // namespace stitch::keeper
