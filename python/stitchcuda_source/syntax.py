# SPDX-License-Identifier: Apache-2.0
"""Questions to clang's syntax tree that its Python interface does not answer in one word."""

from __future__ import annotations

import re
from typing import Iterator

from clang.cindex import Cursor, CursorKind, StorageClass, Type, TypeKind, conf

_SCOPES = (
    CursorKind.NAMESPACE,
    CursorKind.CLASS_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
)
FUNCTIONS = (
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
)
_FLOATS = (TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE, TypeKind.HALF, TypeKind.FLOAT128)
_FLOAT_TYPES = re.compile(r"\b(__half2?|__nv_bfloat162?|__nv_fp8_\w+|float[1-4]|double[1-4])\b")
_POINTER_KEY = re.compile(r"\b(?:unordered_)?(?:multi)?(?:map|set)<[^,<>]*\*")


def qualified_name(declaration: Cursor) -> str:
    """With its scopes, less those that libraries number their versions by (std::__cxx11, std::chrono::_V2)."""
    names = [declaration.spelling]
    scope = declaration.semantic_parent
    while scope is not None and scope.kind in _SCOPES:
        if scope.spelling and not (scope.kind == CursorKind.NAMESPACE and scope.spelling.startswith("_")):
            names.append(scope.spelling)
        scope = scope.semantic_parent
    return "::".join(reversed(names))


def marks(declaration: Cursor) -> set[str]:
    """ "global", "device", "host", "constant", "shared", "managed": what CUDA's words left of themselves
    (for_reading.h)."""
    return {
        child.spelling.removeprefix("stitch.")
        for child in declaration.get_children()
        if child.kind == CursorKind.ANNOTATE_ATTR and child.spelling.startswith("stitch.")
    }


def template_of(declaration: Cursor) -> Cursor | None:
    """Of an instance of one."""
    return conf.lib.clang_getSpecializedCursorTemplate(declaration)


def all_below(cursor: Cursor) -> Iterator[Cursor]:
    """Every cursor below, in the order of the text."""
    todo = list(reversed(list(cursor.get_children())))
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(list(current.get_children())))


def is_floating(given: Type) -> bool:
    """A number with a fraction, or a vector of such."""
    plain = given.get_canonical()
    return plain.kind in _FLOATS or (plain.kind == TypeKind.RECORD and bool(_FLOAT_TYPES.search(plain.spelling)))


def is_pointer(given: Type) -> bool:
    return given.get_canonical().kind == TypeKind.POINTER


def points_to_constant(given: Type) -> bool:
    plain = given.get_canonical()
    return plain.kind == TypeKind.POINTER and plain.get_pointee().is_const_qualified()


def is_keyed_by_pointer(given: Type) -> bool:
    """A map or set whose keys are addresses."""
    return bool(_POINTER_KEY.search(given.get_canonical().spelling))


def is_constant(given: Type) -> bool:
    """An array is as constant as its elements."""
    plain = given.get_canonical()
    while not plain.is_const_qualified() and plain.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        plain = plain.element_type.get_canonical()
    return plain.is_const_qualified()


def outlives_calls(variable: Cursor) -> bool:
    """Declared outside functions, or static within one."""
    is_local = variable.semantic_parent is not None and variable.semantic_parent.kind in FUNCTIONS
    return not is_local or variable.storage_class == StorageClass.STATIC or variable.tls_kind.value != 0


def is_of_the_host(declaration: Cursor) -> bool:
    """A function or a variable that has a place on the host alone. What the compiler makes, what is constant, and what
    stands in a function are on both sides, or on that function's."""
    every = [each for each in (declaration, declaration.canonical, declaration.get_definition()) if each is not None]
    if any(marks(each) for each in every):
        return False
    if declaration.kind == CursorKind.VAR_DECL:
        is_global = declaration.semantic_parent is not None and declaration.semantic_parent.kind not in FUNCTIONS
        return is_global and not is_constant(declaration.type)
    if declaration.kind not in (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE):
        return False
    heads = [_head(each) for each in every]
    is_written = all("(" in head for head in heads)  # of what the compiler makes there is no text
    is_constant_function = any(set(head) & {"constexpr", "consteval", "default", "delete"} for head in heads)
    return declaration.spelling != "operator()" and is_written and not is_constant_function


def _head(declaration: Cursor) -> list[str]:
    """What stands before the body of a function."""
    words = []
    for token in declaration.get_tokens():
        if token.spelling == "{":
            break
        words.append(token.spelling)
    return words
