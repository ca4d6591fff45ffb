# SPDX-License-Identifier: Apache-2.0
"""Methods of tensors and functions beside them that programs use: in place, by index, by cast, by creation."""

from .case import FLOATS, INTEGERS, NUMBERS, Operand, Operator, forms

FLOAT32 = ("float32",)
NAMED = {
    "x": Operand((7, 12, 18), strided=True),
    "y": Operand((7, 12, 18)),
    "r": Operand((18,)),
    "p": Operand((7, 12, 18), low=0.4, high=2.5),
    "i": Operand((4,), "int64", 0, 7),
    "j": Operand((4,), "int64", 0, 12),
    "d": Operand((), low=0.5, high=1.5),
    "m": Operand((7, 12, 18), "bool"),
    "n": Operand((7, 12), "bool"),
}


def method(name: str, *expressions: str, dtypes: tuple[str, ...] = FLOATS) -> Operator:
    return forms(name, list(expressions), dtypes, **NAMED)


def changed(*changes: str) -> str:
    """An expression that changes a copy of x in place and gives it back; each change is a call on `c`."""
    return f"[(c := x.clone()), {', '.join(changes)}, c][-1]"


IN_PLACE = [
    method("add_", changed("c.add_(y, alpha=2)"), changed("c.mul_(y).sub_(1)"), changed("c.div_(p)")),
    method("relu_", changed("c.relu_()"), changed("F.leaky_relu_(c, 0.2)"), changed("c.clamp_(-0.5, 0.5)")),
    method(
        "fill_",
        changed("c[0].fill_(2)"),
        changed("c[:, 1:3].zero_()"),
        changed("c[..., -1].copy_(y[..., 0])"),
        dtypes=NUMBERS,
    ),
    method(
        "masked_fill_",
        changed("c.masked_fill_(m, 3)"),
        changed("c[1:3].masked_fill_(n[1:3, :, None], 0)"),
        dtypes=NUMBERS,
    ),
    method(
        "index_put_",
        changed("c.index_put_((i, j), r)"),
        changed("c.index_put_((i, j), r, accumulate=True)"),
        dtypes=FLOATS,
    ),
    method(
        "setitem",
        changed("c.__setitem__(0, 2.0)"),
        changed("c.__setitem__((slice(None), 3), y[:, 0])"),
        changed("c.__setitem__((slice(1, 5, 2), ..., -1), r[:12])"),
    ),
    method(
        "setitem.mask",
        changed("c.__setitem__(m, 0.5)"),
        changed("c.__setitem__(c > 0, -1.0)"),
        changed("c.__setitem__(n, 2.0)"),
    ),
    method("setitem.index", changed("c.__setitem__(i, y[:4])"), changed("c.__setitem__((slice(None), j), 1.5)")),
    method(
        "scatter_",
        changed("c.scatter_(0, m.long(), 1.5)"),
        changed("c.scatter_add_(0, m.long(), y)"),
        changed("c.index_add_(0, i, y[:4], alpha=2)"),
    ),
    method("fill_diagonal_", "[(c := x[0].clone()), c.fill_diagonal_(2.0), c][-1]"),
    method("exp_", changed("c.exp_()"), changed("c.sigmoid_().neg_()"), changed("c.tril_().pow_(2)")),
]

