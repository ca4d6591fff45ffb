# SPDX-License-Identifier: Apache-2.0
"""Programs with complex numbers inside become programs of real ones that mean the same."""

from __future__ import annotations

import os
import unittest
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from stitchcuda_python.failures import Failure
from stitchcuda_python.graph.export import export_program
from stitchcuda_python.oracle.interpret import Interpreter
from stitchcuda_python.program.build import FunctionModule, Program, Request

CPU = torch.device("cpu")
# In each, z is 4 x 6 x 5, v 4 x 6 x 5 and m 4 x 5 x 7, all complex; r is z's real part, p positive, n 3 x 10 x 12 real.
POINTWISE = """z + v; z - 2 * v; torch.add(z, v, alpha=2 - 1j); z * r; r * v; z * (1 - 3j); 1j * r; z / v; z / r
    r / z; z / (3 - 1j); 2 / z; z / (1j * p); torch.rsub(z, v); 1 - z; -z; z.conj() * v; z.abs(); z.angle()
    z.conj().imag; z.real - z.imag; z.square(); z ** 2; z ** 3; z ** -2; z ** 0.5; z.sqrt(); z.exp()
    torch.exp(1j * r); z.log(); z.sin(); z.cos(); z.sgn(); (z == v); (z != z.conj()); torch.polar(p, r)
    torch.complex(r, p); torch.view_as_complex(n.view(3, 10, 6, 2)); torch.view_as_real(z).flatten(1)
    z.to(torch.complex128); z.reciprocal(); torch.addcmul(z, v, z, value=0.5); z.sum().abs(); z.clone()
    z.mul(2).resolve_conj(); (z * 0 + 1).angle(); r + 0j; z.real * v.imag; torch.where(p > 0.5, z, v)
    z.masked_fill(p > 0.5, 2j); torch.where(p > 0.5, z, 0)"""
MOVED = """z.reshape(-1); z.permute(2, 0, 1); z.transpose(0, 2); z[1:, ::2]; z[..., 0]; z[:, [0, 3, 0]]
    z.unsqueeze(1); torch.cat([z, v], 1); torch.cat([z, r], 1); torch.stack([z, v.conj()]); z.flip(1); z.roll(2, -1)
    z.repeat(2, 1, 1); z.expand(2, 4, 6, 5); F.pad(z, (1, 2)); z.tril(); z.sum(1); z.mean(-1); z.mean(); z.cumsum(1)
    z.split(2, -1)[1]; z.chunk(3, 1)[2]; z.unbind(0)[1]; torch.fft.fftshift(z); torch.fft.ifftshift(z, 1)
    z.gather(2, i); z.mT; z.flatten(1); z.narrow(1, 2, 3); torch.zeros_like(z) + v
    torch.ones(5, dtype=torch.cfloat) * z; z.new_zeros(5) + z; z.squeeze(0); torch.full((5,), 2 - 1j) * z
    torch.view_as_real(z[:, 1]); z.diagonal(0, 1, 2); written(z, v); written(torch.zeros(4, 6, 5, dtype=z.dtype), v)"""
PRODUCTS = """torch.linalg.vector_norm(z, 2, -1); z.norm(); n.view(z.dtype); z.view(n.dtype)
    z @ m; z @ v.mT; z @ v.mH; z[0] @ m[0]; torch.einsum("bij,bjk->bik", z, m); z[0] @ v[0, 0]
    torch.einsum("bij,cij->bc", z, v); torch.einsum("bij,ij->bij", z, v[0]); F.linear(z, v[0], v[0, :, 0])
    F.conv1d(z, v[:, :, :3], v[0, :4, 0]); F.conv1d(z[0], v[:, :, :3])
    torch.addmm(z[0, :, :1], z[0], m[0], alpha=2, beta=1j); torch.baddbmm(z[:, :, :1], z, m)
    torch.outer(z[0, 0], v[0, 0]); torch.tensordot(z, v, ([1, 2], [1, 2]))
    F.conv2d(z[None], v.unsqueeze(2)[:2, :4, :, :2], v[0, 0, :2])"""
