# SPDX-License-Identifier: Apache-2.0
"""Contractions, convolutions, pooling, normalisation, attention, recurrent cells, losses."""

import random

from .case import FLOATS, Case, Operand, Operator, shape

# PyTorch's CPU kernels, the references of an emulated verdict, have these in float32 and float64 only.
FLOAT32_ONLY = ("cdist", "avg_pool3d", "local_response_norm", "multi_margin_loss")
SIDES = (1, 3, 8, 17, 33, 50)


def dtypes_of(name: str) -> tuple[str, ...]:
    return ("float32",) if name in FLOAT32_ONLY else FLOATS


def product(name: str, expression: str, operands: str) -> Operator:
    """`operands` names each tensor and its axes by letters, as "x:mk y:kn"; a letter has one extent in a case."""

    def make(rng: random.Random, index: int) -> Case:
        extents = {letter: rng.choice(SIDES[1:]) for letter in "mknbhr"}
        tensors = {}
        for part in operands.split():
            key, _, axes = part.partition(":")
            tensors[key] = Operand(tuple(extents[letter] for letter in axes), strided=index == 2 and len(axes) == 2)
        return Case(expression, tensors)

    return Operator(name, dtypes_of(name), make)


PRODUCTS = [
    product("mm", "torch.mm(x, y)", "x:mk y:kn"),
    product("bmm", "torch.bmm(x, y)", "x:bmk y:bkn"),
    product("matmul", "torch.matmul(x, y)", "x:hbmk y:kn"),
    product("matmul.vector", "torch.matmul(x, y)", "x:bmk y:k"),
    product("addmm", "torch.addmm(z, x, y, beta=0.5, alpha=2)", "x:mk y:kn z:n"),
    product("baddbmm", "torch.baddbmm(z, x, y, beta=0.5)", "x:bmk y:bkn z:bmn"),
    product("addbmm", "torch.addbmm(z, x, y)", "x:bmk y:bkn z:mn"),
    product("mv", "torch.mv(x, y)", "x:mk y:k"),
    product("addmv", "torch.addmv(z, x, y)", "x:mk y:k z:m"),
    product("dot", "torch.dot(x, y)", "x:k y:k"),
    product("vdot", "torch.vdot(x, y)", "x:k y:k"),
    product("inner", "torch.inner(x, y)", "x:mk y:nk"),
    product("outer", "torch.outer(x, y)", "x:m y:n"),
    product("addr", "torch.addr(z, x, y)", "x:m y:n z:mn"),
    product("linear", "F.linear(x, y, z)", "x:bmk y:nk z:n"),
    product("linear.no_bias", "F.linear(x, y)", "x:mk y:nk"),
    product("bilinear", "F.bilinear(x, y, w)", "x:bm y:bn w:hmn"),
    product("kron", "torch.kron(x, y)", "x:hr y:rb"),
    product("einsum.batched", "torch.einsum('bmk,bkn->bmn', x, y)", "x:bmk y:bkn"),
    product("einsum.heads", "torch.einsum('bmhr,bnhr->bhmn', x, y)", "x:bmhr y:bnhr"),
    product("einsum.trace", "torch.einsum('ij,ij->i', x, y)", "x:mk y:mk"),
    product("einsum.three", "torch.einsum('ij,jk,kl->il', x, y, w)", "x:mk y:kn w:nr"),
    product("chain_matmul", "torch.linalg.multi_dot([x, y, w])", "x:mk y:kn w:nr"),
    product("cdist", "torch.cdist(x, y)", "x:mk y:nk"),
    product("cross", "torch.linalg.cross(x[:, :3], y[:, :3])", "x:mk y:mk"),
    product("cosine_similarity", "F.cosine_similarity(x, y, dim=1)", "x:mk y:mk"),
    product("pairwise_distance", "F.pairwise_distance(x, y)", "x:mk y:mk"),
]


