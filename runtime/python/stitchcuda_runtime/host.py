# SPDX-License-Identifier: Apache-2.0
"""Calls through recorded CUDA graphs: runtime/include/stitch_host.h."""

from __future__ import annotations

import ctypes as c
import os

from . import structures as s
from .emulator import HOST_LAYER, find_emulator


class HostTable(c.Structure):
    """StitchHostV1."""

    _fields_ = [
        ("struct_size", c.c_uint32),
        ("abi_version", c.c_uint32),
        ("create_graphs", c.CFUNCTYPE(c.c_void_p, c.POINTER(s.ProgramTable), s.Handle)),
        ("run", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(s.Call))),
        ("clear", c.CFUNCTYPE(None, c.c_void_p)),
        ("replays", c.CFUNCTYPE(c.c_uint64, c.c_void_p)),
        ("destroy_graphs", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class Graphs:
    """A cache of recorded graphs over one program's handle, which must outlive it."""

    def __init__(self, layer: c.CDLL, table: s.ProgramTable, handle: s.Handle) -> None:
        layer.stitch_host_v1.restype = c.POINTER(HostTable)
        self._table = layer.stitch_host_v1().contents
        self._graphs = self._table.create_graphs(c.byref(table), handle)
        if not self._graphs:
            raise MemoryError("There is no memory for a cache of graphs.")

    def __del__(self) -> None:
        if getattr(self, "_graphs", None):
            self._table.destroy_graphs(self._graphs)
            self._graphs = None

    def run(self, call: s.Call) -> int:
        """As the program's own run."""
        return self._table.run(self._graphs, c.byref(call))

    def clear(self) -> None:
        """Forgets every graph: after a prepare() with memory elsewhere."""
        self._table.clear(self._graphs)

    @property
    def replays(self) -> int:
        return self._table.replays(self._graphs)


def host_layer(library: c.CDLL, emulated: bool) -> c.CDLL | None:
    """The library that has the host layer for `library`, or None."""
    if hasattr(library, "stitch_host_v1"):
        return library
    path = os.path.join(os.path.dirname(find_emulator()), HOST_LAYER) if emulated else ""
    return c.CDLL(path) if os.path.isfile(path) else None
