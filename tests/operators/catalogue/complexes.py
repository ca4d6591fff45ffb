# SPDX-License-Identifier: Apache-2.0
"""Complex numbers between real inputs and real outputs."""

import random

from .case import Case, Operand, Operator

FLOAT32 = ("float32",)


def inside(name: str, *expressions: str) -> Operator:
    """One expression each case, over z and v (complex, `rows` by `columns`), m (complex, `columns` by 7), x (real, as
    z) and p (positive)."""

    def make(rng: random.Random, index: int) -> Case:
        rows, columns = rng.randint(3, 12), rng.randint(33, 50)
        expression = expressions[index % len(expressions)]
        for letter, pair in (("z", "x, y"), ("v", "u, w"), ("m", "a, b")):
            expression = expression.replace(f"{letter}_", f"torch.complex({pair})")
        shapes = dict.fromkeys("xyuw", (rows, columns)) | dict.fromkeys("ab", (columns, 7))
        operands = {key: Operand(shape) for key, shape in shapes.items() if _mentions(expression, key)}
        if _mentions(expression, "p"):
            operands["p"] = Operand((rows, columns), low=0.25, high=3.0)
        return Case(expression, operands)

    return Operator(name, FLOAT32, make)


def _mentions(expression: str, key: str) -> bool:
    names = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in expression).split()
    return any(name.split(".")[0] == key for name in names)


ARITHMETIC = [
    inside("complex", "torch.view_as_real(z_)", "z_.real + 1", "(x + 2j * y).imag"),
    inside("polar", "torch.polar(p, x).real", "torch.polar(p, x).imag", "torch.view_as_real(torch.polar(p, x))"),
    inside(
        "view_as_complex",
        "torch.view_as_complex(torch.stack([x, y], -1)).abs()",
        "torch.view_as_complex(a[:, :6].contiguous().view(-1, 3, 2)).imag",
    ),
    inside("add.complex", "(z_ + v_).abs()", "(z_ + x).imag", "torch.add(z_, v_, alpha=2j).real"),
    inside("sub.complex", "(z_ - v_).abs()", "(x - z_).imag", "(1j - z_).real"),
    inside("mul.complex", "(z_ * v_).real", "(z_ * x).imag", "(z_ * (2 - 1j)).imag"),
    inside("div.complex", "(z_ / (v_ + 5)).real", "(z_ / p).imag", "(x / (v_ + 5j)).imag"),
    inside("reciprocal.complex", "(1 / (z_ + 5)).real", "(z_ - 5).reciprocal().imag"),
    inside("abs.complex", "z_.abs()", "(z_ * 2j).abs()"),
    inside("angle.complex", "z_.angle()", "torch.angle(x + 0j)"),
    inside("conj", "z_.conj().imag", "(z_ * z_.conj()).real", "(v_.conj() + z_).imag"),
    inside("exp.complex", "torch.exp(z_).real", "torch.exp(1j * x).imag", "torch.exp(1j * x - p).real"),
    inside("log.complex", "torch.log(z_ + 4).real", "torch.log(z_ + 4j).imag"),
    inside("sqrt.complex", "torch.sqrt(z_ + 4).real", "torch.sqrt(z_ + 4j).imag"),
    inside("pow.complex", "(z_ ** 2).real", "(z_ ** 3).imag", "((z_ + 4) ** -1).real"),
    inside("sgn.complex", "torch.sgn(z_ + 3).real", "torch.sgn(z_ + 3j).imag"),
    inside("sin.complex", "torch.sin(z_).real", "torch.cos(z_).imag"),
    inside("sum.complex", "z_.sum(0).real", "z_.mean(1).imag", "z_.sum().abs()"),
    inside("cat.complex", "torch.cat([z_, v_]).abs()", "torch.cat([z_, x], 1).imag", "torch.stack([z_, v_], 1).real"),
    inside("slice.complex", "z_[1:, ::2].abs()", "z_.t()[3].imag", "z_.roll(3, 1).flip(0).imag"),
    inside("slice_scatter.complex", "F.pad(z_, (2, 1)).imag", "torch.slice_scatter(z_, v_[:, :5], 1, 4, 9).imag"),
    inside("where.complex", "torch.where(p > 1, z_, v_).imag", "z_.masked_fill(p > 1, 2j).imag"),
]

