// SPDX-License-Identifier: Apache-2.0
#include "observer/sealed_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "observer/ledger.h"

namespace {

constexpr uintptr_t kPage = 4096;
constexpr int kSealedStatus = 98;

enum class Kind : uint8_t { kNeeded, kEngine, kLoop, kPlainName };

struct Function {
  uintptr_t start;
  Kind kind;
};

struct Run {
  uintptr_t start, end;  // of pages, where they lie in this process
  off_t offset;          // in the file
};

std::vector<Run> runs;  // in order
int file = -1;
std::atomic<bool> is_sealed{false};
struct sigaction earlier {};  // the emulated device may have looked at faults first

bool holds(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

// Loops are compiled once for each instruction set, in a namespace with its name. Copying and filling is what PyTorch
// may do.
bool is_loop(std::string_view name) {
  constexpr std::array<std::string_view, 3> kSets = {"7DEFAULT", "4AVX2", "6AVX512"};
  constexpr std::array<std::string_view, 6> kMoving = {"copy", "Copy", "fill", "Fill", "conj", "neg"};
  const auto is_in = [&](std::string_view part) { return holds(name, part); };
  return holds(name, "2at6native") && std::any_of(kSets.begin(), kSets.end(), is_in) &&
         std::none_of(kMoving.begin(), kMoving.end(), is_in);
}

// How many threads there are is asked of MKL wherever PyTorch divides work, copying too.
bool is_service(std::string_view name) {
  return name.starts_with("mkl_serv_") || name.starts_with("MKL_") || name.starts_with("mkl_set_") ||
         name.starts_with("mkl_get_");
}

// They run graphs without asking the dispatcher.
bool is_other_executor(std::string_view name) {
  return holds(name, "5torch3jit10tensorexpr") || holds(name, "5torch3jit13StaticRuntime") ||
         holds(name, "5torch3jit12StaticModule") || holds(name, "5torch3jit13ProcessedNode");
}

Kind kind_of(std::string_view name) {
  if (is_service(name)) {
    return Kind::kNeeded;
  }
  if (name.starts_with("mkl_") || name.starts_with("dnnl_") || name.starts_with("_ZN4dnnl") ||
      name.starts_with("_ZNK4dnnl") || is_other_executor(name)) {
    return Kind::kEngine;
  }
  if (!name.starts_with("_Z")) {
    return Kind::kPlainName;
  }
  return is_loop(name) ? Kind::kLoop : Kind::kNeeded;
}

// A file as it lies on the disk: the table of all symbols is not loaded with a library.
struct Mapped {
  explicit Mapped(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) == 0) {
      size = static_cast<size_t>(status.st_size);
      void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      bytes = mapped == MAP_FAILED ? nullptr : static_cast<const char*>(mapped);
    }
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (bytes != nullptr) {
      ::munmap(const_cast<char*>(bytes), size);
    }
  }
  template <typename T>
  const T* at(uint64_t offset, uint64_t count = 1) const {
    const bool fits = bytes != nullptr && offset <= size && count <= (size - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(bytes + offset) : nullptr;
  }
  const char* bytes = nullptr;
  size_t size = 0;
};

std::vector<Function> functions_of(const Mapped& image, const Elf64_Shdr* sections, uint64_t count) {
  std::vector<Function> found;
  const auto* table =
      std::find_if(sections, sections + count, [](const auto& each) { return each.sh_type == SHT_SYMTAB; });
  if (table == sections + count || table->sh_link >= count) {
    return found;
  }
  const Elf64_Shdr& texts = sections[table->sh_link];
  const uint64_t symbols = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbol = image.at<Elf64_Sym>(table->sh_offset, symbols);
  const char* names = image.at<char>(texts.sh_offset, texts.sh_size);
  for (uint64_t i = 0; symbol != nullptr && names != nullptr && i < symbols; ++i, ++symbol) {
    const int type = ELF64_ST_TYPE(symbol->st_info);
    const bool is_code = (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
                         symbol->st_shndx < count && (sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR) != 0;
    if (is_code && symbol->st_name < texts.sh_size) {
      const char* name = names + symbol->st_name;
      found.push_back({symbol->st_value, kind_of({name, ::strnlen(name, texts.sh_size - symbol->st_name)})});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return found;
}

// A C function's name says nothing; between two of an engine's it is that engine's.
void decide_plain_names(std::vector<Function>& functions) {
  Kind before = Kind::kNeeded;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].kind != Kind::kPlainName) {
      before = functions[i].kind;
      continue;
    }
    size_t end = i;
    while (end < functions.size() && functions[end].kind == Kind::kPlainName) {
      ++end;
    }
    const bool is_between = before == Kind::kEngine && end < functions.size() && functions[end].kind == Kind::kEngine;
    for (; i < end; ++i) {
      functions[i].kind = is_between ? Kind::kEngine : Kind::kNeeded;
    }
    --i;
  }
}

// Whole pages between functions that are needed; several symbols may have one address.
void add_runs(const std::vector<Function>& functions, uintptr_t base, const Elf64_Phdr& segment) {
  uintptr_t start = 0;
  bool is_open = false;
  for (size_t i = 0; i < functions.size(); ++i) {
    const bool is_needed = functions[i].kind == Kind::kNeeded;
    if (!is_needed && !is_open) {
      start = functions[i].start;
    }
    if (is_needed && is_open) {
      const uintptr_t first = (start + kPage - 1) / kPage * kPage;
      const uintptr_t last = functions[i].start / kPage * kPage;
      if (first < last && first >= segment.p_vaddr && last <= segment.p_vaddr + segment.p_filesz) {
        runs.push_back({base + first, base + last, static_cast<off_t>(first - segment.p_vaddr + segment.p_offset)});
      }
    }
    is_open = !is_needed;
  }
}

bool is_in_sealed(uintptr_t address) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), address,
                                      [](uintptr_t wanted, const Run& run) { return wanted < run.start; });
  return after != runs.begin() && address < (after - 1)->end;
}

