// SPDX-License-Identifier: Apache-2.0
#include "observer/python_place.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// Of Python's C interface (stable since 3.9), by name: one build serves every interpreter.
struct Python {
  void* (*this_thread)();
  int (*ensure)();
  void (*release)(int);
  void* (*frame)();
  void* (*frame_code)(void*);
  void* (*frame_back)(void*);
  int (*frame_line)(void*);
  void* (*attribute)(void*, const char*);
  const char* (*utf8)(void*);
  void (*decrement)(void*);
  void (*increment)(void*);
  void (*clear_error)();
};

template <typename Function>
bool find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all(Python& python) {
  return find(python.this_thread, "PyGILState_GetThisThreadState") && find(python.ensure, "PyGILState_Ensure") &&
         find(python.release, "PyGILState_Release") && find(python.frame, "PyEval_GetFrame") &&
         find(python.frame_code, "PyFrame_GetCode") && find(python.frame_back, "PyFrame_GetBack") &&
         find(python.frame_line, "PyFrame_GetLineNumber") && find(python.attribute, "PyObject_GetAttrString") &&
         find(python.utf8, "PyUnicode_AsUTF8") && find(python.decrement, "Py_DecRef") &&
         find(python.increment, "Py_IncRef") && find(python.clear_error, "PyErr_Clear");
}

std::array<char, 4096> candidate_folder{};

bool is_candidate(const char* file) {
  const size_t length = std::strlen(candidate_folder.data());
  return length > 0 && std::strncmp(file, candidate_folder.data(), length) == 0;
}

// Writes the frame's place when it is the candidate's.
bool describe(const Python& python, void* frame, PythonPlace& place) {
  bool found = false;
  void* code = python.frame_code(frame);
  void* name = code == nullptr ? nullptr : python.attribute(code, "co_filename");
  const char* file = name == nullptr ? nullptr : python.utf8(name);
  if (file != nullptr && is_candidate(file)) {
    const char* slash = std::strrchr(file, '/');
    std::snprintf(place.text.data(), place.text.size(), "%s:%d", slash == nullptr ? file : slash + 1,
                  python.frame_line(frame));
    found = true;
  }
  python.clear_error();
  for (void* object : {name, code}) {
    if (object != nullptr) {
      python.decrement(object);
    }
  }
  return found;
}

// The code objects on this thread's stack, innermost first. They live as long as their frames do.
std::vector<void*> codes_on_stack(const Python& python) {
  std::vector<void*> codes;
  void* frame = python.frame();
  if (frame != nullptr) {
    python.increment(frame);
  }
  while (frame != nullptr) {
    void* code = python.frame_code(frame);
    codes.push_back(code);
    python.decrement(code);
    void* outer = python.frame_back(frame);
    python.decrement(frame);
    frame = outer;
  }
  return codes;
}

std::vector<void*>& own_codes() {
  static std::vector<void*> codes;
  return codes;
}

void* outermost_code = nullptr;

}  // namespace

void set_own_code(void* const* codes, size_t count) {
  Python python{};
  if (!find_all(python) || outermost_code != nullptr) {
    return;
  }
  own_codes().assign(codes, codes + count);
  const std::vector<void*> above = codes_on_stack(python);
  own_codes().insert(own_codes().end(), above.begin(), above.end());
  outermost_code = above.empty() ? nullptr : above.back();
  for (void* code : own_codes()) {
    python.increment(code);  // nothing else may ever lie at its address
  }
  std::sort(own_codes().begin(), own_codes().end());
}

bool only_own_code_runs() {
  Python python{};
  if (!find_all(python) || outermost_code == nullptr) {
    return false;
  }
  const std::vector<void*> codes = codes_on_stack(python);
  return !codes.empty() && codes.back() == outermost_code && std::all_of(codes.begin(), codes.end(), [](void* code) {
    return std::binary_search(own_codes().begin(), own_codes().end(), code);
  });
}

void set_candidate_folder(const char* folder) {
  std::snprintf(candidate_folder.data(), candidate_folder.size(), "%s", folder);
}

PythonPlace python_place() {
  PythonPlace place;
  Python python{};
  // A thread that Python does not know has no line, and must not wait for the interpreter.
  if (!find_all(python) || python.this_thread() == nullptr) {
    return place;
  }
  const int state = python.ensure();
  void* frame = python.frame();
  if (frame != nullptr) {
    python.increment(frame);
  }
  while (frame != nullptr && !describe(python, frame, place)) {
    void* outer = python.frame_back(frame);
    python.decrement(frame);
    frame = outer;
  }
  if (frame != nullptr) {
    python.decrement(frame);
  }
  python.release(state);
  return place;
}