FOURIER = """torch.fft.fft(n); torch.fft.fft(z); torch.fft.fft(z, dim=1); torch.fft.fft(z, 9, dim=0)
    torch.fft.fft(z, 3); torch.fft.ifft(z); torch.fft.ifft(n, norm="ortho"); torch.fft.fft(n, norm="forward")
    torch.fft.rfft(n); torch.fft.rfft(n, 7); torch.fft.rfft(n, 20, 1, "ortho"); torch.fft.irfft(z)
    torch.fft.irfft(z, 9); torch.fft.irfft(z, 5); torch.fft.irfft(z, 20); torch.fft.irfft(z, 7, 1, "forward")
    torch.fft.fft2(n); torch.fft.fft2(z, s=(4, 8)); torch.fft.ifft2(z, norm="ortho"); torch.fft.rfft2(n)
    torch.fft.rfft2(n, s=(8, 9), dim=(2, 1)); torch.fft.irfft2(z); torch.fft.irfft2(z, s=(7, 9))
    torch.fft.rfft2(n, dim=(0, 1)); torch.fft.irfft2(z, s=(5, 6), dim=(0, 2), norm="forward"); torch.fft.fftn(n)
    torch.fft.ifftn(z, dim=(0, 2)); torch.fft.rfftn(n); torch.fft.irfftn(z); torch.fft.irfftn(z, s=(4, 7))
    torch.fft.fftn(n, (6, 4)); torch.fft.hfft(z); torch.fft.ihfft(n)
    torch.fft.irfft(torch.fft.rfft(n), n.shape[-1]); torch.fft.fft(torch.fft.fft(n), dim=1).real; torch.fft.irfft(n)
    torch.fft.fft(n[0, 0]); torch.fft.rfft(n[:, :, :1]); torch.fft.ifft(torch.fft.fft(z, dim=1), dim=1)
    torch.fft.hfft2(z); torch.fft.ihfft2(n); torch.fft.ifft(z, 1100, 1); torch.fft.rfft(n, 1030)
    torch.fft.rfft(n, 1035); torch.fft.irfft(z, 1100); torch.fft.irfft(z, 1035); torch.fft.rfft(n, 1031)"""
SHORT_TIME = """torch.stft(q, 16, return_complex=True)
    torch.stft(q, 16, 3, 10, h[:10], False, onesided=False, return_complex=True)
    torch.stft(q, 16, 8, window=h, normalized=True, return_complex=True)
    torch.istft(torch.stft(q, 16, 4, window=h, return_complex=True), 16, 4, window=h)
    torch.istft(torch.stft(q, 16, 4, return_complex=True, normalized=True), 16, 4, normalized=True, length=90)
    torch.istft(torch.stft(q, 16, 8, onesided=False, return_complex=True), 16, 8, onesided=False)
    torch.istft(torch.stft(q, 16, 4, 12, h[:12] + 1, return_complex=True), 16, 4, 12, h[:12] + 1)
    q[:, :8] * torch.fft.fftfreq(8, 0.5, dtype=q.dtype); q[:, :4] * torch.fft.rfftfreq(7, dtype=q.dtype)
    q * torch.fft.fftfreq(100, dtype=q.dtype)"""


