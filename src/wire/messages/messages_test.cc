// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "base/json/json.h"
#include "wire/messages/call_arguments.h"
#include "wire/messages/mixed_region.h"
#include "wire/messages/program_description.h"
#include "wire/messages/rpc.h"
#include "wire/messages/tensor_argument.h"

namespace stitch::wire {
namespace {

Clock::time_point soon() { return Clock::now() + std::chrono::seconds(20); }

TEST(RpcTest, AnswersAndErrorsTravel) {
  auto pair = Channel::make_pair();
  ASSERT_TRUE(pair.has_value());
  Channel asking(std::move(pair->first));
  std::jthread server([socket = std::move(pair->second)]() mutable {
    Channel answering(std::move(socket));
    const auto served = serve(answering, [](Request& request) -> Result<Answer> {
      if (request.verb == "double") {
        return Answer(Json{{"y", 2 * request.arguments["x"].get<int>()}}, std::move(request.descriptors));
      }
      return failure(ErrorCode::kUsage, "no such verb", request.verb, "ask for double");
    });
    EXPECT_TRUE(served.has_value());
  });
  const auto answer = call(asking, 1, "double", Json{{"x", 21}}, {}, soon());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->json()["y"], 42);
  const auto refused = call(asking, 2, "halve", Json::object(), {}, soon());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(refused.error().location, "halve");
  asking = Channel(Descriptor());
}

TEST(RpcTest, AnswersToOtherRequestsAndOtherKindsAreRefused) {
  EXPECT_FALSE(decode_answer({.kind = FrameKind::kAnswer, .id = 3, .payload = "{}"}, 4).has_value());
  EXPECT_FALSE(decode_answer({.kind = FrameKind::kRequest, .id = 4, .payload = "{}"}, 4).has_value());
  EXPECT_FALSE(decode_answer({.kind = FrameKind::kAnswer, .id = 4, .payload = "[1"}, 4).has_value());
  EXPECT_FALSE(decode_answer({.kind = FrameKind::kError, .id = 4, .payload = "{}"}, 4).has_value());
  EXPECT_TRUE(decode_answer({.kind = FrameKind::kAnswer, .id = 4, .payload = "{}"}, 4).has_value());
}

TEST(MixedRegionTest, RoundTripWithEverySeed) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{77}, uint64_t{1} << 63, ~uint64_t{0}}) {
    const MixedRegion mix{.first = {1, 0, 64}, .second = {1, 64, 64}, .to = {2, 512, 64}, .width = 4, .seed = seed};
    Json arguments;
    arguments["mixed"] = to_json(std::vector<MixedRegion>{mix, mix});
    const auto read = mixed_regions_from_json(arguments, "mixed");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ((*read)[1].second.offset, 64u);
    EXPECT_EQ((*read)[1].to.block, 2u);
    EXPECT_EQ((*read)[1].width, 4u);
    EXPECT_EQ((*read)[1].seed, seed);
  }
}

TEST(MixedRegionTest, WhatIsNoMixIsRefused) {
  Json arguments;
  arguments["mixed"] = to_json(std::vector<MixedRegion>{{.width = 4}});
  arguments["mixed"].erase(2);
  EXPECT_FALSE(mixed_regions_from_json(arguments, "mixed").has_value());
  arguments["mixed"].push_back("seed");
  EXPECT_FALSE(mixed_regions_from_json(arguments, "mixed").has_value());
  EXPECT_FALSE(mixed_regions_from_json(Json::object(), "mixed").has_value());
}

TEST(MixedRegionTest, ABurstOfThousandsFitsAFrame) {
  constexpr uint64_t kFar = uint64_t{1} << 37;
  const MixedRegion mix{.first = {10, kFar, 65536}, .second = {10, kFar, 65536}, .to = {12, kFar, 65536}, .width = 4};
  EXPECT_LT(to_json(std::vector<MixedRegion>(128 * 200, mix)).dump().size(), size_t{kMaxPayloadBytes});
}

TEST(CallArgumentsTest, RoundTrip) {
  CallArguments call;
  call.inputs = {{{3, 512, 80}, {4, 5}}, {{7, 0, 4}, {}}};
  call.workspace = {9, 256, 1024};
  call.rng_seed = ~uint64_t{0};
  const auto read = call_arguments_from_json(to_json(call));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->inputs.size(), 2u);
  EXPECT_EQ(read->inputs[0].region.offset, 512u);
  EXPECT_EQ(read->inputs[0].extents, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(read->workspace.bytes, 1024u);
  EXPECT_EQ(read->rng_seed, ~uint64_t{0});
}

TEST(BlockTokenTest, RoundTrip) {
  Json arguments;
  arguments["blocks"] = to_json(std::vector<BlockToken>{{3, 80, "0aff"}});
  const auto tokens = block_tokens_from_json(arguments, "blocks");
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ((*tokens)[0].handle, "0aff");
  EXPECT_FALSE(block_tokens_from_json(Json{{"blocks", {1, 2}}}, "blocks").has_value());
}

ProgramDescription example() {
  ProgramDescription description;
  description.name = "add";
  description.prepared_bytes = 256;
  TensorDescription x;
  x.spec.name = "x";
  x.spec.type.dtype = DataType::kFloat16;
  x.spec.type.shape = {2, 3};
  x.run_time_axes = {1, 0};
  x.min_extents = {1, 3};
  x.max_extents = {9, 3};
  description.inputs.push_back(x);
  return description;
}

TEST(ProgramDescriptionTest, RoundTrip) {
  const auto read = program_description_from_json(to_json(example()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->name, "add");
  EXPECT_EQ(read->prepared_bytes, 256u);
  ASSERT_EQ(read->inputs.size(), 1u);
  EXPECT_EQ(read->inputs[0].spec, example().inputs[0].spec);
  EXPECT_EQ(read->inputs[0].max_extents, (std::vector<int64_t>{9, 3}));
}

TEST(ProgramDescriptionTest, PreparedMemoryBeyondASignedNumberIsRefused) {
  ProgramDescription description = example();
  description.prepared_bytes = UINT64_MAX;
  const auto read = program_description_from_json(parse_json(to_json(description).dump(), "description").value());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "the program wants 18446744073709551615 bytes of prepared memory");
}

TEST(ProgramDescriptionTest, NothingButAnInputCanBeLeftOut) {
  ProgramDescription description = example();
  description.inputs[0].is_optional = true;
  description.outputs = description.states_in = description.parameters = description.inputs;
  const auto read = program_description_from_json(to_json(description));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->inputs[0].is_optional);
  EXPECT_FALSE(read->outputs[0].is_optional);
  EXPECT_FALSE(read->states_in[0].is_optional);
  EXPECT_FALSE(read->parameters[0].is_optional);
}

TEST(ProgramDescriptionTest, ImpossibleShapesAreRefused) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{-1, 3}, {int64_t{1} << 40, int64_t{1} << 40}, std::vector<int64_t>(40, 1), {2, 3, 4}}) {
    ProgramDescription description = example();
    description.inputs[0].spec.type.shape = shape;
    EXPECT_FALSE(program_description_from_json(to_json(description)).has_value());
  }
}

}  // namespace
}  // namespace stitch::wire
