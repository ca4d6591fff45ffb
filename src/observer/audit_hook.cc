// SPDX-License-Identifier: Apache-2.0
#include "observer/audit_hook.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "observer/ledger.h"
#include "observer/library_places.h"

namespace {

constexpr const char* kProcesses =
    "subprocess.Popen\nos.system\nos.exec\nos.fork\nos.forkpty\nos.posix_spawn\nos.spawn\nos.startfile\npty.spawn";

// Of Python's C interface, by name: one build serves every interpreter.
struct Python {
  int (*add_hook)(int (*)(const char*, void*, void*), void*);
  void* (*item)(void*, long);
  long (*size)(void*);
  const char* (*text)(void*);
  char* (*bytes)(void*);
  long (*length)(void*);
  void* (*attribute)(void*, const char*);
  void* (*as_pointer)(void*);
  long (*as_long)(void*);
  void* (*modules)();
  void* (*entry)(void*, const char*);
  void (*decrement)(void*);
  void (*clear)();
  void (*raise)(void*, const char*);
  void** permission_error;
  void* none;
};

Python python{};
std::string computing_modules, compiling_modules, looked_up_names;

template <typename Function>
bool find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all() {
  return find(python.add_hook, "PySys_AddAuditHook") && find(python.item, "PyTuple_GetItem") &&
         find(python.size, "PyTuple_Size") && find(python.text, "PyUnicode_AsUTF8") &&
         find(python.bytes, "PyBytes_AsString") &&
         find(python.length, "PyBytes_Size") && find(python.attribute, "PyObject_GetAttrString") &&
         find(python.as_pointer, "PyLong_AsVoidPtr") && find(python.as_long, "PyLong_AsLong") &&
         find(python.modules, "PyImport_GetModuleDict") && find(python.entry, "PyDict_GetItemString") &&
         find(python.decrement, "Py_DecRef") && find(python.clear, "PyErr_Clear") &&
         find(python.raise, "PyErr_SetString") && find(python.permission_error, "PyExc_PermissionError") &&
         find(python.none, "_Py_NoneStruct");
}

// The text of a str or bytes; no other object is asked, since it could answer differently the next time.
bool read_text(void* object, std::string& text) {
  const char* found = python.text(object);
  if (found == nullptr) {
    python.clear();
    found = python.bytes(object);
  }
  if (found == nullptr) {
    python.clear();
    return false;
  }
  text = found;
  return true;
}

void* argument(void* arguments, long number) {
  return python.size(arguments) > number ? python.item(arguments, number) : nullptr;
}

LibraryJudgement event(std::string what) { return {"event", std::move(what)}; }

LibraryJudgement judged_opening(void* name) {
  std::string text;
  if (name == nullptr || name == python.none) {
    return {};
  }
  return read_text(name, text) ? judged_library(text) : event("opened a library by something that is no text");
}

bool is_of_the_observer(const void* address) {
  Dl_info found{};
  Dl_info own{};
  return address != nullptr && ::dladdr(address, &found) != 0 &&
         ::dladdr(reinterpret_cast<const void*>(&is_one_of_lines), &own) != 0 && found.dli_fbase == own.dli_fbase;
}

// `holder` is a library of ctypes, or a handle.
LibraryJudgement judged_lookup(void* holder, void* name, bool is_handle) {
  std::string text;
  if (holder == nullptr || name == nullptr || !read_text(name, text)) {
    return event("looked up something that is no name");
  }
  if (is_one_of_lines(looked_up_names, text)) {
    return event("looked up " + text);
  }
  void* handle = is_handle ? holder : python.attribute(holder, "_handle");
  void* library = handle == nullptr ? nullptr : python.as_pointer(handle);
  if (!is_handle && handle != nullptr) {
    python.decrement(handle);
  }
  python.clear();
  const void* found = ::dlsym(library, text.c_str());
  if (is_of_the_observer(found)) {
    return event("looked up " + text + ", which watches it");
  }
  const std::string owner = computing_library_at(found);
  return owner.empty() ? LibraryJudgement{} : event("looked up " + text + " in " + owner);
}

LibraryJudgement judged_import(void* module, void* file) {
  std::string name, path;
  if (module == nullptr || !read_text(module, name)) {
    return {};
  }
  const std::string top = name.substr(0, name.find('.'));
  if (is_one_of_lines(computing_modules, top)) {
    void* there = python.entry(python.modules(), top.c_str());
    if (there != python.none) {  // None hides it: there the import fails by itself
      return event("imported " + top);
    }
  }
  if (is_one_of_lines(compiling_modules, name)) {
    return {"operator", "torch.compile"};
  }
  if (file == nullptr || file == python.none) {
    return {};
  }
  return read_text(file, path) ? judged_module(name, path) : event("imported a file whose name is no text");
}

// A file that is open, by its number: code could be mapped anew, where nobody has sealed it.
LibraryJudgement judged_mapping(void* number) {
  const long descriptor = number == nullptr ? -1 : python.as_long(number);
  python.clear();
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  if (descriptor < 0 || ::readlink(link.c_str(), path.data(), path.size() - 1) <= 0 ||
      !is_computing_library(path.data())) {
    return {};
  }
  const std::string file = path.data();
  return event("mapped " + file.substr(file.rfind('/') + 1));
}

// The bytecode that an import opened last.
thread_local std::string opened_bytecode;

void note_opening(void* name) {
  std::string path;
  if (name != nullptr && read_text(name, path) && path.ends_with(".pyc")) {
    opened_bytecode = path;
  }
}

// What a .pyc begins with before its code.
constexpr size_t kBytecodeHead = 16;

std::string contents_of(const std::string& path) {
  std::string contents;
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return contents;
  }
  std::array<char, 65536> part{};
  for (size_t size = 0; (size = std::fread(part.data(), 1, part.size(), file)) > 0;) {
    contents.append(part.data(), size);
  }
  std::fclose(file);
  return contents;
}