def written(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = x.clone()
    out[:, 1:3, :2] = y[:, :2, 1:3]
    out[..., -1] = y[..., 0].real
    return out


def drawn() -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    normal = lambda *shape: torch.randn(*shape, dtype=torch.float64)  # noqa: E731
    return {
        **{name: normal(4, 6, 5) for name in "abcd"},
        **{name: normal(4, 5, 7) for name in "ef"},
        "p": torch.rand(4, 6, 5, dtype=torch.float64) + 0.2,
        "n": normal(3, 10, 12),
        "i": torch.randint(0, 5, (4, 6, 3)),
    }


def function(expressions: list[str]) -> Callable[..., Any]:
    """Of the tensors in drawn(), in their order; what is complex is shown as real numbers."""

    def forward(*given: torch.Tensor) -> Any:
        a, b, c, d, e, f, p, n, i = given
        names = {"z": torch.complex(a, b), "v": torch.complex(c, d), "m": torch.complex(e, f), "r": a, "p": p, "n": n}
        names |= {"q": n.reshape(-1)[:200].reshape(2, 100), "h": p.reshape(-1)[:16]}
        names |= {"torch": torch, "F": F, "written": written, "i": i}
        made = [eval(expression, names) for expression in expressions]
        return [torch.view_as_real(one.resolve_conj()) if one.is_complex() else one for one in made]

    return forward


def program(module: torch.nn.Module, inputs: list[torch.Tensor]) -> Program:
    return Program(Request(os.path.abspath(__file__)), None, module, tuple(inputs))


def rewritten(module: torch.nn.Module, inputs: list[torch.Tensor], double: bool = True) -> list[torch.Tensor]:
    """The results of the imported program, without a complex tensor among its values."""
    graph = export_program(program(module, inputs)).graph
    assert not any(dtype.is_complex for dtype, _ in graph.results().values())
    given = {value.name: graph.tensors.get(value.binding) for value in graph.values}
    given |= dict(zip([value.name for value in graph.values if value.role == "input"], inputs))
    made = Interpreter(graph, CPU).run({name: tensor.detach() for name, tensor in given.items()}, double=double)
    assert not any("freq" in call.target_name or "complex" in call.target_name for call in graph.calls)
    return [made[output.value] for output in graph.outputs]


class MeansTheSame(unittest.TestCase):
    def check(self, text: str) -> None:
        """In double precision to its accuracy, and in single precision to that."""
        wide = list(drawn().values())
        narrow = [tensor.float() if tensor.is_floating_point() else tensor for tensor in wide]
        expressions = [expression.strip() for expression in text.replace("\n", ";").split(";") if expression.strip()]
        module = FunctionModule(function(expressions))
        for given, tolerance in ((wide, 1e-11), (narrow, 2e-5)):
            used = rewritten(module, given, double=given is wide)
            for expression, got, wanted in zip(expressions, used, module(*given), strict=True):
                with self.subTest(f"{expression} {tolerance}"):
                    torch.testing.assert_close(got.to(wanted.dtype), wanted, rtol=tolerance, atol=tolerance * 10)

    def test_pointwise(self) -> None:
        self.check(POINTWISE)

    def test_moved(self) -> None:
        self.check(MOVED)

    def test_products(self) -> None:
        self.check(PRODUCTS)

    def test_fourier(self) -> None:
        self.check(FOURIER)

    def test_short_time(self) -> None:
        self.check(SHORT_TIME)


class Layer(torch.nn.Module):
    """A complex weight and a complex state."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(5, 3, dtype=torch.complex64))
        self.register_buffer("last", torch.randn(3, dtype=torch.complex64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = torch.einsum("bi,io->bo", torch.fft.fft(x), self.weight) + self.last * torch.tensor(2 - 1j)
        self.last.copy_(z.mean(0))
        return z.abs()


class HoldsComplexNumbers(unittest.TestCase):
    def test_parameters_and_states_are_real_with_a_last_axis_of_two(self) -> None:
        layer, x = Layer(), torch.randn(4, 5)
        graph = export_program(program(layer, [x])).graph
        shapes = {value.binding: value.shape for value in graph.values if value.role in ("parameter", "state")}
        self.assertEqual(shapes, {"weight": (5, 3, 2), "last": (3, 2)})
        result, state = rewritten(layer, [x], double=False)
        torch.testing.assert_close(result, layer(x).detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(state, torch.view_as_real(layer.last), rtol=1e-5, atol=1e-5)


UNSUPPORTED = (
    "aten.prod.default works on complex numbers, for which it is not supported. Compute it from .real and .imag."
)


class Refuses(unittest.TestCase):
    def sentence(self, forward: Callable[..., Any], *inputs: torch.Tensor) -> str:
        with self.assertRaises(Failure) as caught:
            export_program(program(FunctionModule(forward), list(inputs)))
        return f"{caught.exception.message} {caught.exception.remedy}"

    def test_in_sentences(self) -> None:
        x = torch.randn(3, 4)
        said = self.sentence(lambda x: torch.fft.fft(x).prod().abs(), x)
        self.assertEqual(said, UNSUPPORTED)
        self.assertIn("aten.div.Tensor works on", self.sentence(lambda x: (torch.fft.fft(x) / 0j).real, x))
        said = self.sentence(torch.fft.fft, x)
        self.assertEqual(said, "forward returns a complex tensor (complex64). Return torch.view_as_real() of it.")
        said = self.sentence(torch.abs, x + 0j)
        self.assertIn("is a complex tensor (complex64). Use dense tensors of real numbers.", said)
        self.assertIn("transforms 5003 elements", self.sentence(lambda x: torch.fft.rfft(x).abs(), torch.randn(5003)))

    def test_nothing_that_no_result_needs(self) -> None:
        made = rewritten(FunctionModule(lambda x: (torch.fft.fft(x).prod(), x * 2)[1]), [torch.ones(3)])
        self.assertTrue(torch.equal(made[0], torch.full((3,), 2.0, dtype=torch.float64)))


if __name__ == "__main__":
    unittest.main()