def convolution(dimensions: int, transposed: bool, grouped: bool) -> Operator:
    name = f"conv{'_transpose' if transposed else ''}{dimensions}d{'.groups' if grouped else ''}"

    def make(rng: random.Random, index: int) -> Case:
        groups = rng.choice((2, 4)) if grouped else 1
        inner, outer, stride, dilation = rng.randint(1, 6), rng.randint(1, 9), rng.randint(1, 3), rng.randint(1, 2)
        padding = rng.randint(0, 2)
        kernel = tuple(rng.randint(1, 4) for _ in range(dimensions))
        side = {1: (40, 70), 2: (12, 22), 3: (8, 11)}[dimensions]
        spatial = tuple(rng.randint(*side) for _ in range(dimensions))
        x = Operand((rng.randint(1, 3), inner * groups) + spatial, strided=index == 2)
        arguments = f"stride={stride}, padding={padding}, dilation={dilation}, groups={groups}"
        weight = (outer * groups, inner) + kernel
        if transposed:
            arguments += f", output_padding={rng.randrange(max(stride, dilation))}"
            weight = (inner * groups, outer) + kernel
        named = {"x": x, "w": Operand(weight), "b": Operand((outer * groups,))}
        return Case(f"F.{name.split('.')[0]}(x, w, b, {arguments})", named)

    return Operator(name, dtypes_of(name), make)


def depthwise(rng: random.Random, index: int) -> Case:
    channels, multiplier = rng.randint(3, 9), 1 + index % 2
    return Case(
        f"F.conv2d(x, w, None, stride={1 + index % 2}, padding='valid', groups={channels})",
        {"x": Operand((2, channels, 15, 18)), "w": Operand((channels * multiplier, 1, 3, 3))},
    )


def pooled(name: str, expression: str, dimensions: int) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        spatial = {1: (33,), 2: (13, 17), 3: (9, 10, 8)}[dimensions]
        text = expression.format(k=rng.randint(2, 3), s=rng.randint(1, 3), ceil=bool(index % 2), o=rng.randint(2, 5))
        return Case(text, {"x": Operand((rng.randint(1, 2), rng.randint(2, 5)) + spatial, strided=index == 2)})

    return Operator(name, dtypes_of(name), make)


POOLS = [pooled(f"max_pool{n}d", f"F.max_pool{n}d(x, {{k}}, {{s}}, 1, ceil_mode={{ceil}})", n) for n in (1, 2, 3)]
POOLS += [pooled(f"avg_pool{n}d", f"F.avg_pool{n}d(x, {{k}}, {{s}}, 1, {{ceil}}, {{ceil}})", n) for n in (1, 2, 3)]
POOLS += [pooled(f"adaptive_avg_pool{n}d", f"F.adaptive_avg_pool{n}d(x, {{o}})", n) for n in (1, 2, 3)]
POOLS += [pooled(f"adaptive_max_pool{n}d", f"F.adaptive_max_pool{n}d(x, {{o}})", n) for n in (1, 2, 3)]
POOLS += [
    pooled("max_pool2d_with_indices", "F.max_pool2d(x, {k}, {s}, return_indices=True)", 2),
    pooled("lp_pool2d", "F.lp_pool2d(x.abs() + 0.5, 2.0, {k}, {s})", 2),
    pooled("upsample_nearest2d", "F.interpolate(x, size=(19, 11), mode='nearest')", 2),
    pooled("upsample_nearest3d", "F.interpolate(x, scale_factor=2, mode='nearest')", 3),
    pooled("upsample_nearest_exact2d", "F.interpolate(x, size=(19, 11), mode='nearest-exact')", 2),
    pooled("upsample_linear1d", "F.interpolate(x, size=50, mode='linear', align_corners={ceil})", 1),
    pooled("upsample_bilinear2d", "F.interpolate(x, size=(19, 11), mode='bilinear', align_corners={ceil})", 2),
    pooled("upsample_bilinear2d.scale", "F.interpolate(x, scale_factor=1.7, mode='bilinear')", 2),
    pooled("upsample_trilinear3d", "F.interpolate(x, size=(7, 12, 9), mode='trilinear')", 3),
    pooled("upsample_bicubic2d", "F.interpolate(x, size=(19, 11), mode='bicubic')", 2),
    pooled(
        "grid_sampler_2d",
        "F.grid_sample(x, torch.tanh(x[:, :1, :, :2].expand(-1, 2, -1, -1)).permute(0, 2, 3, 1), align_corners=False)",
        2,
    ),
    pooled("local_response_norm", "F.local_response_norm(x, 3)", 2),
]


