// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "elf/facts/library_facts.h"
#include "elf/testing/made_library.h"

namespace stitch::elf {
namespace {

using testing::bytes_of;
using testing::compiled_library;
using testing::made_library;
using testing::MadeLibrary;

Result<LibraryFacts> inspect_text(const std::string& bytes) { return inspect(std::as_bytes(std::span(bytes))); }

LibraryFacts facts_of(const std::string& bytes) {
  const Result<LibraryFacts> facts = inspect_text(bytes);
  EXPECT_TRUE(facts.has_value()) << (facts.has_value() ? "" : facts.error().message);
  return facts.has_value() ? *facts : LibraryFacts{};
}

std::string refusal_of(const MadeLibrary& library) {
  const Result<LibraryFacts> facts = inspect_text(bytes_of(library));
  return facts.has_value() ? "" : facts.error().message;
}

bool imports(const LibraryFacts& facts, const std::string& name) {
  return std::any_of(facts.imports.begin(), facts.imports.end(), [&](const Import& each) { return each.name == name; });
}

TEST(InspectTest, MadeLibrary) {
  const LibraryFacts facts = facts_of(bytes_of(made_library()));
  EXPECT_EQ(facts.exports, std::vector<std::string>{"stitch_program_v1"});
  ASSERT_EQ(facts.imports.size(), 1u);
  EXPECT_EQ(facts.imports[0].name, "fork");
  EXPECT_EQ(facts.needed, std::vector<std::string>{"libc.so.6"});
  EXPECT_FALSE(facts.has_executable_stack);
  EXPECT_FALSE(facts.has_writable_code);
}

TEST(InspectTest, WhatIsNoLibraryIsToldInASentence) {
  MadeLibrary library = made_library();
  library.header.e_machine = EM_AARCH64;
  EXPECT_NE(refusal_of(library).find("not for x86-64"), std::string::npos);
  library = made_library();
  library.header.e_type = ET_EXEC;
  EXPECT_NE(refusal_of(library).find("not a shared library"), std::string::npos);
  library = made_library();
  library.header.e_phoff = UINT64_MAX - 3;
  EXPECT_NE(refusal_of(library).find("beyond the end"), std::string::npos);
  library = made_library();
  library.segments[0].p_filesz = UINT64_MAX;
  EXPECT_NE(refusal_of(library).find("beyond the end"), std::string::npos);
  library = made_library();
  library.dynamic[1].d_un.d_ptr = UINT64_MAX;
  EXPECT_NE(refusal_of(library).find("outside its segments"), std::string::npos);
  library = made_library();
  library.symbols[1].st_name = 1 << 30;
  EXPECT_NE(refusal_of(library).find("name lies outside"), std::string::npos);
  library = made_library();
  library.dynamic[2].d_un.d_val = UINT64_MAX;
  EXPECT_NE(refusal_of(library).find("table of names reaches beyond"), std::string::npos);
}

TEST(InspectTest, SymbolsBeyondTheHashTableCountWhereARelocationUsesThem) {
  MadeLibrary library = made_library();
  library.hash[1] = 1;  // says that there is no symbol but the first
  EXPECT_TRUE(imports(facts_of(bytes_of(library)), "fork"));
}

TEST(InspectTest, OverlappingSegmentsAreRefused) {
  MadeLibrary library = made_library();
  library.segments[2] = library.segments[0];
  EXPECT_NE(refusal_of(library).find("overlap"), std::string::npos);
}

// The loader maps pages: what is read of the first segment here would not be what lies there.
TEST(InspectTest, SegmentsThatShareAPageAreRefused) {
  MadeLibrary library = made_library();
  library.segments[2] = library.segments[0];
  library.segments[2].p_vaddr = 4095;
  EXPECT_NE(refusal_of(library).find("overlap"), std::string::npos);
  library.segments[2].p_vaddr = 4096;
  EXPECT_EQ(refusal_of(library), "");
  library.segments[2].p_vaddr = UINT64_MAX - 100;
  EXPECT_NE(refusal_of(library).find("impossible size"), std::string::npos);
}

TEST(InspectTest, StackAndWritableCode) {
  MadeLibrary library = made_library();
  library.segments[2].p_flags = PF_R | PF_W | PF_X;
  EXPECT_TRUE(facts_of(bytes_of(library)).has_executable_stack);
  library = made_library();
  library.segments[2].p_type = PT_NULL;  // who says nothing gets an executable one
  EXPECT_TRUE(facts_of(bytes_of(library)).has_executable_stack);
  library = made_library();
  library.segments[0].p_flags = PF_R | PF_W | PF_X;
  EXPECT_TRUE(facts_of(bytes_of(library)).has_writable_code);
}

TEST(InspectTest, TablesThatItChangesItself) {
  EXPECT_FALSE(facts_of(bytes_of(made_library())).changes_its_tables);
  MadeLibrary library = made_library();
  library.relocation.r_offset = offsetof(MadeLibrary, dynamic) + 8;
  EXPECT_TRUE(facts_of(bytes_of(library)).changes_its_tables);
  library = made_library();
  library.segments[0].p_flags = PF_R | PF_W;
  EXPECT_TRUE(facts_of(bytes_of(library)).changes_its_tables);
  library = made_library();
  library.relocation.r_info = ELF64_R_INFO(1, R_X86_64_COPY);
  EXPECT_TRUE(facts_of(bytes_of(library)).changes_its_tables);
  library.relocation = {offsetof(MadeLibrary, dynamic) - 8, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0};
  EXPECT_FALSE(facts_of(bytes_of(library)).changes_its_tables);
  library.relocation.r_info = ELF64_R_INFO(1, R_X86_64_TLSDESC);
  EXPECT_TRUE(facts_of(bytes_of(library)).changes_its_tables);
}

TEST(InspectTest, CompiledLibrary) {
  const std::string bytes = compiled_library(R"(
    #include <cmath>
    #include <string>
    extern "C" int fork();
    extern "C" float work(float x) { return std::erf(x) + (fork() == 0); }
    thread_local int calls = 3;
    std::string made_at_load(20, 'x');
    int count() { return ++calls; }
  )");
  ASSERT_FALSE(bytes.empty());
  const LibraryFacts facts = facts_of(bytes);
  EXPECT_TRUE(std::binary_search(facts.exports.begin(), facts.exports.end(), "work"));
  const auto found =
      std::find_if(facts.imports.begin(), facts.imports.end(), [](const Import& each) { return each.name == "fork"; });
  ASSERT_NE(found, facts.imports.end());
  EXPECT_EQ(found->library, "libc.so.6");
  EXPECT_GE(facts.constructors, 2);  // crtstuff's and that of the string
  EXPECT_EQ(facts.thread_local_bytes, 4u);
  EXPECT_EQ(facts.indirect_functions, 0);
  EXPECT_FALSE(facts.has_executable_stack);
  EXPECT_FALSE(facts.changes_its_tables);
}

TEST(InspectTest, RunPathAndIndirectFunctions) {
  const std::string bytes = compiled_library(
      "extern \"C\" { int one() { return 1; }\nvoid* pick() { return (void*)one; }\n"
      "__attribute__((ifunc(\"pick\"))) int chosen(); }",
      {"-Wl,-rpath,/somewhere", "-Wl,-z,execstack"});
  ASSERT_FALSE(bytes.empty());
  const LibraryFacts facts = facts_of(bytes);
  EXPECT_EQ(facts.run_paths, std::vector<std::string>{"/somewhere"});
  EXPECT_GE(facts.indirect_functions, 1);
  EXPECT_TRUE(facts.has_executable_stack);
}

}  // namespace
}  // namespace stitch::elf
