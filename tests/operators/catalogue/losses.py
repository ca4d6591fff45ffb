# SPDX-License-Identifier: Apache-2.0
"""Losses with their reductions, weights and other arguments."""

from .case import FLOATS, Operand, Operator, forms

FLOAT32 = ("float32",)
REDUCTIONS = ("none", "sum", "mean")
ROWS, CLASSES = 23, 11

PREDICTION = Operand((ROWS, CLASSES), strided=True)
TARGET = Operand((ROWS, CLASSES))
PROBABILITY = Operand((ROWS, CLASSES), low=0.02, high=0.98)
SIGN = "torch.where(y > 0, 1.0, -1.0).to(x.dtype)"


def reduced(name: str, call: str, dtypes: tuple[str, ...] = FLOATS, **operands: Operand) -> Operator:
    """`call` lacks its closing parenthesis; each case has another reduction."""
    named = {"x": PREDICTION, "y": TARGET, **operands}
    return forms(name, [f"{call}, reduction='{reduction}')" for reduction in REDUCTIONS], dtypes, **named)


ELEMENTWISE = [
    reduced("mse_loss.reductions", "F.mse_loss(x, y"),
    reduced("mse_loss.weight", "F.mse_loss(x, y, weight=w", w=Operand((ROWS, CLASSES), low=0.5, high=1.5)),
    reduced("l1_loss.reductions", "F.l1_loss(x, y"),
    reduced("smooth_l1_loss.reductions", "F.smooth_l1_loss(x, y, beta=0.4"),
    reduced("smooth_l1_loss.beta_zero", "F.smooth_l1_loss(x, y, beta=0.0"),
    reduced("huber_loss.reductions", "F.huber_loss(x, y, delta=1.3"),
    reduced("kl_div.reductions", "F.kl_div(torch.log_softmax(x, 1), torch.softmax(y, 1)"),
    reduced("kl_div.log_target", "F.kl_div(torch.log_softmax(x, 1), torch.log_softmax(y, 1), log_target=True"),
    reduced("binary_cross_entropy.reductions", "F.binary_cross_entropy(x, y", x=PROBABILITY, y=PROBABILITY),
    reduced(
        "binary_cross_entropy.weight", "F.binary_cross_entropy(x, y, w", x=PROBABILITY, y=PROBABILITY, w=PROBABILITY
    ),
    reduced(
        "binary_cross_entropy_with_logits.weight",
        "F.binary_cross_entropy_with_logits(x, p, w",
        p=PROBABILITY,
        w=Operand((CLASSES,), low=0.5, high=1.5),
    ),
    reduced(
        "binary_cross_entropy_with_logits.pos_weight",
        "F.binary_cross_entropy_with_logits(x, p, pos_weight=w",
        p=PROBABILITY,
        w=Operand((CLASSES,), low=0.5, high=1.5),
    ),
    reduced("soft_margin_loss.reductions", f"F.soft_margin_loss(x, {SIGN}"),
    reduced("hinge_embedding_loss.margin", f"F.hinge_embedding_loss(x, {SIGN}, margin=0.7"),
    reduced("margin_ranking_loss.reductions", f"F.margin_ranking_loss(x, x * y, {SIGN}, margin=0.3"),
    reduced("cosine_embedding_loss.margin", f"F.cosine_embedding_loss(x, y, {SIGN}[:, 0], margin=0.2"),
    reduced("triplet_margin_loss.swap", "F.triplet_margin_loss(x, y, x * 0.5 + y, margin=0.5, p=1, swap=True"),
    reduced(
        "triplet_margin_with_distance_loss",
        "F.triplet_margin_with_distance_loss(x, y, x * 0.5 + y, distance_function=F.pairwise_distance",
    ),
    reduced("poisson_nll_loss.full", "F.poisson_nll_loss(x, y.abs() * 3, full=True"),
    reduced("poisson_nll_loss.rate", "F.poisson_nll_loss(x.abs() + 0.2, y.abs(), log_input=False"),
    reduced("gaussian_nll_loss.full", "F.gaussian_nll_loss(x, y, p.abs() + 0.5, full=True", p=PROBABILITY),
    reduced(
        "multilabel_soft_margin_loss.weight",
        "F.multilabel_soft_margin_loss(x, (y > 0).to(x.dtype), weight=w",
        w=Operand((CLASSES,), low=0.5, high=1.5),
    ),
    reduced(
        "multilabel_margin_loss", "F.multilabel_margin_loss(x, t", FLOAT32, t=Operand((ROWS, CLASSES), "int64", -1, 6)
    ),
]

LABELS = Operand((ROWS,), "int64", 0, CLASSES)
WEIGHT = Operand((CLASSES,), low=0.5, high=1.5)
IMAGE = Operand((2, 5, 7, 9), strided=True)
IMAGE_LABELS = Operand((2, 7, 9), "int64", 0, 5)
IMAGE_WEIGHT = Operand((5,), low=0.5, high=1.5)

OF_CLASSES = [
    reduced("nll_loss.weight", "F.nll_loss(x, t, w", t=LABELS, w=WEIGHT),
    reduced("nll_loss.ignore_index", "F.nll_loss(x, t, ignore_index=3", t=LABELS),
    reduced("nll_loss2d", "F.nll_loss(x, t, w", x=IMAGE, t=IMAGE_LABELS, w=IMAGE_WEIGHT),
    reduced("cross_entropy.reductions", "F.cross_entropy(x, t", t=LABELS),
    reduced("cross_entropy.weighted", "F.cross_entropy(x, t, w, ignore_index=2", t=LABELS, w=WEIGHT),
    reduced("cross_entropy.2d", "F.cross_entropy(x, t, w", x=IMAGE, t=IMAGE_LABELS, w=IMAGE_WEIGHT),
    reduced("cross_entropy.2d_smoothed", "F.cross_entropy(x, t, label_smoothing=0.2", x=IMAGE, t=IMAGE_LABELS),
    reduced(
        "cross_entropy.smoothed_weighted",
        "F.cross_entropy(x, t, w, label_smoothing=0.1, ignore_index=1",
        t=LABELS,
        w=WEIGHT,
    ),
    reduced("cross_entropy.soft", "F.cross_entropy(x, torch.softmax(y, 1)"),
    reduced("cross_entropy.soft_weighted", "F.cross_entropy(x, torch.softmax(y, 1), w", w=WEIGHT),
    reduced("cross_entropy.soft_smoothed", "F.cross_entropy(x, torch.softmax(y, 1), label_smoothing=0.1"),
    forms("cross_entropy.one", ["F.cross_entropy(x, t)"], x=Operand((9,)), t=Operand((), "int64", 0, 9)),
    reduced("multi_margin_loss.weight", "F.multi_margin_loss(x, t, margin=0.8, weight=w", FLOAT32, t=LABELS, w=WEIGHT),
    reduced("multi_margin_loss.p2", "F.multi_margin_loss(x, t, p=2", FLOAT32, t=LABELS),
]

OPERATORS = ELEMENTWISE + OF_CLASSES
