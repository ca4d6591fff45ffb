# SPDX-License-Identifier: Apache-2.0
"""Pools, resampling and pads with all their arguments."""

from .case import FLOATS, NUMBERS, Operand, Operator, forms

FLOAT32 = ("float32",)
LINE = Operand((2, 3, 41), strided=True)
IMAGE = Operand((2, 3, 14, 17), strided=True)
VOLUME = Operand((1, 2, 9, 11, 8))
ONE_IMAGE = Operand((3, 15, 18))


def of_line(name: str, expressions: list[str], dtypes: tuple[str, ...] = FLOATS) -> Operator:
    return forms(name, expressions, dtypes, x=LINE)


def of_image(name: str, expressions: list[str], dtypes: tuple[str, ...] = FLOATS) -> Operator:
    return forms(name, expressions, dtypes, x=IMAGE)


def of_volume(name: str, expressions: list[str], dtypes: tuple[str, ...] = FLOATS) -> Operator:
    return forms(name, expressions, dtypes, x=VOLUME)


POOLS = [
    of_line(
        "max_pool1d.forms", ["F.max_pool1d(x, 3, 2, 1, 2)", "F.max_pool1d(x, 4)", "F.max_pool1d(x, 5, 3, 2, 1, True)"]
    ),
    of_line("max_pool1d_with_indices", ["F.max_pool1d(x, 3, 2, 1, return_indices=True)"]),
    of_image(
        "max_pool2d.forms",
        [
            "F.max_pool2d(x, (3, 2), (2, 1), (1, 0), (2, 3))",
            "F.max_pool2d(x, 3, ceil_mode=True)",
            "F.max_pool2d(x, (1, 4))",
        ],
    ),
    forms("max_pool2d.unbatched", ["F.max_pool2d(x, 3, 2, 1)", "F.max_pool2d(x, 2, return_indices=True)"], x=ONE_IMAGE),
    of_image(
        "max_pool2d_with_indices.forms",
        ["F.max_pool2d(x, 3, 2, 1, 2, True, True)", "F.max_pool2d(x, (2, 3), (1, 2), return_indices=True)"],
    ),
    of_volume("max_pool3d.forms", ["F.max_pool3d(x, (2, 3, 1), 2, (1, 1, 0))", "F.max_pool3d(x, 3, 2, 1, 1, True)"]),
    of_volume(
        "max_pool3d_with_indices",
        ["F.max_pool3d(x, 2, return_indices=True)", "F.max_pool3d(x, 3, 2, 1, 1, True, True)"],
    ),
    of_line(
        "avg_pool1d.forms",
        [
            "F.avg_pool1d(x, 4, 3, 2)",
            "F.avg_pool1d(x, 5, 2, 1, True, False)",
            "F.avg_pool1d(x, 3, count_include_pad=False)",
        ],
    ),
    of_image(
        "avg_pool2d.forms",
        [
            "F.avg_pool2d(x, (3, 2), (2, 1), (1, 0), True, False)",
            "F.avg_pool2d(x, 3, 2, 1, True, True)",
            "F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)",
        ],
    ),
    of_image(
        "avg_pool2d.divisor_override",
        ["F.avg_pool2d(x, 3, 2, 1, divisor_override=5)", "F.avg_pool2d(x, 2, divisor_override=3)"],
    ),
    forms("avg_pool2d.unbatched", ["F.avg_pool2d(x, 3, 2, 1)"], x=ONE_IMAGE),
    of_volume(
        "avg_pool3d.forms",
        ["F.avg_pool3d(x, (2, 3, 1), 2, (1, 1, 0), True, False)", "F.avg_pool3d(x, 3, 2, 1, divisor_override=7)"],
        FLOAT32,
    ),
    of_line(
        "adaptive_avg_pool1d.forms",
        ["F.adaptive_avg_pool1d(x, 7)", "F.adaptive_avg_pool1d(x, 1)", "F.adaptive_avg_pool1d(x, 50)"],
    ),
    of_image(
        "adaptive_avg_pool2d.forms",
        [
            "F.adaptive_avg_pool2d(x, (5, 4))",
            "F.adaptive_avg_pool2d(x, (None, 3))",
            "F.adaptive_avg_pool2d(x, (20, 1))",
        ],
    ),
    of_volume(
        "adaptive_avg_pool3d.forms", ["F.adaptive_avg_pool3d(x, (4, 5, 3))", "F.adaptive_avg_pool3d(x, (None, 1, 2))"]
    ),
    of_line(
        "adaptive_max_pool1d.forms", ["F.adaptive_max_pool1d(x, 7)", "F.adaptive_max_pool1d(x, 6, return_indices=True)"]
    ),
    of_image(
        "adaptive_max_pool2d.forms",
        [
            "F.adaptive_max_pool2d(x, (5, 4))",
            "F.adaptive_max_pool2d(x, (None, 3), return_indices=True)",
            "F.adaptive_max_pool2d(x, 1)",
        ],
    ),
    of_volume(
        "adaptive_max_pool3d.forms",
        ["F.adaptive_max_pool3d(x, (4, 5, 3))", "F.adaptive_max_pool3d(x, 2, return_indices=True)"],
    ),
    of_line("lp_pool1d", ["F.lp_pool1d(x.abs() + 0.5, 3.0, 4)", "F.lp_pool1d(x.abs() + 0.5, 1.0, 3, 2, True)"]),
    of_image(
        "lp_pool2d.forms",
        ["F.lp_pool2d(x.abs() + 0.5, 3.0, (2, 3), ceil_mode=True)", "F.lp_pool2d(x.abs() + 0.5, 1.5, 3, 2)"],
    ),
    of_volume("lp_pool3d", ["F.lp_pool3d(x.abs() + 0.5, 2.0, 2)"], FLOAT32),
    of_image("max_unpool2d", ["F.max_unpool2d(*F.max_pool2d(x[..., :16], 2, return_indices=True), 2)"], FLOAT32),
    of_image("fractional_max_pool2d", ["F.fractional_max_pool2d(x, 2, 5)"], FLOAT32),
]