def normalised(name: str, expression: str, rank: int = 4) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        channels = rng.choice((4, 8, 12))
        full = (rng.randint(2, 4), channels) + tuple(rng.randint(5, 20) for _ in range(rank - 2))
        of_channels = Operand((channels,), low=0.5, high=1.5)
        named = {
            "x": Operand(full, strided=index == 2),
            "w": of_channels,
            "b": Operand((channels,)),
            "m": Operand((channels,)),
            "v": of_channels,
            "lw": Operand((full[-1],), low=0.5, high=1.5),
            "lb": Operand((full[-1],)),
        }
        return Case(
            expression,
            {
                key: named[key]
                for key in named
                if f"({key}," in expression or f" {key}," in expression or f" {key})" in expression
            },
        )

    return Operator(name, dtypes_of(name), make)


NORMS = [
    normalised("batch_norm.eval", "F.batch_norm(x, m, v, w, b, False)"),
    normalised("batch_norm.train", "F.batch_norm(x, None, None, w, b, True)"),
    normalised("batch_norm.3d", "F.batch_norm(x, m, v, w, b, False)", 5),
    normalised("batch_norm.1d", "F.batch_norm(x, None, None, w, b, True)", 3),
    normalised("layer_norm", "F.layer_norm(x, x.shape[-1:], lw, lb, 1e-5)"),
    normalised("layer_norm.two_axes", "F.layer_norm(x, x.shape[-2:])"),
    normalised("group_norm", "F.group_norm(x, 2, w, b)"),
    normalised("group_norm.no_affine", "F.group_norm(x, 4)", 3),
    normalised("instance_norm", "F.instance_norm(x, None, None, w, b)"),
    normalised("instance_norm.1d", "F.instance_norm(x, eps=1e-4)", 3),
    normalised("rms_norm", "F.rms_norm(x, x.shape[-1:], lw, 1e-6)"),
    normalised("rms_norm.no_weight", "F.rms_norm(x, x.shape[-2:])"),
    normalised("dropout.eval", "F.dropout(x, 0.5, training=False)"),
    normalised("alpha_dropout.eval", "F.alpha_dropout(x, 0.5, training=False)"),
]


def attention(name: str, arguments: str, queries: str = "same") -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        heads, width = 2 * rng.randint(1, 2), rng.choice((8, 16, 32))
        length = rng.randint(9, 40)
        keys = length if queries == "same" else rng.randint(9, 50)
        key_heads = heads // 2 if "gqa" in arguments else heads
        named = {
            "q": Operand((2, heads, length, width)),
            "k": Operand((2, key_heads, keys, width)),
            "v": Operand((2, key_heads, keys, width)),
        }
        if "mask" in arguments:
            named["mask"] = Operand((length, keys), dtype="bool" if "boolean" in name else None)
        return Case(f"F.scaled_dot_product_attention(q, k, v{arguments})", named)

    return Operator(name, dtypes_of(name), make)


