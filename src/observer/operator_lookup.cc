// SPDX-License-Identifier: Apache-2.0
// Two functions of PyTorch's that reach kernels past every observer, and what Python gets in their places; the
// originals are held here, where neither names nor the garbage collector's lists lead to them.
//
// torch._C._get_operation_overload hands out, beside an operator, a function that calls the kernel of a given dispatch
// key. In its place Python gets a function that leaves that one out.
//
// _DispatchOperatorHandle.redispatch_boxed calls an operator's kernel below a dispatch key. PyTorch's own Python needs
// it where a candidate registers an operator in Python: it is left for those, and not for PyTorch's.
#include <dlfcn.h>

#include <initializer_list>

#include "observer/known_operators.h"
#include "observer/observer.h"

namespace {

struct MethodDefinition {  // PyMethodDef
  const char* name;
  void* function;
  int flags;
  const char* doc;
};
constexpr int kPositionalArguments = 1;  // METH_VARARGS
constexpr int kNamedArguments = 2;       // METH_KEYWORDS
constexpr long kBypass = 1;              // its place in (operator, bypass, tags)

template <typename Function>
Function python(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

void* original = nullptr;
void* original_redispatch = nullptr;
void* schema_of = nullptr;  // the getters as they were: types can be changed
void* name_of = nullptr;

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

void* called(void* function, void* object) {
  return object == nullptr ? nullptr : python<void* (*)(void*, void*)>("PyObject_CallOneArg")(function, object);
}

bool is_pytorchs_own(void* handle) {
  const auto decrement = python<void (*)(void*)>("Py_DecRef");
  void* schema = called(schema_of, handle);
  void* name = called(name_of, schema);
  const char* text = name == nullptr ? nullptr : python<const char* (*)(void*)>("PyUnicode_AsUTF8")(name);
  const bool is_own = text == nullptr || is_known_operator(text);
  for (void* object : {name, schema}) {
    if (object != nullptr) {
      decrement(object);
    }
  }
  return is_own;
}

void* redispatch(void* /*self*/, void* arguments, void* named) {
  void* handle = python<void* (*)(void*, long)>("PyTuple_GetItem")(arguments, 0);
  if (handle == nullptr || is_pytorchs_own(handle)) {
    python<void (*)()>("PyErr_Clear")();
    python<void (*)(void*, const char*)>("PyErr_SetString")(
        *python<void**>("PyExc_RuntimeError"), "redispatch_boxed is there for operators of the candidate's own alone");
    return nullptr;
  }
  return python<void* (*)(void*, void*, void*)>("PyObject_Call")(original_redispatch, arguments, named);
}

// What answers for `name` of an object of that type: a property's function, or a method's.
void* getter(void* type, const char* name) {
  const auto attribute = python<void* (*)(void*, const char*)>("PyObject_GetAttrString");
  void* found = attribute(type, name);
  void* function = found == nullptr ? nullptr : attribute(found, "fget");
  python<void (*)()>("PyErr_Clear")();
  return function == nullptr ? found : function;
}

MethodDefinition definition = {"_get_operation_overload", reinterpret_cast<void*>(&look_up), kPositionalArguments,
                               nullptr};

MethodDefinition redispatch_definition = {"redispatch_own", reinterpret_cast<void*>(&redispatch),
                                          kPositionalArguments | kNamedArguments, nullptr};

}  // namespace

extern "C" void* stitch_observer_guard_redispatch(void* function, void* handle_type, void* schema_type) {
  schema_of = getter(handle_type, "schema");
  name_of = getter(schema_type, "name");
  if (schema_of == nullptr || name_of == nullptr) {
    return nullptr;
  }
  original_redispatch = function;
  python<void (*)(void*)>("Py_IncRef")(function);
  void* inner = python<void* (*)(void*, const char*)>("PyObject_GetAttrString")(function, "__func__");
  for (void* held : {function, inner, schema_of, name_of}) {
    if (held == nullptr) {
      python<void (*)()>("PyErr_Clear")();
      continue;
    }
    python<void (*)(void*)>("PyObject_GC_UnTrack")(held);
  }
  void* made =
      python<void* (*)(MethodDefinition*, void*, void*)>("PyCFunction_NewEx")(&redispatch_definition, nullptr, nullptr);
  return made == nullptr ? nullptr : python<void* (*)(void*)>("PyInstanceMethod_New")(made);
}

extern "C" void* stitch_observer_guard(void* function) {
  original = function;
  python<void (*)(void*)>("Py_IncRef")(function);
  python<void (*)(void*)>("PyObject_GC_UnTrack")(function);
  return python<void* (*)(MethodDefinition*, void*, void*)>("PyCFunction_NewEx")(&definition, nullptr, nullptr);
}