RESAMPLING = [
    of_line(
        "upsample_nearest1d.forms",
        [
            "F.interpolate(x, size=17)",
            "F.interpolate(x, scale_factor=2.6)",
            "F.interpolate(x, scale_factor=0.4, recompute_scale_factor=True)",
        ],
    ),
    of_image(
        "upsample_nearest2d.forms",
        [
            "F.interpolate(x, size=(9, 40))",
            "F.interpolate(x, scale_factor=(1.3, 0.6))",
            "F.interpolate(x, scale_factor=3)",
        ],
    ),
    of_volume(
        "upsample_nearest3d.forms", ["F.interpolate(x, size=(4, 5, 13))", "F.interpolate(x, scale_factor=(2, 1, 0.5))"]
    ),
    of_line(
        "upsample_nearest_exact1d",
        ["F.interpolate(x, size=17, mode='nearest-exact')", "F.interpolate(x, scale_factor=2.6, mode='nearest-exact')"],
    ),
    of_volume("upsample_nearest_exact3d", ["F.interpolate(x, size=(4, 5, 13), mode='nearest-exact')"]),
    of_line(
        "upsample_linear1d.forms",
        [
            "F.interpolate(x, size=17, mode='linear')",
            "F.interpolate(x, scale_factor=2.6, mode='linear', align_corners=True)",
            "F.interpolate(x, scale_factor=0.7, mode='linear', recompute_scale_factor=True)",
        ],
    ),
    of_image(
        "upsample_bilinear2d.forms",
        [
            "F.interpolate(x, size=(5, 40), mode='bilinear', align_corners=True)",
            "F.interpolate(x, scale_factor=(0.6, 2.5), mode='bilinear', align_corners=False)",
            "F.interpolate(x, scale_factor=2, mode='bilinear')",
        ],
    ),
    of_volume(
        "upsample_trilinear3d.forms",
        [
            "F.interpolate(x, scale_factor=2, mode='trilinear', align_corners=True)",
            "F.interpolate(x, size=(5, 20, 4), mode='trilinear')",
        ],
    ),
    of_image(
        "upsample_bicubic2d.forms",
        [
            "F.interpolate(x, size=(9, 30), mode='bicubic', align_corners=True)",
            "F.interpolate(x, scale_factor=(1.7, 0.8), mode='bicubic')",
            "F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=False)",
        ],
    ),
    of_line(
        "interpolate.area1d",
        ["F.interpolate(x, size=9, mode='area')", "F.interpolate(x, scale_factor=0.5, mode='area')"],
    ),
    of_image(
        "interpolate.area2d",
        ["F.interpolate(x, size=(5, 6), mode='area')", "F.interpolate(x, scale_factor=1.5, mode='area')"],
    ),
    of_volume("interpolate.area3d", ["F.interpolate(x, size=(5, 4, 3), mode='area')"]),
    of_image(
        "upsample_bilinear2d_aa",
        [
            "F.interpolate(x, size=(5, 6), mode='bilinear', antialias=True)",
            "F.interpolate(x, size=(23, 31), mode='bilinear', antialias=True)",
            "F.interpolate(x, scale_factor=(1.7, 0.4), mode='bilinear', antialias=True)",
        ],
        FLOAT32,
    ),
    of_image(
        "upsample_bicubic2d_aa",
        [
            "F.interpolate(x, size=(5, 6), mode='bicubic', antialias=True)",
            "F.interpolate(x, size=(23, 31), mode='bicubic', antialias=True)",
            "F.interpolate(x, scale_factor=(1.7, 0.4), mode='bicubic', antialias=True)",
        ],
        FLOAT32,
    ),
    of_image("upsample", ["F.upsample(x, scale_factor=2)", "F.upsample(x, size=(20, 9), mode='bilinear')"]),
    forms(
        "grid_sampler_2d.forms",
        [
            "F.grid_sample(x, g, mode='nearest', padding_mode='border', align_corners=True)",
            "F.grid_sample(x, g, padding_mode='reflection', align_corners=False)",
            "F.grid_sample(x, g, padding_mode='zeros', align_corners=True)",
        ],
        FLOAT32,
        x=IMAGE,
        g=Operand((2, 6, 7, 2), low=-1.2, high=1.2),
    ),
    forms(
        "grid_sampler_3d",
        ["F.grid_sample(x, g, align_corners=False)"],
        FLOAT32,
        x=VOLUME,
        g=Operand((1, 4, 5, 3, 3), low=-1.2, high=1.2),
    ),
    of_image("im2col.forms", ["F.unfold(x, (3, 2), dilation=(2, 1), padding=1, stride=(2, 3))", "F.unfold(x, 4)"]),
    forms(
        "col2im",
        ["F.fold(x, (8, 9), (3, 2), stride=2, padding=1)", "F.fold(y, (6, 8), 2, stride=2)"],
        x=Operand((2, 18, 20)),
        y=Operand((2, 12, 12)),
    ),
]

