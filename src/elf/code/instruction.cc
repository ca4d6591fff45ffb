// SPDX-License-Identifier: Apache-2.0
#include "elf/code/instruction.h"

#include <algorithm>
#include <string_view>

namespace stitch::elf {
namespace {

constexpr size_t kMaxBytes = 15;

// What follows an opcode. `z`: four bytes, two after the prefix 66. `v`: eight bytes with REX.W, else z.
//   . nothing   m ModR/M   1 one byte   2 two bytes   3 three bytes   z z   v v   o an address (eight bytes)
//   i m and 1   I m and z   t m, and 1 where it is a test   T m, and z where it is one
//   s a jump by one byte   l a jump by four   - no instruction of 64-bit code
constexpr std::string_view kOneByte =
    "mmmm1z--mmmm1z--mmmm1z--mmmm1z--"
    "mmmm1z--mmmm1z--mmmm1z--mmmm1z--"
    "----------------................"
    "---m----zI1i....ssssssssssssssss"
    "iI-immmmmmmmmmmm..........-....."
    "oooo....1z......11111111vvvvvvvv"
    "ii2.--iI3.2..1-.mmmm---.mmmmmmmm"
    "ssss1111ll-s....-.--..tT......mm";
constexpr std::string_view kTwoBytes =
    "mmmm-.....-.-m.immmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm......-.--------"
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmmiiiimmm.mmmmmmmm"
    "llllllllllllllllmmmmmmmmmmmmmmmm"
    "...mimmm...mimmmmmmmmmmmmmimmmmm"
    "mmimiiim........mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
static_assert(kOneByte.size() == 256 && kTwoBytes.size() == 256);

enum Map { kMapOneByte = 0, kMap0F = 1, kMap0F38 = 2, kMap0F3A = 3, kMapXopImmediate = 8, kMapXopLong = 10 };

class Reader {
 public:
  explicit Reader(Bytes code) : code_(code.first(std::min(code.size(), kMaxBytes))) {}

  std::optional<Instruction> read() {
    read_prefixes();
    const std::string_view form = read_opcode();
    Instruction found;
    for (const char part : form) {
      if (part == '-' || !read_part(part, found)) {
        return std::nullopt;
      }
    }
    found.entry = entry();
    found.bytes = at_;
    return is_cut_ ? std::nullopt : std::optional(found);
  }

 private:
  uint8_t peek() const { return at_ < code_.size() ? std::to_integer<uint8_t>(code_[at_]) : 0; }

  uint8_t next() {
    const uint8_t byte = peek();
    skip(1);
    return byte;
  }

  void skip(size_t bytes) {
    at_ += bytes;
    is_cut_ = is_cut_ || at_ > code_.size();
  }

  int64_t number(size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value |= uint64_t{next()} << (8 * i);
    }
    return bytes == 1 ? static_cast<int8_t>(value) : static_cast<int32_t>(value);
  }

  void read_prefixes() {
    constexpr std::string_view kPrefixes = "\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65";
    while (at_ < code_.size() && kPrefixes.find(static_cast<char>(peek())) != std::string_view::npos) {
      is_short_ = is_short_ || peek() == 0x66;
      has_short_addresses_ = has_short_addresses_ || peek() == 0x67;
      skip(1);
    }
    if ((peek() & 0xf0) == 0x40) {
      is_wide_ = (next() & 8) != 0;
    }
  }

  // Its form; `opcode_` and `map_` say which it is.
  std::string_view read_opcode() {
    const uint8_t first = next();
    const uint8_t second = peek();
    if (first == 0xc5) {
      return read_vector_opcode(1, kMap0F);
    }
    if (first == 0xc4) {
      return read_vector_opcode(2, second & 0x1f);
    }
    if (first == 0x62) {
      return read_vector_opcode(3, second & 0x07);
    }
    if (first == 0x8f && (second & 0x1f) >= kMapXopImmediate) {
      return read_vector_opcode(2, second & 0x1f);
    }
    opcode_ = first;
    if (first != 0x0f) {
      return kOneByte.substr(first, 1);
    }
    map_ = kMap0F;
    opcode_ = next();
    if (opcode_ == 0x38 || opcode_ == 0x3a) {
      map_ = opcode_ == 0x38 ? kMap0F38 : kMap0F3A;
      opcode_ = next();
      return map_ == kMap0F38 ? "m" : "i";
    }
    return kTwoBytes.substr(opcode_, 1);
  }

  std::string_view read_vector_opcode(size_t payload, int map) {
    skip(payload);
    opcode_ = next();
    is_vector_ = true;
    if (map == kMap0F3A || map == kMapXopImmediate) {
      return "i";
    }
    if (map == kMapXopLong) {
      return "I";
    }
    const bool is_of_two = map == kMap0F && (kTwoBytes[opcode_] == 'i' || opcode_ == 0x77);
    return is_of_two ? kTwoBytes.substr(opcode_, 1) : "m";
  }

  bool read_part(char part, Instruction& found) {
    const size_t usual = is_short_ && !is_wide_ ? 2 : 4;
    switch (part) {
      case 'm':
        read_operand();
        return true;
      case 'i':
        read_operand();
        skip(1);
        return true;
      case 'I':
        read_operand();
        skip(usual);
        return true;
      case 't':
      case 'T':
        skip(read_operand() < 2 ? (part == 't' ? 1 : usual) : 0);
        return true;
      case '1':
      case '2':
      case '3':
        first_immediate_ = peek();
        skip(static_cast<size_t>(part - '0'));
        return true;
      case 'z':
        skip(usual);
        return true;
      case 'v':
        skip(is_wide_ ? 8 : usual);
        return true;
      case 'o':
        skip(has_short_addresses_ ? 4 : 8);
        return true;
      case 's':
      case 'l':
        found.jump = number(part == 's' ? 1 : 4);
        return true;
      default:
        return part == '.';
    }
  }

  // ModR/M with what belongs to it. Its middle field, which names one of a group of instructions.
  int read_operand() {
    modrm_ = next();
    const int mode = modrm_ >> 6;
    const int base = mode != 3 && (modrm_ & 7) == 4 ? next() & 7 : modrm_ & 7;
    if (mode == 1) {
      skip(1);
    } else if (mode == 2 || (mode == 0 && base == 5)) {
      skip(4);
    }
    return (modrm_ >> 3) & 7;
  }

  const char* entry() const {
    if (is_vector_) {
      return nullptr;
    }
    if (map_ == kMapOneByte) {
      return opcode_ == 0xcd && first_immediate_ == 0x80 ? "int 0x80" : nullptr;
    }
    if (map_ != kMap0F) {
      return nullptr;
    }
    if (opcode_ == 0x05) {
      return "syscall";
    }
    const bool is_hypercall = opcode_ == 0x01 && (modrm_ == 0xc1 || modrm_ == 0xd9);
    return opcode_ == 0x34 ? "sysenter" : is_hypercall ? "vmcall" : nullptr;
  }

  Bytes code_;
  size_t at_ = 0;
  bool is_cut_ = false;
  bool is_short_ = false;  // the prefix 66
  bool has_short_addresses_ = false;
  bool is_wide_ = false;  // REX.W
  bool is_vector_ = false;
  int map_ = kMapOneByte;
  uint8_t opcode_ = 0;
  uint8_t modrm_ = 0;
  uint8_t first_immediate_ = 0;
};

}  // namespace

std::optional<Instruction> decode(Bytes code) { return Reader(code).read(); }

}  // namespace stitch::elf