ATTENTION = [
    attention("scaled_dot_product_attention", ""),
    attention("scaled_dot_product_attention.causal", ", is_causal=True"),
    attention("scaled_dot_product_attention.cross", ", scale=0.3", "other"),
    attention("scaled_dot_product_attention.mask", ", attn_mask=mask"),
    attention(
        "scaled_dot_product_attention.boolean",
        ", attn_mask=mask | torch.eye(mask.shape[0], mask.shape[1], dtype=torch.bool)",
        "same",
    ),
    attention("scaled_dot_product_attention.gqa", ", enable_gqa=True"),
]

TWO = "x, y"
LOSSES = {
    "mse_loss": "F.mse_loss(x, y)",
    "mse_loss.none": "F.mse_loss(x, y, reduction='none')",
    "l1_loss": "F.l1_loss(x, y, reduction='sum')",
    "smooth_l1_loss": "F.smooth_l1_loss(x, y, beta=0.7)",
    "huber_loss": "F.huber_loss(x, y, delta=0.6)",
    "kl_div": "F.kl_div(torch.log_softmax(x, 1), torch.softmax(y, 1), reduction='batchmean')",
    "binary_cross_entropy": "F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y))",
    "binary_cross_entropy_with_logits": "F.binary_cross_entropy_with_logits(x, torch.sigmoid(y))",
    "soft_margin_loss": "F.soft_margin_loss(x, torch.sign(y))",
    "margin_ranking_loss": "F.margin_ranking_loss(x[:, 0], y[:, 0], torch.sign(x[:, 1]), margin=0.2)",
    "hinge_embedding_loss": "F.hinge_embedding_loss(x, torch.sign(y))",
    "cosine_embedding_loss": "F.cosine_embedding_loss(x, y, torch.sign(x[:, 0]))",
    "triplet_margin_loss": "F.triplet_margin_loss(x, y, x * 0.5 + y)",
    "poisson_nll_loss": "F.poisson_nll_loss(x, y.abs())",
    "gaussian_nll_loss": "F.gaussian_nll_loss(x, y, x.abs() + 0.5)",
    "cross_entropy.probabilities": "F.cross_entropy(x, torch.softmax(y, 1))",
    "multilabel_soft_margin_loss": "F.multilabel_soft_margin_loss(x, (y > 0).to(x.dtype))",
}


def loss(name: str, expression: str) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        full = shape(rng, 2, 5, 30)
        return Case(expression, {"x": Operand(full, strided=index == 2), "y": Operand(full)})

    return Operator(name, dtypes_of(name), make)


def class_loss(name: str, expression: str) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        rows, classes = rng.randint(5, 60), rng.randint(6, 40)
        return Case(
            expression,
            (
                {
                    "x": Operand((rows, classes), strided=index == 2),
                    "t": Operand((rows,), "int64", 0, 6),
                    "w": Operand((classes,), low=0.5, high=1.5),
                }
                if "w" in expression.split("F.")[1].split("(")[1]
                else {"x": Operand((rows, classes)), "t": Operand((rows,), "int64", 0, 6)}
            ),
        )

    return Operator(name, dtypes_of(name), make)


CLASS_LOSSES = [
    class_loss("cross_entropy", "F.cross_entropy(x, t)"),
    class_loss("cross_entropy.smoothed", "F.cross_entropy(x, t, label_smoothing=0.1)"),
    class_loss("nll_loss", "F.nll_loss(x, t)"),
    class_loss("cross_entropy.weight", "F.cross_entropy(x, t, weight=w)"),
    class_loss("cross_entropy.ignored", "F.cross_entropy(x, t, ignore_index=2, reduction='sum')"),
    class_loss("multi_margin_loss", "F.multi_margin_loss(x, t)"),
]

OPERATORS = (
    PRODUCTS
    + [
        convolution(n, transposed, grouped)
        for n in (1, 2, 3)
        for transposed in (False, True)
        for grouped in (False, True)
    ]
    + [Operator("conv2d.depthwise", FLOATS, depthwise)]
    + POOLS
    + NORMS
    + ATTENTION
    + [loss(name, expression) for name, expression in LOSSES.items()]
    + CLASS_LOSSES
)
