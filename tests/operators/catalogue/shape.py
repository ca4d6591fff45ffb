# SPDX-License-Identifier: Apache-2.0
"""Operators that move, join, pad or pick elements."""

import random

from .case import FLOATS, NUMBERS, Case, Operand, Operator, axis, operator, shape


def ranked(name: str, expression: str, rank: int, dtypes: tuple[str, ...] = NUMBERS) -> Operator:
    """`expression` may use {dim}, an axis of x, and {a} {b}, small numbers."""

    def make(rng: random.Random, index: int) -> Case:
        text = expression.format(dim=axis(rng, rank), a=rng.randint(1, 3), b=rng.randint(0, 2))
        return Case(text, {"x": Operand(shape(rng, rank, 4, 12), strided=index == 2)})

    return Operator(name, dtypes, make)


MOVEMENT = [
    ranked("permute", "x.permute(2, 0, 1) * 2", 3),
    ranked("transpose.int", "x.transpose({dim}, 0) + 1", 3),
    ranked("t", "x.t() * 3", 2),
    ranked("movedim.int", "torch.movedim(x, 0, {dim}) + 1", 3),
    ranked("view", "x.contiguous().view(x.shape[0], -1) * 2", 3),
    ranked("reshape", "x.reshape(-1) * 2", 3),
    ranked("flatten.using_ints", "torch.flatten(x, 1) * 2", 3),
    ranked("unflatten.int", "x.flatten().unflatten(0, (-1, x.shape[0])) + 1", 3),
    ranked("squeeze.dim", "x.unsqueeze({dim}).squeeze({dim}) + 1", 2),
    ranked("unsqueeze", "x.unsqueeze({dim}) * 2", 3),
    ranked("expand", "x.unsqueeze(1).expand(-1, 5, -1) * 2", 2),
    ranked("repeat", "x.repeat({a}, 1, 2)", 3),
    ranked("tile", "torch.tile(x, (2, {a}))", 3),
    ranked("repeat_interleave.self_int", "x.repeat_interleave({a}, {dim})", 3),
    ranked("roll", "torch.roll(x, {a}, {dim})", 3),
    ranked("roll.flat", "torch.roll(x, {a})", 2),
    ranked("roll.several", "torch.roll(x, ({a}, -2), (0, 2))", 3),
    ranked("flip", "torch.flip(x, (0, {dim} % 2 + 1))", 3),
    ranked("fliplr", "torch.fliplr(x)", 3),
    ranked("rot90", "torch.rot90(x, {a}, (0, 2))", 3),
    ranked("slice.Tensor", "x[{a}:, ::2] * 2", 3),
    ranked("select.int", "x.select({dim}, {a}) * 2", 3),
    ranked("narrow", "x.narrow({dim}, {b}, 2) * 2", 3),
    ranked("split.Tensor", "torch.split(x, 3, {dim})[1] + 1", 3),
    ranked("split_with_sizes", "torch.split(x, [1, x.shape[1] - 1], 1)[1] + 1", 3),
    ranked("chunk", "torch.chunk(x, 2, {dim})[1] + 1", 3),
    ranked("cat", "torch.cat([x, x * 2, x + 1], {dim})", 3),
    ranked("stack", "torch.stack([x, x * 2], {dim})", 3),
    ranked("hstack", "torch.hstack([x, x * 2])", 2),
    ranked("slice_scatter", "torch.slice_scatter(x, x[:, 1:3] * 2, 1, 1, 3)", 3),
    ranked("select_scatter", "torch.select_scatter(x, x[:, 0] * 2, 1, {a})", 3),
    ranked("diagonal", "torch.diagonal(x, {b}, 0, 2) * 2", 3),
    ranked("diag_embed", "torch.diag_embed(x, {b})", 2),
    ranked("tril", "torch.tril(x, {b})", 3),
    ranked("triu", "torch.triu(x, -{b})", 3),
    ranked("constant_pad_nd", "F.pad(x, ({a}, {b}, 1, 2), value=1.5)", 3, FLOATS),
    ranked("constant_pad_nd.negative", "F.pad(x, (-1, {b}))", 3),
    ranked("reflection_pad1d", "F.pad(x, ({a}, {b}), mode='reflect')", 3, FLOATS),
    ranked("reflection_pad2d", "F.pad(x, ({a}, {b}, 2, 1), mode='reflect')", 4, FLOATS),
    ranked("replication_pad1d", "F.pad(x, ({a}, {b}), mode='replicate')", 3, FLOATS),
    ranked("replication_pad2d", "F.pad(x, ({a}, {b}, 2, 1), mode='replicate')", 4, FLOATS),
    ranked("replication_pad3d", "F.pad(x, ({a}, {b}, 2, 1, 1, 0), mode='replicate')", 5, FLOATS),
    ranked("circular_pad", "F.pad(x, ({a}, {b}, 1, 1), mode='circular')", 4, FLOATS),
    ranked("unfold", "x.unfold({dim}, 3, {a}) * 2", 3, FLOATS),
    ranked("pixel_shuffle", "F.pixel_shuffle(torch.cat([x, x, x * 2, x], 1), 2)", 4, FLOATS),
    ranked("pixel_unshuffle", "F.pixel_unshuffle(x[..., :4, :4], 2)", 4, FLOATS),
    ranked("channel_shuffle", "F.channel_shuffle(torch.cat([x, x * 2], 1), 2)", 4, FLOATS),
    ranked("swapaxes", "x.swapaxes(0, {dim}) * 2", 3),
    ranked("meshgrid", "torch.meshgrid(x[0], x[:, 0], indexing='ij')[1] * 2", 2),
    ranked("broadcast_to", "torch.broadcast_to(x, (3,) + tuple(x.shape)) * 2", 2),
    ranked("arange", "torch.arange(x.shape[0]) * 2 + x[:, 0]", 2),
    ranked("linspace", "torch.linspace(0, 1, x.shape[0]) + x[:, 0]", 2, FLOATS),
    ranked("eye", "torch.eye(x.shape[0]) + x[:, :1]", 2, FLOATS),
    ranked("one_hot", "F.one_hot((x > 0).to(torch.int64), 3)", 2, FLOATS),
    ranked("glu", "F.glu(torch.cat([x, x * 2], {dim}), {dim})", 3, FLOATS),
    ranked("as_strided", "torch.as_strided(x.contiguous(), (2, 3), (1, 2)) * 2", 2),
    ranked("im2col", "F.unfold(x, 3, padding={b}, stride={a})", 4, FLOATS),
    ranked("triu_indices", "torch.triu_indices(4, 4)[0] + x[0, :1].to(torch.int64)", 2),
    ranked("detach", "x.detach() * 2", 2),
]