PADS = [
    forms(
        "constant_pad_nd.forms",
        ["F.pad(x, (2, -1, 0, 3))", "F.pad(x, (1, 1, 2, 0, 0, 1), value=-2)", "F.pad(x, (-2, -3))"],
        NUMBERS,
        x=IMAGE,
    ),
    forms("constant_pad_nd.bool", ["F.pad(x > 0, (1, 2), value=True)"], x=LINE),
    of_volume("constant_pad_nd.3d", ["F.pad(x, (1, 2, 0, 1, 2, 2), value=0.5)", "F.pad(x, (0, -1, 1, -1, 0, 0))"]),
    of_line(
        "reflection_pad1d.forms",
        [
            "F.pad(x, (3, 0), mode='reflect')",
            "F.pad(x, (0, 40), mode='reflect')",
            "F.pad(x[0], (5, 6), mode='reflect')",
        ],
    ),
    of_image(
        "reflection_pad2d.forms",
        ["F.pad(x, (16, 2, 0, 13), mode='reflect')", "F.pad(x[0], (1, 0, 3, 2), mode='reflect')"],
    ),
    of_volume("reflection_pad3d", ["F.pad(x, (1, 2, 3, 0, 2, 1), mode='reflect')"], FLOAT32),
    of_line(
        "replication_pad1d.forms", ["F.pad(x, (50, 0), mode='replicate')", "F.pad(x[1], (2, 3), mode='replicate')"]
    ),
    of_image(
        "replication_pad2d.forms",
        ["F.pad(x, (20, 2, 0, 5), mode='replicate')", "F.pad(x[0], (1, 0, 3, 2), mode='replicate')"],
    ),
    of_volume("replication_pad3d.forms", ["F.pad(x, (1, 2, 3, 0, 12, 1), mode='replicate')"]),
    of_line("circular_pad.1d", ["F.pad(x, (3, 41), mode='circular')", "F.pad(x[0], (2, 0), mode='circular')"]),
    of_volume("circular_pad.3d", ["F.pad(x, (1, 2, 3, 0, 9, 1), mode='circular')"]),
]

OPERATORS = POOLS + RESAMPLING + PADS
