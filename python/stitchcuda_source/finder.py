# SPDX-License-Identifier: Apache-2.0
"""Goes through the candidate's own part of a syntax tree and tells what stands out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from clang.cindex import Cursor, CursorKind

from . import syntax
from .names import OF_THE_EMULATOR, meaning

LONG_TABLE = 512  # numbers: the coefficients of a polynomial are fewer, an answer more
LONG_TEXT = 4096  # bytes

_LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT)
_NUMBERS = (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL)
_REFERENCES = (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.CALL_EXPR)
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_OF_PYBIND = ("def", "mod_def_slots")  # which PYBIND11_MODULE declares
Tell = Callable[..., None]


@dataclass
class Kernel:
    """One with a body."""

    name: str
    cursor: Cursor


@dataclass(frozen=True)
class Place:
    """Where a piece of code runs, as far as the marks of the functions around it say."""

    in_device: bool = False  # perhaps on the host, too
    on_gpu_alone: bool = False

    def within(self, marks: set[str]) -> Place:
        """In a function with these marks, or in a lambda with none."""
        is_device = bool(marks & {"global", "device"})
        return Place(self.in_device or is_device, self.on_gpu_alone or (is_device and "host" not in marks))


@dataclass
class Finder:
    """`tell(cursor, what, audit=False, uncompilable=False)` takes what is found; `is_own` says where a declaration
    stands."""

    tell: Tell
    is_own: Callable[[Cursor], bool]
    text: bytes
    kernels: dict[str, Kernel] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def look_at(self, declarations: list[Cursor]) -> None:
        """All of a unit's own declarations, in order."""
        for declaration in declarations:
            self._visit(declaration, Place())
        for kernel in self.kernels.values():
            # A call that clang does not understand leaves no reference: then the name stands there all the same.
            is_named = len(re.findall(rb"\b%s\b" % re.escape(kernel.name.encode()), self.text)) > 1
            if kernel.cursor.get_usr() not in self.used and not is_named:
                self.tell(kernel.cursor, f"{kernel.name} is never launched")

    def _visit(self, cursor: Cursor, place: Place) -> None:
        kind = cursor.kind
        if cursor.spelling in OF_THE_EMULATOR and cursor.kind.is_declaration():
            self._of_the_emulator(cursor)
        if kind in syntax.FUNCTIONS or kind == CursorKind.LAMBDA_EXPR:
            place = place.within(syntax.marks(cursor))
            self._function(cursor)
        elif kind == CursorKind.VAR_DECL:
            self._variable(cursor)
        elif kind in _LOOPS and not place.in_device:
            if self._works_on_floats(cursor):
                self.tell(cursor, "works on floating-point values in a loop on the host", audit=True)
                self._visit_children(cursor, replace(place, in_device=True))  # once is enough for what it holds
                return
        elif kind in _REFERENCES:
            self._reference(cursor, place)
        elif kind == CursorKind.OVERLOADED_DECL_REF:  # within a template that clang has not instantiated
            self._name(cursor, cursor.spelling)
        elif kind == CursorKind.BINARY_OPERATOR:
            self._comparison(cursor)
        elif kind in (CursorKind.INIT_LIST_EXPR, CursorKind.STRING_LITERAL):
            if self._table(cursor):
                return
        self._visit_children(cursor, place)

    def _visit_children(self, cursor: Cursor, place: Place) -> None:
        for child in cursor.get_children():
            self._visit(child, place)

    def _of_the_emulator(self, cursor: Cursor) -> None:
        if cursor.get_definition() is None:
            what = f"{cursor.spelling} is the emulated device's own: no compiler for GPUs knows it"
            self.tell(cursor, what, uncompilable=True)

    def _function(self, cursor: Cursor) -> None:
        if "global" not in syntax.marks(cursor) or not cursor.is_definition():
            return
        self.kernels[cursor.get_usr()] = Kernel(cursor.spelling, cursor)
        inputs = {
            child.spelling
            for child in cursor.get_children()
            if child.kind == CursorKind.PARM_DECL and syntax.points_to_constant(child.type)
        }
        read = {each.spelling for each in syntax.all_below(cursor) if each.kind == CursorKind.DECL_REF_EXPR}
        if inputs and not inputs & read:
            self.tell(cursor, f"{cursor.spelling} reads none of its inputs", audit=True)
        elif inputs - read:
            self.tell(cursor, f"{cursor.spelling} does not read {', '.join(sorted(inputs - read))}")

    def _variable(self, cursor: Cursor) -> None:
        marks = syntax.marks(cursor)
        if syntax.is_keyed_by_pointer(cursor.type):
            self.tell(cursor, f"finds things again by an address ({cursor.spelling})", audit=True)
        if cursor.spelling in _OF_PYBIND and b"pybind11" in self.text:
            return
        if "shared" in marks or not syntax.outlives_calls(cursor) or syntax.is_constant(cursor.type):
            return
        if marks & {"device", "constant"}:
            self.tell(cursor, f"keeps {cursor.spelling} in device memory from call to call")
        else:
            self.tell(cursor, f"keeps {cursor.spelling} from call to call")

    def _works_on_floats(self, loop: Cursor) -> bool:
        for each in syntax.all_below(loop):
            if each.kind == CursorKind.LAMBDA_EXPR:
                continue
            if each.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR and syntax.is_floating(each.type):
                return True
            if each.kind == CursorKind.UNARY_OPERATOR and syntax.is_floating(each.type):
                children = list(each.get_children())
                if children and syntax.is_pointer(children[0].type):
                    return True
            if each.kind == CursorKind.CALL_EXPR and each.spelling == "operator[]":
                element = each.type.get_pointee() if each.type.get_pointee().spelling else each.type
                if syntax.is_floating(element):
                    return True
        return False

    def _reference(self, cursor: Cursor, place: Place) -> None:
        target = cursor.referenced
        if target is None:
            return
        self.used.add(target.get_usr())
        template = syntax.template_of(target)
        if template is not None:
            self.used.add(template.get_usr())
        if self.is_own(target):
            if place.on_gpu_alone and syntax.is_of_the_host(template or target):
                what = f"{target.spelling} is the host's, and a kernel uses it: no compiler for GPUs takes that"
                self.tell(cursor, what, uncompilable=True)
            return
        if target.kind == CursorKind.CONSTRUCTOR:
            owner = target.semantic_parent
            self._name(cursor, syntax.qualified_name(owner) if owner is not None else "")
        elif target.kind in syntax.FUNCTIONS or target.kind == CursorKind.VAR_DECL:
            self._name(cursor, syntax.qualified_name(target))

    def _name(self, cursor: Cursor, name: str) -> None:
        found = meaning(name)
        if found is not None:
            what, audit = found
            self.tell(cursor, f"{what} ({name})", audit=audit)

    def _comparison(self, cursor: Cursor) -> None:
        sides = list(cursor.get_children())
        if len(sides) != 2 or not all(syntax.is_pointer(_bare(side).type) for side in sides):
            return
        if any(_is_null(side) for side in sides):
            return
        between = self.text[sides[0].extent.end.offset : sides[1].extent.start.offset].decode(errors="replace").strip()
        if between in _COMPARISONS:
            self.tell(cursor, "compares addresses", audit=between in ("==", "!="))

    def _table(self, cursor: Cursor) -> bool:
        if cursor.kind == CursorKind.STRING_LITERAL:
            bytes_long = cursor.extent.end.offset - cursor.extent.start.offset
            if bytes_long > LONG_TEXT:
                self.tell(cursor, f"holds a text of {bytes_long} bytes", audit=True)
            return True
        count = sum(each.kind in _NUMBERS for each in syntax.all_below(cursor))
        if count >= LONG_TABLE:
            self.tell(cursor, f"holds a table of {count} numbers", audit=True)
        return count >= LONG_TABLE


def _bare(cursor: Cursor) -> Cursor:
    """Without the conversions that the compiler put around it: an array that became a pointer is none."""
    while cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def _is_null(cursor: Cursor) -> bool:
    bare = _bare(cursor)
    while bare.kind in (CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_REINTERPRET_CAST_EXPR):  # MAP_FAILED
        bare = _bare(list(bare.get_children())[-1])
    if bare.kind == CursorKind.UNARY_OPERATOR:
        bare = _bare(list(bare.get_children())[-1])
    return bare.kind in (CursorKind.CXX_NULL_PTR_LITERAL_EXPR, CursorKind.GNU_NULL_EXPR, CursorKind.INTEGER_LITERAL)
