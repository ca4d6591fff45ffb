// SPDX-License-Identifier: Apache-2.0
// torch._C._get_operation_overload hands out, beside an operator, a function that calls the kernel of a given dispatch
// key, past every observer. In its place Python gets a function that leaves that one out; the original is held here,
// where neither names nor the garbage collector's lists lead to it.
#include <dlfcn.h>

#include "observer/observer.h"

namespace {

struct MethodDefinition {  // PyMethodDef
  const char* name;
  void* (*function)(void*, void*);
  int flags;
  const char* doc;
};
constexpr int kPositionalArguments = 1;  // METH_VARARGS
constexpr long kBypass = 1;              // its place in (operator, bypass, tags)

template <typename Function>
Function python(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

void* original = nullptr;

void* look_up(void* /*self*/, void* arguments) {
  const auto increment = python<void (*)(void*)>("Py_IncRef");
  const auto item = python<void* (*)(void*, long)>("PyTuple_GetItem");
  void* found = python<void* (*)(void*, void*, void*)>("PyObject_Call")(original, arguments, nullptr);
  // None where there is no such operator.
  if (found == nullptr || python<void* (*)(void*)>("PyObject_Type")(found) != python<void*>("PyTuple_Type")) {
    return found;
  }
  const long size = python<long (*)(void*)>("PyTuple_Size")(found);
  void* copy = python<void* (*)(long)>("PyTuple_New")(size);
  for (long i = 0; copy != nullptr && i < size; ++i) {
    void* part = item(found, i == kBypass ? 0 : i);
    increment(part);
    python<int (*)(void*, long, void*)>("PyTuple_SetItem")(copy, i, part);
  }
  python<void (*)(void*)>("Py_DecRef")(found);
  return copy;
}

MethodDefinition definition = {"_get_operation_overload", &look_up, kPositionalArguments, nullptr};

}  // namespace

extern "C" void* stitch_observer_guard(void* function) {
  original = function;
  python<void (*)(void*)>("Py_IncRef")(function);
  python<void (*)(void*)>("PyObject_GC_UnTrack")(function);
  return python<void* (*)(MethodDefinition*, void*, void*)>("PyCFunction_NewEx")(&definition, nullptr, nullptr);
}