// Code that was compiled before is an installed package's, and lies where a candidate cannot write.
LibraryJudgement judged_code(void* packed) {
  const char* bytes = packed == nullptr ? nullptr : python.bytes(packed);
  python.clear();
  if (bytes != nullptr && is_installed(opened_bytecode)) {
    const std::string_view code(bytes, static_cast<size_t>(python.length(packed)));
    const std::string known = contents_of(opened_bytecode);
    if (known.size() == kBytecodeHead + code.size() && known.compare(kBytecodeHead, code.size(), code) == 0) {
      return {};
    }
  }
  return event("loaded code that is in no source");
}

LibraryJudgement judged(const char* name, void* arguments) {
  const std::string_view event_name = name;
  if (event_name == "import") {
    return judged_import(argument(arguments, 0), argument(arguments, 1));
  }
  if (event_name == "ctypes.dlopen") {
    return judged_opening(argument(arguments, 0));
  }
  if (event_name == "ctypes.dlsym" || event_name == "ctypes.dlsym/handle") {
    return judged_lookup(argument(arguments, 0), argument(arguments, 1), event_name == "ctypes.dlsym/handle");
  }
  if (event_name == "open") {
    note_opening(argument(arguments, 0));
    return {};
  }
  if (event_name == "marshal.loads" || event_name == "marshal.load") {
    return judged_code(argument(arguments, 0));
  }
  if (event_name == "mmap.__new__") {
    return judged_mapping(argument(arguments, 0));
  }
  if (event_name == "cpython.PyInterpreterState_New") {
    return event("started another interpreter");
  }
  return is_one_of_lines(kProcesses, event_name) ? event("started another process") : LibraryJudgement{};
}

int on_event(const char* name, void* arguments, void* /*data*/) {
  const LibraryJudgement said = judged(name, arguments);
  if (said.kind == nullptr) {
    return 0;
  }
  write_to_ledger(said.kind, said.what.c_str());
  if (std::strcmp(said.kind, "event") != 0) {
    return 0;
  }
  python.raise(*python.permission_error, said.what.c_str());
  return -1;
}

}  // namespace

extern "C" int stitch_observer_audit(const char* computing, const char* compiling, const char* looked_up) {
  static std::atomic<bool> is_started{false};
  if (is_started.exchange(true) || !find_all()) {
    return 0;  // once: a candidate that finds this function would name lists of its own
  }
  computing_modules = computing;
  compiling_modules = compiling;
  looked_up_names = looked_up;
  return python.add_hook(&on_event, nullptr) == 0 ? 1 : 0;
}