void hand_on(int number, siginfo_t* information, void* context) {
  if ((earlier.sa_flags & SA_SIGINFO) != 0) {
    earlier.sa_sigaction(number, information, context);
  } else {
    ::signal(number, SIG_DFL);  // it happens again, and ends the process as ever
    if (information->si_code <= 0) {
      ::raise(number);  // it was sent, which going on does not repeat
    }
  }
}

void on_fault(int number, siginfo_t* information, void* context) {
  const auto at = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (!is_in_sealed(at)) {
    hand_on(number, information, context);
    return;
  }
  if (!is_sealed.load()) {
    return;  // another thread gave it back meanwhile
  }
  Dl_info found{};
  const bool is_named = ::dladdr(reinterpret_cast<void*>(at), &found) != 0 && found.dli_sname != nullptr;
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "ran code of PyTorch past its dispatcher, by its address: %.64s",
                is_named ? found.dli_sname : "it has no name");
  write_to_ledger("event", text.data());
  ::_exit(kSealedStatus);
}

void watch_faults() {
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &earlier);
}

}  // namespace

void find_code_to_seal(void* torch) {
  const link_map* map = nullptr;
  if (::dlinfo(torch, RTLD_DI_LINKMAP, &map) != 0 || (file = ::open(map->l_name, O_RDONLY | O_CLOEXEC)) < 0) {
    return;
  }
  const Mapped image(file);
  const auto* header = image.at<Elf64_Ehdr>(0);
  const auto* sections = header == nullptr ? nullptr : image.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  const auto* segments = header == nullptr ? nullptr : image.at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (sections == nullptr || segments == nullptr) {
    return;
  }
  std::vector<Function> functions = functions_of(image, sections, header->e_shnum);
  decide_plain_names(functions);
  for (const Elf64_Phdr* each = segments; each != segments + header->e_phnum; ++each) {
    if (each->p_type == PT_LOAD && (each->p_flags & PF_X) != 0) {
      add_runs(functions, map->l_addr, *each);
    }
  }
}

void seal_code() {
  if (runs.empty() || is_sealed.exchange(true)) {
    return;
  }
  watch_faults();
  std::atexit(&unseal_code);  // the libraries put themselves away
  for (const Run& run : runs) {
    ::mprotect(reinterpret_cast<void*>(run.start), run.end - run.start, PROT_READ);
  }
}

// The file anew: a right to execute, once given up, is not given back by the cage's filter.
void unseal_code() {
  if (!is_sealed.exchange(false)) {
    return;
  }
  for (const Run& run : runs) {
    ::mmap(reinterpret_cast<void*>(run.start), run.end - run.start, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
           file, run.offset);
  }
}
