// SPDX-License-Identifier: Apache-2.0
#include "elf/code/system_entry.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <vector>

#include "elf/code/instruction.h"

namespace stitch::elf {
namespace {

// Code at offsets of one segment.
class Sweep {
 public:
  explicit Sweep(Bytes code) : code_(code), begins_(code.size(), false) {}

  // From `start` to `end`, or to an instruction that has been read.
  void read(size_t start, size_t end) {
    for (size_t at = start; at < end && !begins_[at] && found_ == nullptr;) {
      begins_[at] = true;
      const std::optional<Instruction> instruction = decode(code_.subspan(at));
      if (!instruction.has_value()) {
        ++at;
        continue;
      }
      found_ = instruction->entry;
      at += instruction->bytes;
      // A target that is no instruction's begin is seen when all code has been read.
      const int64_t target = static_cast<int64_t>(at) + instruction->jump.value_or(0);
      if (instruction->jump.has_value() && target >= 0 && target < static_cast<int64_t>(code_.size())) {
        targets_.push_back(static_cast<size_t>(target));
      }
    }
  }

  void follow_jumps() {
    while (!targets_.empty() && found_ == nullptr) {
      const size_t target = targets_.back();
      targets_.pop_back();
      read(target, code_.size());
    }
  }

  const char* found() const { return found_; }

 private:
  Bytes code_;
  std::vector<bool> begins_;
  std::vector<size_t> targets_;
  const char* found_ = nullptr;
};

// Where code of a segment begins: at its own start and at each section's, between which linkers fill up with zeros.
// Section headers may say anything; whatever they say, all of the segment is read.
std::set<size_t> starts_of(const Image& image, const Elf64_Phdr& segment) {
  std::set<size_t> starts = {0, segment.p_filesz};
  const Elf64_Ehdr& header = image.header();
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > image.bytes().size()) {
    return starts;
  }
  const auto sections = read_objects<Elf64_Shdr>(image.bytes().subspan(header.e_shoff), header.e_shnum, "sections");
  for (const Elf64_Shdr& section : sections.has_value() ? *sections : std::vector<Elf64_Shdr>()) {
    const uint64_t within = section.sh_addr - segment.p_vaddr;
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_addr >= segment.p_vaddr && within < segment.p_filesz) {
      starts.insert(within);
    }
  }
  return starts;
}

}  // namespace

std::string find_system_entry(Bytes library) {
  const Result<Image> image = Image::parse(library);
  if (!image.has_value()) {
    return {};
  }
  for (const Elf64_Phdr& segment : image->segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) {
      continue;
    }
    Sweep sweep(library.subspan(segment.p_offset, segment.p_filesz));
    const std::set<size_t> starts = starts_of(*image, segment);
    for (auto start = starts.begin(); std::next(start) != starts.end(); ++start) {
      sweep.read(*start, *std::next(start));
    }
    sweep.follow_jumps();
    if (sweep.found() != nullptr) {
      return sweep.found();
    }
  }
  return {};
}

std::optional<std::string> system_entry_refusal(Bytes library) {
  const std::string entry = find_system_entry(library);
  if (entry.empty()) {
    return std::nullopt;
  }
  return fmt::format("the library enters the system by an instruction of its own ({}): no kernel needs that", entry);
}

}  // namespace stitch::elf