INDEXING = [
    method("getitem", "x[1] * 2", "x[-1, ..., 2:9:3] + 1", "x[:, None, 0] * 2", dtypes=NUMBERS),
    method("getitem.index", "x[i, j]", "x[..., i]", "x[i[:, None], j[None]]"),
    method("getitem.mixed", "x[i, 2:5, j]", "x[0, j]", "x[:, j, 3]"),
    method("getitem.mask", "x[m]", "x[n]"),
    method(
        "index_select.forms",
        "x.index_select(-2, j)",
        "r.index_select(0, i)",
        "torch.index_select(x, 0, i)",
        dtypes=NUMBERS,
    ),
    method("take.forms", "x.take(i)", "torch.take(r, j[None])"),
    method("put", "torch.put(x, i, r[:4], True)"),
    method("index_add.forms", "x.index_add(1, j, y[:, :4], alpha=-1.5)", "r.index_add(0, i, r[:4])"),
    method("index_fill.forms", "x.index_fill(1, j, 2.5)", "r.index_fill(0, i, d)"),
    method("index_reduce", "x.index_reduce(0, i, y[:4], 'amax')", "x.index_reduce(0, i, y[:4], 'mean')"),
    method("scatter.src", "x.scatter(1, j[None, :, None].expand(7, 4, 18)[:, :1], y)", "r.scatter(0, i[:1], r[:1])"),
    method("scatter.reduce", "x.scatter(0, m.long(), y, reduce='add')", "x.scatter(0, m.long(), y, reduce='multiply')"),
    method(
        "scatter_reduce.forms",
        "x.scatter_reduce(0, m.long(), y, 'prod')",
        "x.scatter_reduce(0, m.long(), y, 'amin', include_self=False)",
        "x.scatter_reduce(0, m.long(), y, 'amax', include_self=False)",
    ),
    method(
        "scatter_reduce.mean_alone",
        "x.scatter_reduce(0, m.long(), y, 'mean', include_self=False)",
        "x.scatter_reduce(0, m.long(), y, 'prod', include_self=False)",
    ),
    method(
        "gather.forms", "x.gather(0, m.long())", "r.gather(-1, i)", "x.gather(2, m.long()[:3, :5, :9])", dtypes=NUMBERS
    ),
    method("masked_fill.tensor", "x.masked_fill(m, d)", "x.masked_fill(n[..., None], float('-inf')).softmax(1)"),
    method("where.forms", "torch.where(m, x, 0)", "torch.where(n[..., None], 1.0, x)", "x.where(x > y, y)"),
    method("argwhere", "torch.argwhere(m)", "torch.where(m)[0]"),
    method("topk.forms", "x.topk(5, -1, True, False)[0].sum(-1)", "x.topk(12, 1)", "r.topk(3)[1]"),
    method(
        "searchsorted.forms",
        "torch.searchsorted(r.sort()[0], r, right=True)",
        "torch.bucketize(x, r.sort()[0], out_int32=True)",
        dtypes=FLOAT32,
    ),
]

CASTS = [
    method("cast", "x.half()", "x.double() * 2", "x.float() + 1"),
    method("cast.integer", "x.int()", "(x * 3).long()", "x.short()", dtypes=FLOAT32),
    method("cast.bool", "x.bool()", "(x > 0).to(x.dtype)", "(~m).float()", dtypes=NUMBERS),
    method("cast.small", "(x * 3).to(torch.int8)", "(x.abs() * 3).to(torch.uint8)", dtypes=FLOAT32),
    method("type_promotion", "x + i[0]", "x * m", "i[:, None] / r[:4]"),
    method("type_promotion.mixed", "x.half() + y.float()", "x + y.double()", "x.bfloat16() * d", dtypes=FLOAT32),
    method("div.integers", "x / 3", "torch.div(x, 4, rounding_mode='floor')", "x // 3", dtypes=INTEGERS),
    method("add.Tensor.scalars", "x + True", "x + 2.5", "3 - x", dtypes=NUMBERS),
    method(
        "mean.dtype",
        "x.mean(dtype=torch.float64)",
        "x.sum(1, dtype=torch.float32)",
        "x.cumsum(0, dtype=torch.float32)",
        dtypes=("float32", "bfloat16", "int64"),
    ),
    method("view.dtype", "x.contiguous().view(torch.int32)", dtypes=FLOAT32),
]