PRODUCTS = [
    inside("mm.complex", "(z_ @ m_).real", "(z_ @ v_.mH).imag", "(z_[0] @ m_).abs()"),
    inside("bmm.complex", "(z_[None] @ m_[None]).abs()", "torch.bmm(z_[None], m_[None]).imag"),
    inside("einsum.complex", "torch.einsum('ij,kj->ik', z_, v_).real", "torch.einsum('ij,ij->j', z_, v_).imag"),
    inside("linear.complex", "F.linear(z_, v_, v_[:, 0]).imag", "F.linear(z_, m_.t()).abs()"),
]

TRANSFORMS = [
    inside(
        "fft_fft",
        "torch.fft.fft(x).real",
        "torch.fft.fft(z_, dim=0).abs()",
        "torch.fft.fft(z_, 40, norm='ortho').imag",
    ),
    inside(
        "fft_ifft",
        "torch.fft.ifft(x).imag",
        "torch.fft.ifft(z_, dim=0).abs()",
        "torch.fft.ifft(z_, 20, norm='forward').imag",
    ),
    inside(
        "fft_rfft",
        "torch.fft.rfft(x).abs()",
        "torch.fft.rfft(x, dim=0).imag",
        "torch.fft.rfft(x, 36, norm='ortho').real",
    ),
    inside(
        "fft_irfft",
        "torch.fft.irfft(z_)",
        "torch.fft.irfft(z_, 33)",
        "torch.fft.irfft(torch.fft.rfft(x), x.shape[1])",
    ),
    inside("fft_hfft", "torch.fft.hfft(z_)", "torch.fft.ihfft(x).imag"),
    inside("fft_fft2", "torch.fft.fft2(x).abs()", "torch.fft.fft2(z_, norm='ortho').real", "torch.fft.ifft2(z_).imag"),
    inside(
        "fft_rfft2",
        "torch.fft.rfft2(x).abs()",
        "torch.fft.irfft2(z_)",
        "torch.fft.irfft2(z_, s=(8, 31), norm='ortho')",
    ),
    inside(
        "fft_fftn",
        "torch.fft.fftn(x[None]).abs()",
        "torch.fft.ifftn(z_).imag",
        "torch.fft.irfftn(torch.fft.rfftn(x))",
    ),
    inside("fft_fftshift.complex", "torch.fft.fftshift(z_).imag", "torch.fft.ifftshift(z_, 1).real"),
    inside("fft_fftfreq", "x * torch.fft.fftfreq(x.shape[1])", "torch.fft.rfftfreq(40, 0.5) + p[:1, :1]"),
    inside(
        "fft_rfft.long",
        "torch.fft.rfft(x, 1056).abs()",
        "torch.fft.irfft(z_, 1056)",
        "torch.fft.fft(z_, 1056).imag",
    ),
    inside(
        "stft",
        "torch.stft(x.flatten(), 16, return_complex=True).abs()",
        "torch.stft(x, 20, 5, 16, p[0, :16], return_complex=True).imag",
    ),
    inside("istft", "torch.istft(torch.stft(x, 16, 4, return_complex=True), 16, 4)"),
]

NEVER = [
    inside("prod.complex", "z_.prod().abs()"),
    inside("tanh.complex", "z_.tanh().real"),
    inside("linalg_inv.complex", "torch.linalg.inv(z_ @ z_.mH).real"),
]

OPERATORS = ARITHMETIC + PRODUCTS + TRANSFORMS + NEVER
