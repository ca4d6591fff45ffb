// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/source_facts.h"

#include <gtest/gtest.h>

namespace stitch::rubric {
namespace {

constexpr const char* kHonest = R"cu(
__global__ void product(const float* x, float* y, int n) {
  y[threadIdx.x] = x[threadIdx.x];
  %s
}
static int run_program(const Call& call) {
  product<<<1, 32, 0, call.stream()>>>(call.input(0), call.output(0), 32);
  return 0;
}
)cu";

LaunchRecord launch(const std::string& name) {
  LaunchRecord record;
  record.name = name;
  record.line = 7;
  record.launches = 1;
  record.threads = 32;
  return record;
}

ListedLaunches listed(const LaunchRecord& record) {
  ListedLaunches launches;
  launches.add({record});
  return launches;
}

SourceFacts facts_of(const std::string& inside, const std::string& beside = "") {
  std::string text = kHonest;
  text.replace(text.find("%s"), 2, inside);
  return source_facts({{"program.cu", text + beside}}, listed(launch("(product)")));
}

TEST(SourceFacts, SeesWhatCanRun) {
  const SourceFacts facts = facts_of("__shared__ float tile[32]; __syncthreads(); const float4 v = *(const float4*)x;");
  ASSERT_NE(facts.feature("shared_memory"), nullptr);
  EXPECT_EQ(facts.feature("shared_memory")->location, "program.cu:4");
  EXPECT_NE(facts.feature("barrier"), nullptr);
  EXPECT_NE(facts.feature("vector_access"), nullptr);
  EXPECT_EQ(facts.kernels, std::vector<std::string>{"product program.cu:2"});
}

TEST(SourceFacts, GivesNothingForWordsThatCannotRun) {
  for (const char* inside :
       {"// __shared__ float4", "/* __shared__\n float4 */", "const char* words = \"__shared__ float4\";",
        "const char* words = R\"(__shared__ float4)\";", "if (false) { __shared__ float4 tile[32]; }",
        "if (0) __shared__ float4 tile;", "if constexpr (1 == 2) { __shared__ float4 tile[32]; } else { n = 1; }",
        "if (n > 0 && false) { __shared__ float4 tile; }", "while (false) { __shared__ float4 tile; }",
        "return; __shared__ float4 tile;", "\n#if 0\n__shared__ float4 tile;\n#endif\n",
        "\n#ifdef NOBODY_DEFINES_ME\n__shared__ float4 tile;\n#else\nn = 1;\n#endif\n",
        "\n#if 1\nn = 1;\n#else\n__shared__ float4 tile;\n#endif\n"}) {
    const SourceFacts facts = facts_of(inside);
    EXPECT_EQ(facts.feature("shared_memory"), nullptr) << inside;
    EXPECT_EQ(facts.feature("vector_access"), nullptr) << inside;
    EXPECT_EQ(facts.kernels.size(), 1u) << inside;
  }
}

TEST(SourceFacts, KeepsWhatFollowsADeadBranch) {
  for (const char* inside :
       {"if (false) n = 1; else { __shared__ float t; }", "if (false) { n = 2; } __shared__ float t;",
        "if (n < 0) return; __shared__ float t;", "if (n < 0) { return; } __shared__ float t;",
        "\n#if 0\nn = 1;\n#else\n__shared__ float t;\n#endif\n"}) {
    EXPECT_NE(facts_of(inside).feature("shared_memory"), nullptr) << inside;
  }
}

TEST(SourceFacts, LeavesAsideKernelsThatWereNotLaunched) {
  const SourceFacts facts = facts_of("",
                                     "__global__ void idle(float* y) { __shared__ float4 tile[32]; helper(y); }\n"
                                     "__device__ void helper(float* y) { __shfl_down_sync(0, *y, 1); }\n");
  EXPECT_EQ(facts.feature("shared_memory"), nullptr);
  EXPECT_EQ(facts.feature("warp_shuffle"), nullptr);
  ASSERT_EQ(facts.left_aside.size(), 1u);
  EXPECT_EQ(facts.left_aside[0].substr(0, 4), "idle");
}

TEST(SourceFacts, FollowsCallsAndFunctors) {
  const SourceFacts facts = facts_of("Load load{x}; load(3);",
                                     "struct Load { const float* x;\n __device__ float operator()(int i) const {"
                                     " return *reinterpret_cast<const float4*>(x + i).x; } };\n");
  EXPECT_NE(facts.feature("vector_access"), nullptr);
}

TEST(SourceFacts, SeesKernelsThatIgnoreTheirInputs) {
  const std::string text = "__global__ void zeros(const float* x, float* y) { y[threadIdx.x] = 0; }";
  const SourceFacts facts = source_facts({{"a.cu", text}}, listed(launch("zeros")));
  EXPECT_EQ(facts.kernels_with_inputs, 1);
  EXPECT_EQ(facts.kernels_that_ignore_inputs, 1);
  EXPECT_EQ(facts_of("").kernels_that_ignore_inputs, 0);
}

TEST(SourceFacts, SeesSharedMemoryInWhichNothingIsShared) {
  for (const char* inside :
       {"__shared__ float t[32]; t[threadIdx.x] = *x; __syncthreads(); *y = t[threadIdx.x];",
        "__shared__ float t[32]; const int i = threadIdx.x; t[i] = *x; __syncthreads(); *y = t[i] + t[i];",
        "__shared__ float t[4][8]; t[threadIdx.y][threadIdx.x] = *x; *y = t[threadIdx.y][threadIdx.x];",
        "__shared__ float t[32]; t[31 - threadIdx.x] = *x; __syncthreads();", "__shared__ float t; t = *x;",
        "__shared__ float t[32]; __pipeline_memcpy_async(&t[threadIdx.x], x, 4);"}) {
    const SourceFacts facts = facts_of(inside);
    EXPECT_EQ(facts.shared_arrays, 1) << inside;
    EXPECT_EQ(facts.idle_shared_arrays, 1) << inside;
    EXPECT_EQ(facts.idle.size(), 1u) << inside;
  }
}

TEST(SourceFacts, TakesSharedMemoryForUsedWhereItMayBe) {
  for (const char* inside :
       {"__shared__ float t[32]; t[threadIdx.x] = *x; __syncthreads(); *y = t[31 - threadIdx.x];",
        "__shared__ float t[32]; for (int i = threadIdx.x; i < n; i += 32) t[i] = *x; for (int i = 0; i < n; ++i) *y "
        "+= t[i];",
        "__shared__ float t[32]; const int i = threadIdx.x / 2; t[i] = *x; __syncthreads(); *y = t[i];",
        "__shared__ float t[32]; t[threadIdx.x] = *x; add_up(t, y);",
        "__shared__ float t[32]; t[threadIdx.x] = *x; float* other = &t[0]; *y = other[1];",
        "__shared__ float t; if (threadIdx.x == 0) t = *x; __syncthreads(); *y = t;",
        "extern __shared__ float t[]; t[threadIdx.x] = *x; __syncthreads(); *y = t[n];",
        "__shared__ float t[32]; int i = threadIdx.x; t[i] = *x; __syncthreads(); i ^= 1; *y = t[i];"}) {
    const SourceFacts facts = facts_of(inside);
    EXPECT_EQ(facts.shared_arrays, 1) << inside;
    EXPECT_EQ(facts.idle_shared_arrays, 0) << inside;
  }
}

TEST(SourceFacts, GivesNothingForShufflesThatGoNowhere) {
  for (const char* inside : {"__shfl_down_sync(~0u, n, 1);", "(void)__shfl_xor_sync(~0u, n, 1);",
                             "const int other = __shfl_sync(~0u, n, 0);"}) {
    const SourceFacts facts = facts_of(inside);
    EXPECT_EQ(facts.feature("warp_shuffle"), nullptr) << inside;
    EXPECT_EQ(facts.idle_shuffles, 1) << inside;
  }
  for (const char* inside : {"n += __shfl_down_sync(~0u, n, 1);", "*y = __shfl_xor_sync(~0u, n, 1);",
                             "const int other = __shfl_sync(~0u, n, 0); *y = other;"}) {
    EXPECT_NE(facts_of(inside).feature("warp_shuffle"), nullptr) << inside;
  }
}

TEST(SourceFacts, TakesAWideTypeForAnAccessWhereItPointsAtMemory) {
  for (const char* inside : {"*(float4*)y = make_float4(0, 0, 0, 0);", "const float4* wide = (const float4*)x;",
                             "copy<float4>(x, y);", "using Four = float4; *y = reinterpret_cast<const Four*>(x)->x;"}) {
    EXPECT_NE(facts_of(inside).feature("vector_access"), nullptr) << inside;
  }
  for (const char* inside :
       {"float4 sums; sums.x = *x;", "n = sizeof(float4);", "const float4 v = make_float4(0, 0, 0, 0);"}) {
    EXPECT_EQ(facts_of(inside).feature("vector_access"), nullptr) << inside;
  }
  const char* lanes = "template <int kLanes> struct alignas(4 * kLanes) Lanes { float of[kLanes]; };\n";
  EXPECT_NE(facts_of("*reinterpret_cast<Lanes<4>*>(y) = Lanes<4>();", lanes).feature("vector_access"), nullptr);
}

TEST(SourceFacts, AnEmptyGridLaunchesNothing) {
  LaunchRecord empty = launch("product");
  empty.threads = 0;
  const SourceFacts facts = source_facts({{"a.cu", kHonest}}, listed(empty));
  EXPECT_TRUE(facts.kernels.empty());
  EXPECT_EQ(facts.left_aside.size(), 1u);
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

// Each of these once took minutes, or the stack.
TEST(SourceFacts, ComesToAnEndOfTextsMadeToTakeLong) {
  constexpr size_t kTimes = 50'000;
  for (const char* text :
       {"(", "if(", "f(){", "f():f", "f()", "struct{", "struct ", "extern{", "namespace a{", "return;", "a[", "R\"\"",
        "(a&&", "float x=__shfl_sync(", "__shared__ int a[", "__shared__ int a[a,", "x=x;"}) {
    const std::string body = repeated(text, kTimes);
    (void)source_facts({{"a.cu", body}, {"b.cu", "__global__ void f(const float* x) {" + body}}, std::nullopt);
    (void)source_facts({{"a.cu", "__device__ void f() { if (" + body + " x) {} }"}}, std::nullopt);
  }
}

TEST(SourceFacts, TakesAnyBytes) {
  for (const char* text : {"", "(", "}}}}", "\"", "R\"(", "#if", "#define", "/*", "template <", "if (false", "{((("}) {
    EXPECT_TRUE(source_facts({{"a.cu", text}}, std::nullopt).features.empty()) << text;
  }
}

}  // namespace
}  // namespace stitch::rubric