SHAPES = [
    method("expand_as", "r.expand_as(x) * 2", "x.view_as(x) + 1", "x.reshape_as(y)", dtypes=NUMBERS),
    method("squeeze.forms", "x[:1].squeeze() * 2", "x[:1, :1].squeeze((0, 1)) + 1", "x.squeeze(1) * 2", dtypes=NUMBERS),
    method(
        "broadcast_tensors",
        "torch.broadcast_tensors(x, r)[1] * 2",
        "sum(torch.broadcast_tensors(x, r))",
        dtypes=NUMBERS,
    ),
    method("atleast_3d", "torch.atleast_3d(r)", "torch.atleast_2d(r) * 2", "torch.atleast_1d(d)", dtypes=FLOATS),
    method(
        "unsafe_split",
        "x.unsafe_chunk(3, 2)[1] * 2",
        "x.split([3, 4], 0)[1] + 1",
        "x.tensor_split((2, 5), 1)[2] * 2",
        dtypes=NUMBERS,
    ),
    method(
        "vsplit",
        "torch.vsplit(x, (2, 4))[1] * 2",
        "torch.hsplit(x, 3)[1] * 2",
        "torch.dsplit(x, 2)[0] + 1",
        dtypes=NUMBERS,
    ),
    method("vstack", "torch.vstack([x, y])", "torch.dstack([x, y])", "torch.column_stack([r, r * 2])", dtypes=NUMBERS),
    method("cat.forms", "torch.cat([x, y.double()])", "torch.cat([x, x[:, :0], y], 1)", "torch.concat([x, y], -1)"),
    method("stack.forms", "torch.stack([x, y], -1)", "torch.stack([r, r, r], 1)", dtypes=NUMBERS),
    method("flip.forms", "x.flip(-1)", "torch.flipud(x)", "x.flip((0, 1, 2))", dtypes=NUMBERS),
    method(
        "repeat_interleave.forms",
        "r.repeat_interleave(2)",
        "x.repeat_interleave(3, dim=0)",
        "x.repeat_interleave(2)",
        dtypes=NUMBERS,
    ),
    method("repeat_interleave.Tensor", "x.repeat_interleave(torch.tensor([1, 2, 0, 3, 1, 1, 2]), dim=0)"),
    method("ravel", "x.ravel() * 2", "x.flatten(0, 1) + 1", "x.moveaxis(0, -1) * 2", dtypes=NUMBERS),
    method("unbind.forms", "x.unbind()[2] * 2", "[part + 1 for part in x.unbind(-2)]", dtypes=NUMBERS),
    method("diff.forms", "x.diff(2, 1)", "x.diff(dim=0, prepend=y[:1])", "r.diff()"),
    method("unfold.forms", "x.unfold(1, 4, 3).unfold(2, 5, 2) * 2", "r.unfold(0, 3, 1) + 1", dtypes=NUMBERS),
    method("pixel_shuffle.forms", "F.pixel_shuffle(x[:, :12].reshape(1, 12, 7, 18), 2)", "F.pixel_unshuffle(x, 3)"),
    method("roll.forms", "x.roll(-1, 1)", "x.roll((1, 20), (0, 1))", "r.roll(5)", dtypes=NUMBERS),
    method("as_strided.forms", "x.contiguous().as_strided((3, 4), (5, 1), 2) * 2", dtypes=NUMBERS),
]

CREATION = [
    method("new_zeros", "x.new_zeros(3, 4) + d", "x.new_ones((18,)) * r", "x.new_full((18,), 2.5) - r"),
    method("zeros", "torch.zeros(7, 1, 18) + x", "torch.ones(18, dtype=x.dtype) * r", "torch.full((18,), 3.0) - r"),
    method(
        "empty_like",
        "torch.empty_like(x).fill_(1.5)",
        "torch.zeros_like(x, dtype=torch.float32)",
        "x.new_empty(4).zero_()",
    ),
    method(
        "arange.forms",
        "torch.arange(1, 19, dtype=x.dtype) * r",
        "torch.arange(0.5, 9.5, 0.5) + r",
        "torch.arange(17, -1, -1) * r",
    ),
    method(
        "linspace.forms",
        "torch.linspace(-1, 1, 18) * r",
        "torch.linspace(3, 0, 18, dtype=torch.float32) + r",
        "torch.logspace(0, 1, 18) * r",
    ),
    method("eye.forms", "torch.eye(12, 18) * x[0]", "torch.eye(18, dtype=torch.bool) & (r > 0)"),
    method("tril_indices", "torch.tril_indices(4, 5)[1] + i[:1]", "x[0][torch.triu_indices(3, 3).unbind()]"),
    method("one_hot.forms", "F.one_hot(i, 9)", "F.one_hot(i.reshape(2, 2), 7).to(x.dtype)"),
    method("tensor", "x + torch.tensor(2.0)", "r * torch.tensor([1.0, 2.0] * 9)", "torch.scalar_tensor(2.0) + x"),
    method(
        "meshgrid.forms",
        "torch.meshgrid(r, r[:4], indexing='xy')[0] * 2",
        "torch.stack(torch.meshgrid(r[:3], r[:4], indexing='ij'))",
    ),
    method("hann_window", "torch.hann_window(18) * r", "torch.hamming_window(18) * r", dtypes=FLOAT32),
]

