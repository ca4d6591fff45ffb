// SPDX-License-Identifier: Apache-2.0
#include "keeper/session/session.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json.h"

namespace stitch::keeper {
namespace {

class KeeperSessionTest : public testing::Test {
 protected:
  Result<wire::Answer> ask(const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors = {}) {
    wire::Request request{.verb = verb, .arguments = arguments, .descriptors = std::move(descriptors)};
    return session.handle(request);
  }
  Result<wire::Answer> ask(const std::string& verb, const std::vector<wire::Region>& regions,
                           std::vector<Descriptor> descriptors = {}) {
    Json arguments;
    arguments["regions"] = wire::to_json(regions);
    return ask(verb, arguments, std::move(descriptors));
  }
  std::string contents(const wire::Region& region) {
    const auto answer = ask("snapshot", std::vector<wire::Region>{region});
    EXPECT_TRUE(answer.has_value());
    std::string text(region.bytes, '?');
    EXPECT_EQ(::pread(answer->descriptors.at(0).get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }
  static Descriptor file_with(std::string_view text) {
    Descriptor file(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return file;
  }

  Session session;
};

TEST_F(KeeperSessionTest, FilledRegionsComeBackAndTheirDigestFollowsThem) {
  const auto allocated = ask("allocate", Json{{"bytes", {1024, 0}}});
  ASSERT_TRUE(allocated.has_value()) << allocated.error().message;
  ASSERT_EQ(allocated->descriptors.size(), 2u);
  const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
  const wire::Region first{id, 0, 5};
  const wire::Region second{id, 512, 3};
  std::vector<Descriptor> files;
  files.push_back(file_with("helloabc"));
  ASSERT_TRUE(ask("fill", {first, second}, std::move(files)).has_value());
  EXPECT_EQ(contents(first), "hello");
  EXPECT_EQ(contents(second), "abc");

  const auto before = ask("digest", {first, second})->json()["digests"];
  ASSERT_TRUE(ask("poison", {second}).has_value());
  const auto after = ask("digest", {first, second})->json()["digests"];
  EXPECT_EQ(before[0], after[0]);
  EXPECT_NE(before[1], after[1]);
}

TEST_F(KeeperSessionTest, WhatLiesInAnotherProcesssFileIsFetchedFromItsPlace) {
  const auto allocated = ask("allocate", Json{{"bytes", {1024}}});
  const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
  const Descriptor file = file_with("0123456789");
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const wire::Region region{id, 16, 4};
  Json arguments{{"regions", wire::to_json(std::vector<wire::Region>{region})}, {"handles", {path}}, {"offsets", {3}}};
  ASSERT_TRUE(ask("fetch", arguments).has_value());
  EXPECT_EQ(contents(region), "3456");
  arguments["offsets"] = {8};
  EXPECT_FALSE(ask("fetch", arguments).has_value()) << "the file ends before";
  arguments["offsets"] = {-1};
  EXPECT_FALSE(ask("fetch", arguments).has_value());
  arguments["offsets"] = Json::array();
  EXPECT_FALSE(ask("fetch", arguments).has_value());
}

TEST_F(KeeperSessionTest, PoisonReachesTheEndOfALargeRegion) {
  constexpr uint64_t kBytes = (uint64_t{17} << 20) + 3;
  const auto allocated = ask("allocate", Json{{"bytes", {kBytes}}});
  ASSERT_TRUE(allocated.has_value());
  const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
  ASSERT_TRUE(ask("poison", {wire::Region{id, 0, kBytes}}).has_value());
  EXPECT_NE(contents({id, kBytes - 16, 16}), std::string(16, '\0'));
}

TEST_F(KeeperSessionTest, WhatIsNotThereIsRefused) {
  const auto allocated = ask("allocate", Json{{"bytes", {100}}});
  const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
  for (const wire::Region& region : {wire::Region{id + 1, 0, 1}, wire::Region{id, 100, 1},
                                     wire::Region{id, ~uint64_t{0}, 2}, wire::Region{id, 1, ~uint64_t{0}}}) {
    EXPECT_FALSE(ask("digest", {region}).has_value());
    EXPECT_FALSE(ask("poison", {region}).has_value());
    EXPECT_FALSE(ask("snapshot", {region}).has_value());
  }
  EXPECT_FALSE(ask("fill", {wire::Region{id, 0, 4}}).has_value());
  EXPECT_FALSE(ask("no such verb", Json::object()).has_value());
  ASSERT_TRUE(ask("release", Json{{"ids", {id}}}).has_value());
  EXPECT_FALSE(ask("digest", {wire::Region{id, 0, 1}}).has_value());
}

TEST_F(KeeperSessionTest, ASharedBlockCannotBeShrunkByTheOtherSide) {
  const auto allocated = ask("allocate", Json{{"bytes", {8192}}});
  ASSERT_TRUE(allocated.has_value());
  EXPECT_NE(::ftruncate(allocated->descriptors.at(0).get(), 0), 0);
}

TEST_F(KeeperSessionTest, TheClockRuns) {
  ASSERT_TRUE(ask("clock_start", Json::object()).has_value());
  const auto stopped = ask("clock_stop", Json::object());
  ASSERT_TRUE(stopped.has_value());
  EXPECT_GE(stopped->json()["elapsed_us"].get<double>(), 0.0);
}

TEST_F(KeeperSessionTest, TheClockStartsAfterItsCopiesAndStopsBeforeItsDigests) {
  const auto allocated = ask("allocate", Json{{"bytes", {uint64_t{64} << 20, uint64_t{64} << 20}}});
  ASSERT_TRUE(allocated.has_value());
  const auto& blocks = allocated->json()["blocks"];
  const wire::Region hidden{blocks[0]["id"].get<uint64_t>(), 0, uint64_t{64} << 20};
  const wire::Region shared{blocks[1]["id"].get<uint64_t>(), 0, uint64_t{64} << 20};
  ASSERT_TRUE(ask("poison", {hidden, shared}).has_value());
  Json release;
  release["from"] = wire::to_json(std::vector<wire::Region>{hidden});
  release["to"] = wire::to_json(std::vector<wire::Region>{shared});
  ASSERT_TRUE(ask("clock_start", release).has_value());
  const auto begin = wire::Clock::now();
  const auto stopped = ask("clock_stop", {shared});
  const double all_us = std::chrono::duration<double, std::micro>(wire::Clock::now() - begin).count();
  ASSERT_TRUE(stopped.has_value()) << stopped.error().message;
  EXPECT_LT(stopped->json()["elapsed_us"].get<double>(), 0.9 * all_us) << "64 MiB were read within the time";
  EXPECT_EQ(stopped->json()["digests"][0], ask("digest", {hidden})->json()["digests"][0]);
}

TEST_F(KeeperSessionTest, CopiesAreOfOneSize) {
  const auto allocated = ask("allocate", Json{{"bytes", {64, 64}}});
  const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
  Json copy;
  copy["from"] = wire::to_json(std::vector<wire::Region>{{id, 0, 8}});
  copy["to"] = wire::to_json(std::vector<wire::Region>{{id, 8, 9}});
  EXPECT_FALSE(ask("clock_start", copy).has_value());
  copy["to"] = wire::to_json(std::vector<wire::Region>{});
  EXPECT_FALSE(ask("clock_start", copy).has_value());
}

// Three regions of a block, each of `count` elements of `width` bytes: the first two hold 'a' and 'b'.
class KeeperMixTest : public KeeperSessionTest {
 protected:
  wire::MixedRegion place(uint64_t width, uint64_t count) {
    const uint64_t bytes = width * count;
    const uint64_t room = (bytes + 255) / 256 * 256 + 256;
    const auto allocated = ask("allocate", Json{{"bytes", {3 * room}}});
    EXPECT_TRUE(allocated.has_value());
    const auto id = allocated->json()["blocks"][0]["id"].get<uint64_t>();
    // One element behind a multiple of sixteen: nothing here is aligned for anything but its elements.
    const wire::MixedRegion mix{.first = {id, width, bytes},
                                .second = {id, room, bytes},
                                .to = {id, 2 * room + width, bytes},
                                .width = width,
                                .seed = 12345};
    std::vector<Descriptor> files;
    files.push_back(file_with(std::string(bytes, 'a') + std::string(bytes, 'b')));
    EXPECT_TRUE(ask("fill", {mix.first, mix.second}, std::move(files)).has_value());
    return mix;
  }
  Result<wire::Answer> ask_mix(const std::string& verb, const std::vector<wire::MixedRegion>& mixes) {
    return ask(verb, Json{{"mixed", wire::to_json(mixes)}});
  }
};

TEST_F(KeeperMixTest, HalfOfTheElementsComeFromEachAndNoneIsTornApart) {
  for (const uint64_t width : {2, 4, 8}) {
    constexpr uint64_t kElements = 1001;
    const wire::MixedRegion mix = place(width, kElements);
    const auto mixed = ask_mix("mix", {mix});
    ASSERT_TRUE(mixed.has_value()) << mixed.error().message;
    const std::string text = contents(mix.to);
    uint64_t of_first = 0;
    for (uint64_t i = 0; i < kElements; ++i) {
      const std::string element = text.substr(i * width, width);
      const bool is_first = element == std::string(width, 'a');
      ASSERT_TRUE(is_first || element == std::string(width, 'b')) << width << ", " << i << ": " << element;
      of_first += is_first ? 1 : 0;
    }
    EXPECT_GT(of_first, 400u);
    EXPECT_LT(of_first, 600u);
    EXPECT_EQ(mixed->json()["digests"], ask("digest", {mix.to})->json()["digests"]);
    EXPECT_EQ(contents(mix.first), std::string(kElements * width, 'a')) << "what is read stays as it is";
  }
}

TEST_F(KeeperMixTest, TheSeedSaysWhichAndNothingElseDoes) {
  wire::MixedRegion mix = place(4, 100);
  const auto once = ask_mix("mix", {mix})->json()["digests"];
  EXPECT_EQ(once, ask_mix("mix", {mix})->json()["digests"]);
  wire::MixedRegion other = mix;
  other.seed = mix.seed + 1;
  const auto both = ask_mix("mix", {other, mix})->json()["digests"];
  EXPECT_NE(both[0], once[0]);
  EXPECT_EQ(both[1], once[0]) << "one place for both: the digest is that of its own mix";
  ASSERT_TRUE(ask("poison", {mix.to}).has_value());
  ASSERT_TRUE(ask_mix("clock_start", {mix}).has_value());
  EXPECT_EQ(ask("digest", {mix.to})->json()["digests"], once) << "as the clock starts the same contents are there";
}

TEST_F(KeeperMixTest, AMixLongerThanTheStagingMemoryHasOneMask) {
  constexpr uint64_t kElements = (uint64_t{9} << 20) / 4 + 3;
  const wire::MixedRegion whole = place(4, kElements);
  ASSERT_TRUE(ask_mix("mix", {whole}).has_value());
  const std::string text = contents(whole.to);
  const std::string piece = text.substr(0, 64 * 4 * 64);
  EXPECT_EQ(text.find(piece, 1), std::string::npos) << "the mask repeats";
  EXPECT_NE(text.substr(text.size() - 4000).find('a'), std::string::npos);
  EXPECT_NE(text.substr(text.size() - 4000).find('b'), std::string::npos);
}

TEST_F(KeeperMixTest, WhatCannotBeMixedIsRefused) {
  const wire::MixedRegion good = place(4, 10);
  std::vector<wire::MixedRegion> bad(6, good);
  bad[0].width = 3;
  bad[1].width = 16;
  bad[2].first.bytes -= 4;
  bad[3].to.offset += 2;
  bad[4].second.block += 1;
  bad[5].to.bytes = bad[5].first.bytes = bad[5].second.bytes = 38;
  for (const wire::MixedRegion& mix : bad) {
    EXPECT_FALSE(ask_mix("mix", {good, mix}).has_value());
    EXPECT_FALSE(ask_mix("clock_start", {mix}).has_value());
  }
  EXPECT_TRUE(ask_mix("mix", {good}).has_value());
}

TEST_F(KeeperSessionTest, WhatTheClockStopKeepsStaysWhenTheRegionsChange) {
  const auto allocated = ask("allocate", Json{{"bytes", {64, 64}}});
  const auto& blocks = allocated->json()["blocks"];
  const wire::Region result{blocks[0]["id"].get<uint64_t>(), 8, 32};
  const wire::Region kept{blocks[1]["id"].get<uint64_t>(), 0, 32};
  ASSERT_TRUE(ask("poison", {result}).has_value());
  const std::string text = contents(result);
  Json stop;
  stop["regions"] = wire::to_json(std::vector<wire::Region>{result});
  stop["kept"] = wire::to_json(std::vector<wire::Region>{kept});
  ASSERT_TRUE(ask("clock_start", Json::object()).has_value());
  const auto stopped = ask("clock_stop", stop);
  ASSERT_TRUE(stopped.has_value()) << stopped.error().message;
  EXPECT_EQ(stopped->json()["digests"], ask("digest", {result})->json()["digests"]);
  ASSERT_TRUE(ask("poison", {result}).has_value());
  EXPECT_EQ(contents(kept), text);
  stop["kept"] = wire::to_json(std::vector<wire::Region>{});
  EXPECT_FALSE(ask("clock_stop", stop).has_value());
}

}  // namespace
}  // namespace stitch::keeper
