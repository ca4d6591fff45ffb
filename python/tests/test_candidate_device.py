# SPDX-License-Identifier: Apache-2.0
"""How a candidate in Python reaches memory on a GPU, against a CUDA runtime of the test's own: it runs in the host's
memory, writes down what it was asked for and fails when it is told to."""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
import tempfile
import unittest

import torch
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.cuda_device import CudaDevice
from stitchcuda_candidate.cuda_runtime import loaded_library
from stitchcuda_candidate.eviction import eviction_beside
from stitchcuda_candidate.memory import Memory
from stitchcuda_candidate.over import tensor_over

# A handle's first eight bytes are the address that it opens.
_RUNTIME = r"""
#include <stdlib.h>
#include <string.h>
typedef struct { unsigned char reserved[64]; } handle;
char told[4096];
int failing = 0, broken = 0;
static int tell(const char* what) { strcat(told, what); strcat(told, " "); return failing; }
int cudaIpcOpenMemHandle(void** made, handle opened, unsigned flags) {
  memcpy(made, opened.reserved, sizeof(*made));
  return tell(flags == 1 ? "open" : "open-otherwise");
}
int cudaIpcCloseMemHandle(void* memory) { (void)memory; return tell("close"); }
int cudaMalloc(void** made, size_t size) { *made = malloc(size); return failing; }
int cudaMallocHost(void** made, size_t size) { *made = malloc(size); return failing; }
int cudaFree(void* memory) { free(memory); return tell("free"); }
int cudaMemcpy(void* to, const void* from, size_t size, int kind) {
  memcpy(to, from, size);
  return kind == 4 ? failing : 1;
}
int cudaMemcpyAsync(void* to, const void* from, size_t size, int kind, void* stream) {
  memcpy(to, from, size);
  tell(to < from ? "backwards" : "forwards");
  return kind == 4 && stream == NULL ? failing : 1;
}
int cudaMemsetAsync(void* to, int byte, size_t size, void* stream) {
  memset(to, byte, size);
  tell("fill");
  return stream == NULL ? failing : 1;
}
int stitch_copy_alone(void* to, const void* from, unsigned long long size, void* stream) {
  if (size % 16 != 0 || stream != NULL) return 1;
  if (!broken) memcpy(to, from, size);
  tell(to < from ? "alone-backwards" : "alone-forwards");
  return failing;
}
int cudaDeviceSynchronize(void) { return tell("wait"); }
int cudaGetLastError(void) { return failing; }
int cudaDeviceSetLimit(int limit, size_t value) { return limit == 6 && value == 0 ? tell("limit") : 1; }
int cudaCtxResetPersistingL2Cache(void) { return tell("reset"); }
int cudaEventCreate(void** made) { *made = malloc(1); return failing; }
int cudaEventRecord(void* event, void* stream) { (void)event; return stream == NULL ? tell("event") : 1; }
int cudaEventElapsedTime(float* milliseconds, void* start, void* stop) {
  *milliseconds = start != stop ? 1.5f : 0.0f;
  return failing;
}
const char* cudaGetErrorString(int status) { return status == 700 ? "an illegal memory access" : "?"; }
"""


class OverTest(unittest.TestCase):
    """Tensors over memory that PyTorch does not own."""

    def test_every_element_type_lies_where_it_is_said_to(self) -> None:
        for dtype in "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split():
            kept = torch.zeros(6, dtype=getattr(torch, dtype))
            kept[5] = 1
            over = tensor_over(kept.data_ptr(), [2, 3], dtype, "cpu")
            self.assertEqual(over.dtype, kept.dtype)
            self.assertEqual(over.data_ptr(), kept.data_ptr())
            self.assertTrue(torch.equal(over, kept.view(2, 3)), dtype)
            over[0, 0] = 1
            self.assertEqual(kept[0].item(), 1)

    def test_a_tensor_without_axes_has_one_element(self) -> None:
        kept = torch.tensor(3.5)
        over = tensor_over(kept.data_ptr(), [], "float32", "cpu")
        self.assertEqual((over.dim(), over.item()), (0, 3.5))

    def test_the_memory_lives_as_long_as_a_view_of_the_tensor(self) -> None:
        class Owner:
            pass

        import weakref

        owner, kept = Owner(), torch.ones(4)
        seen = weakref.ref(owner)
        view = tensor_over(kept.data_ptr(), [4], "float32", "cpu", owner)[1:]
        del owner
        self.assertIsNotNone(seen())
        del view
        self.assertIsNone(seen())