REDUCED = [
    method(
        "sum.forms",
        "x.sum((0, -1))",
        "x.sum(keepdim=True, dim=1)",
        "r.sum()",
        dtypes=("float32", "bfloat16", "int64", "bool"),
    ),
    method("mean.forms", "x.mean((1, 2), keepdim=True)", "x.mean()", "d.mean()"),
    method("max.other", "torch.max(x, y)", "torch.min(x, r)", "x.max(-1, True)[0]", dtypes=NUMBERS),
    method("var.unbiased", "x.var(unbiased=False)", "x.std(1, False)", "x.var((0, 2), correction=2)"),
    method("nanmean", "x.nanmean()", "x.nanmean(1, True)"),
    method("all.forms", "m.all()", "m.any((0, 1))", "x.all(1)", dtypes=NUMBERS),
    method("allclose", "torch.isclose(x, y).all()", "torch.isclose(x, x + 1e-9, equal_nan=True)", dtypes=FLOAT32),
    method("argmax.forms", "x.argmax()", "x.argmax(1, True)", "x.argmin(-1)", dtypes=NUMBERS),
    method("cumsum.forms", "x.cumsum(-1)", "m.cumsum(1)", "x.cumprod(0)", dtypes=NUMBERS),
    method("cumulative_trapezoid", "torch.cumulative_trapezoid(x, dim=1)", "torch.trapezoid(y, p.cumsum(-1))"),
    method("logsumexp.forms", "x.logsumexp((0, 1))", "x.logsumexp(-1, True)", "torch.logcumsumexp(x, 1)"),
    method(
        "softmax.dtype",
        "F.softmax(x, -1, dtype=torch.float32)",
        "F.log_softmax(x, 0, dtype=torch.float64)",
        "x.softmax(1)",
    ),
    method(
        "sort.forms", "x.sort(1, True)[0]", "x.argsort(stable=True, dim=0, descending=True)", "r.sort()", dtypes=NUMBERS
    ),
    method("msort", "torch.msort(x)", dtypes=NUMBERS),
    method("prod.forms", "p.prod(1)", "p[0, 0].prod()", "m.long().prod(0)"),
    method("count_nonzero.forms", "m.count_nonzero()", "x.count_nonzero((0, 1))", "m.sum(1)", dtypes=NUMBERS),
    method("histogram", "torch.histogram(x, 4)[0]", dtypes=FLOAT32),
    method("gradient", "torch.gradient(r)[0]", "torch.gradient(x, dim=1)[0]"),
    method("clamp.forms", "x.clamp(min=0.1)", "x.clip(max=y)", "x.clamp(d, d + 1)"),
]

NEVER = [
    method("item", "x * float(d)"),
    method("multinomial", "torch.multinomial(p[0], 2)"),
    method("equal", "torch.tensor(torch.equal(x, y))"),
    method("unique_consecutive", "torch.unique_consecutive(i)"),
    method("quantize_per_tensor", "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()", dtypes=FLOAT32),
    method("to_sparse", "torch.sparse.mm(x[0].to_sparse(), y[0].t())", dtypes=FLOAT32),
    method("fake_quantize", "torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)", dtypes=FLOAT32),
]

OPERATORS = IN_PLACE + INDEXING + CASTS + SHAPES + CREATION + REDUCED + NEVER