def indexed(name: str, expression: str, dtypes: tuple[str, ...] = FLOATS, rows: int = 3) -> Operator:
    """x of several axes and i, whole numbers valid along every one of them."""

    def make(rng: random.Random, index: int) -> Case:
        full = shape(rng, 3, 5, 12)
        text = expression.format(dim=axis(rng, 3))
        return Case(
            text,
            {
                "x": Operand(full, strided=index == 2),
                "i": Operand((rows + index,) if "{dim}" in expression or "[" in expression else full, "int64", 0, 5),
            },
        )

    return Operator(name, dtypes, make)


INDEXED = [
    indexed("gather", "torch.gather(x, 1, i)"),
    indexed("gather.last", "torch.gather(x, -1, i)"),
    indexed("take_along_dim", "torch.take_along_dim(x, i, 0)"),
    indexed("index_select", "torch.index_select(x, {dim}, i)"),
    indexed("index.Tensor", "x[i]"),
    indexed("index.two", "x[i, :, i]"),
    indexed("index.middle", "x[:, i]"),
    indexed("index_put", "torch.index_put(x, (i,), x[:1] * 2)[:, :1]"),
    indexed("index_put.accumulate", "torch.index_put(x, (i,), x[:1] * 2, accumulate=True)[:, :]"),
    indexed("index_add", "torch.index_add(x, {dim}, i, torch.index_select(x, {dim}, i) * 2)"),
    indexed("index_fill", "torch.index_fill(x, {dim}, i, 1.5)"),
    indexed("index_copy", "torch.index_copy(x, {dim}, i[:1], torch.index_select(x, {dim}, i[:1]) * 2)"),
    indexed("scatter_add", "torch.scatter_add(x, 1, i, x * 2)"),
    indexed("scatter.value", "torch.scatter(x, 2, i, 1.5)"),
    indexed("scatter_reduce.amax", "torch.scatter_reduce(x, 1, i, x * 2, 'amax')"),
    indexed("scatter_reduce.sum", "torch.scatter_reduce(x, 0, i, x * 2, 'sum', include_self=False)"),
    indexed("scatter_reduce.mean", "torch.scatter_reduce(x, 0, i, x * 2, 'mean')"),
    indexed("take", "torch.take(x, i)"),
    indexed("embedding", "F.embedding(i, x[0])"),
    indexed("embedding_bag", "F.embedding_bag(i.reshape(1, -1), x[0], mode='sum')[:, :]"),
    indexed("isin", "torch.isin(i, i[:2])[:]"),
    # In bfloat16 one unit in the last place takes too many elements across a bound for a verdict.
    indexed("bucketize", "torch.bucketize(x, torch.arange(5).to(x.dtype))", ("float32",)),
    indexed("searchsorted", "torch.searchsorted(torch.arange(5).to(x.dtype), x)", ("float32",)),
    indexed("bincount", "torch.bincount(i[:], minlength=6)"),
    indexed("bincount.first", "torch.bincount(i[:], minlength=6)[:6]"),
    indexed("bincount.weights", "torch.bincount(i[:], weights=x[0, 0, :1].expand(i.shape), minlength=6)[1:4]"),
    indexed("masked_select", "torch.masked_select(x, x > 0)"),
    indexed("nonzero", "torch.nonzero(x > 0)"),
    indexed("unique", "torch.unique(i[:])"),
    indexed("masked_scatter", "torch.masked_scatter(x, x > 0, x * 2)"),
]

OPERATORS = (
    MOVEMENT
    + INDEXED
    + [
        operator("upsample_nearest1d", "F.interpolate(x, scale_factor=2.0)", x=Operand((2, 3, 37))),
        operator(
            "tensordot",
            "torch.tensordot(x, y, dims=2)",
            x=lambda rng: Operand((rng.randint(3, 9), 5, 17)),
            y=lambda rng: Operand((5, 17, rng.randint(3, 40))),
        ),
    ]
)