class CudaDeviceTest(unittest.TestCase):
    """The device's side of a session."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        source = pathlib.Path(cls.folder.name, "runtime.c")
        source.write_text(_RUNTIME, encoding="utf-8")
        cls.library = str(source.with_suffix(".so"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", cls.library, str(source)], check=True)

    def setUp(self) -> None:
        self.runtime = ctypes.CDLL(self.library)
        self.fail_with(0)
        self.device = CudaDevice(self.library)
        self.device.open()
        self.told()

    def fail_with(self, status: int) -> None:
        ctypes.c_int.in_dll(self.runtime, "failing").value = status

    def told(self) -> str:
        text = (ctypes.c_char * 4096).in_dll(self.runtime, "told")
        said = text.value.decode().strip()
        text.value = b""
        return said

    def test_blocks_are_opened_by_their_handles_and_let_go(self) -> None:
        block = torch.arange(64, dtype=torch.uint8)
        handle = block.data_ptr().to_bytes(8, "little").ljust(64, b"\0").hex()
        memory = Memory(self.device)
        memory.attach([{"id": 7, "bytes": 64, "handle": handle}], [])
        self.assertEqual(memory.address({"block": 7, "offset": 8, "bytes": 4}), block.data_ptr() + 8)
        self.assertEqual(memory.extents(), [(block.data_ptr(), 64)])
        with self.assertRaises(ValueError):
            memory.address({"block": 7, "offset": 62, "bytes": 4})
        memory.attach([{"id": 7, "bytes": 32, "handle": handle}], [])
        memory.detach([7, 9])
        self.assertEqual(self.told(), "open open close close")
        with self.assertRaises(Fault):
            memory.attach([{"id": 8, "bytes": 32, "handle": "abcd"}], [])

    def test_bytes_are_compared_to_the_last(self) -> None:
        size = (33 << 20) + 5
        left = torch.zeros(size, dtype=torch.uint8)
        right = left.clone()
        self.assertTrue(self.device.equal(left.data_ptr(), right.data_ptr(), size))
        right[-1] = 1
        self.assertFalse(self.device.equal(left.data_ptr(), right.data_ptr(), size))
        self.assertTrue(self.device.equal(left.data_ptr(), right.data_ptr(), size - 1))
        self.assertTrue(self.device.equal(left.data_ptr(), right.data_ptr(), 0))
        self.assertEqual(self.device.read(right.data_ptr() + size - 2, 2), b"\0\1")

    def test_inputs_that_arrive_late_are_what_they_were(self) -> None:
        given, other = torch.arange(9, dtype=torch.float32), torch.ones(0)
        self.device.arrive_late([(given.data_ptr(), 36), (other.data_ptr(), 0)])
        self.assertEqual(given.tolist(), list(range(9)))
        self.device.settle()
        said = self.told().replace("backwards", "copy").replace("forwards", "copy")
        self.assertEqual(said, "copy fill wait copy wait free")

    def test_what_the_device_reports_is_the_candidates_doing(self) -> None:
        self.fail_with(700)
        with self.assertRaises(Fault) as caught:
            self.device.settle()
        self.assertEqual(caught.exception.location, "device")
        self.assertIn("an illegal memory access", caught.exception.message)

    def test_bursts_evict_to_and_fro_between_two_events(self) -> None:
        self.device.make_room(1024)
        self.device.begin_burst()
        self.device.evict(backwards=False)
        self.device.evict(backwards=True)
        self.device.end_burst()
        self.assertEqual(self.device.burst_us(), 1500.0)
        self.device.make_room(0)
        self.device.evict(backwards=False)
        self.assertEqual(self.told(), "limit reset event forwards backwards event free")

    def test_bursts_evict_by_the_kernel_that_runs_alone(self) -> None:
        device = CudaDevice(self.library, self.library)
        device.open()
        self.assertEqual(self.told(), "fill fill alone-backwards wait free")
        device.make_room(1000)
        device.evict(backwards=False)
        device.evict(backwards=True)
        self.assertEqual(self.told(), "alone-forwards alone-backwards")
        self.fail_with(700)
        with self.assertRaises(Fault) as caught:
            device.evict(backwards=False)
        self.assertEqual(caught.exception.location, "device")

    def test_the_kernels_library_lies_beside_the_observer_or_nowhere(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            observer = pathlib.Path(folder, "libstitch_observer.so")
            self.assertEqual(eviction_beside(str(observer)), "")
            library = observer.with_name("libstitch_eviction.so")
            library.touch()
            self.assertEqual(eviction_beside(str(observer)), str(library))

    def test_a_kernel_that_does_not_work_is_nobodys_fault_but_the_machines(self) -> None:
        ctypes.c_int.in_dll(self.runtime, "broken").value = 1
        self.addCleanup(setattr, ctypes.c_int.in_dll(self.runtime, "broken"), "value", 0)
        with self.assertRaises(Fault) as caught:
            CudaDevice(self.library, self.library).open()
        self.assertIn("does not work on this GPU", caught.exception.message)

    def test_a_gpu_that_keeps_no_lines_is_asked_for_none(self) -> None:
        self.fail_with(801)
        self.device._runtime.forget_persisting_lines()
        self.assertEqual(self.told(), "limit")


class LoadedLibraryTest(unittest.TestCase):
    """Which runtime PyTorch has loaded."""

    def test_it_is_found_among_the_mappings(self) -> None:
        with tempfile.NamedTemporaryFile("w+", encoding="utf-8") as maps:
            maps.write("7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n7f02-7f03 rw-p 0 0:0 0\n")
            maps.flush()
            with self.assertRaises(Fault):
                loaded_library(maps.name)
            maps.write("7f04-7f05 r-xp 00000000 08:01 9 /opt/a folder/libcudart.so.13\n")
            maps.flush()
            self.assertEqual(loaded_library(maps.name), "/opt/a folder/libcudart.so.13")


if __name__ == "__main__":
    unittest.main()
