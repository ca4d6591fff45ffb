// SPDX-License-Identifier: Apache-2.0
#include "elf/code/system_entry.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "elf/code/instruction.h"
#include "elf/testing/made_library.h"

namespace stitch::elf {
namespace {

size_t length_of(std::initializer_list<int> code) {
  std::vector<std::byte> bytes;
  for (const int each : code) {
    bytes.push_back(static_cast<std::byte>(each));
  }
  const std::optional<Instruction> found = decode(bytes);
  return found.has_value() ? found->bytes : 0;
}

std::string entry_of(const std::string& body) {
  const std::string library = testing::compiled_library(
      "long value; int number(int x) { return x * 3; }\nextern \"C\" long run(long x) {\n" + body + "\n  return x;\n}");
  EXPECT_NE(library, "");
  return find_system_entry(std::as_bytes(std::span(library)));
}

TEST(DecodeTest, Lengths) {
  EXPECT_EQ(length_of({0x90}), 1u);
  EXPECT_EQ(length_of({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}), 10u);              // movabs $…, %rax
  EXPECT_EQ(length_of({0xb8, 1, 2, 3, 4}), 5u);                                 // mov $…, %eax
  EXPECT_EQ(length_of({0x66, 0xb8, 1, 2}), 4u);                                 // mov $…, %ax
  EXPECT_EQ(length_of({0x8b, 0x04, 0x25, 1, 2, 3, 4}), 7u);                     // mov 0x…, %eax
  EXPECT_EQ(length_of({0x8b, 0x05, 1, 2, 3, 4}), 6u);                           // mov …(%rip), %eax
  EXPECT_EQ(length_of({0xf6, 0xc0, 1}), 3u);                                    // test $1, %al
  EXPECT_EQ(length_of({0xf7, 0xd0}), 2u);                                       // not %eax
  EXPECT_EQ(length_of({0xc4, 0xe3, 0x7d, 0x19, 0xc1, 1}), 6u);                  // vextractf128
  EXPECT_EQ(length_of({0xc5, 0xf8, 0x77}), 3u);                                 // vzeroupper
  EXPECT_EQ(length_of({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x80, 1, 2, 3, 4}), 10u);  // vmovups …(%rax), %zmm0
  EXPECT_EQ(length_of({0x66, 0x48, 0xe8, 1, 2, 3, 4}), 7u);                     // call, padded
}

TEST(DecodeTest, WhatIsNoInstructionOrCutHasNoLength) {
  EXPECT_EQ(length_of({}), 0u);
  EXPECT_EQ(length_of({0x06}), 0u);
  EXPECT_EQ(length_of({0xb8, 1, 2}), 0u);
  EXPECT_EQ(length_of({0x66, 0x66, 0x66}), 0u);
}

TEST(SystemEntryTest, InstructionsAreFoundHoweverTheyAreSpelled) {
  EXPECT_EQ(entry_of("asm volatile(\"syscall\" : \"+a\"(x) : : \"rcx\", \"r11\", \"memory\");"), "syscall");
  EXPECT_EQ(entry_of("asm volatile(\".byte 0x0f, 0x05\" : \"+a\"(x) : : \"rcx\", \"r11\", \"memory\");"), "syscall");
  EXPECT_EQ(entry_of("asm volatile(\"int $0x80\" : \"+a\"(x));"), "int 0x80");
  EXPECT_EQ(entry_of("asm volatile(\"sysenter\" : \"+a\"(x));"), "sysenter");
  EXPECT_EQ(entry_of("asm volatile(\".section .other,\\\"ax\\\"; syscall; .previous\");"), "syscall");
}

TEST(SystemEntryTest, AJumpIntoTheMidstOfAnInstructionIsFollowed) {
  EXPECT_EQ(entry_of("asm volatile(\"jmp 1f; .byte 0x48, 0xb8; 1: syscall; .fill 6, 1, 0x90\" : \"+a\"(x));"),
            "syscall");
}

TEST(SystemEntryTest, NumbersThatLookLikeOneAreNone) {
  EXPECT_EQ(entry_of("x ^= 0x050f050f050f050f; value = 0x80cd80cd; x += number(static_cast<int>(x) & 0x0f340f34);"),
            "");
  EXPECT_EQ(entry_of("static const unsigned char data[] = {0x0f, 0x05}; x += data[x & 1];"), "");
}

TEST(SystemEntryTest, WhatIsNoLibraryHasNone) {
  EXPECT_EQ(find_system_entry({}), "");
  EXPECT_EQ(system_entry_refusal({}), std::nullopt);
}

TEST(SystemEntryTest, TheRefusalNamesTheInstruction) {
  const std::string library = testing::compiled_library("void run() { asm(\"syscall\"); }");
  EXPECT_EQ(system_entry_refusal(std::as_bytes(std::span(library))).value_or(""),
            "the library enters the system by an instruction of its own (syscall): no kernel needs that");
}

}  // namespace
}  // namespace stitch::elf
