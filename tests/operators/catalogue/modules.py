# SPDX-License-Identifier: Apache-2.0
"""Activations with arguments, norms, attention as modules call it, recurrent layers and cells, embeddings."""

from .case import FLOATS, Operand, Operator, forms

FLOAT32 = ("float32",)
HIDDEN, WIDTH = 6, 5
NAMED = {
    "x": Operand((4, 8, 9), strided=True),
    "y": Operand((4, 8, 9, 7)),
    "w": Operand((8,), low=0.5, high=1.5),
    "b": Operand((8,)),
    "m": Operand((8,)),
    "v": Operand((8,), low=0.5, high=1.5),
    "l": Operand((9,), low=0.5, high=1.5),
    "a": Operand((8,), low=0.1, high=0.4),
    "s": Operand((7, 3, WIDTH)),
    "h": Operand((2, 3, HIDDEN)),
    "c": Operand((2, 3, HIDDEN)),
    "i": Operand((5, 4), "int64", 0, 13),
    "o": Operand((3,), "int64", 0, 1),
    "t": Operand((13, 11)),
    "p": Operand((5, 4), low=0.2, high=1.5),
    "q": Operand((5, 3, 8)),
    "k": Operand((6, 3, 8)),
    "qkv": Operand((24, 8), low=-0.4, high=0.4),
    "qkvb": Operand((24,)),
    "proj": Operand((8, 8), low=-0.4, high=0.4),
}


def gates(count: int) -> dict[str, Operand]:
    """The weights of two layers or directions; those of a second layer take the first one's results."""
    rows = count * HIDDEN
    return {
        "wi": Operand((rows, WIDTH), low=-0.4, high=0.4),
        "wh": Operand((rows, HIDDEN), low=-0.4, high=0.4),
        "bi": Operand((rows,), low=-0.4, high=0.4),
        "bh": Operand((rows,), low=-0.4, high=0.4),
        "vi": Operand((rows, WIDTH), low=-0.4, high=0.4),
        "vh": Operand((rows, HIDDEN), low=-0.4, high=0.4),
        "ui": Operand((rows, HIDDEN), low=-0.4, high=0.4),
    }


def module(name: str, *expressions: str, dtypes: tuple[str, ...] = FLOATS, **more: Operand) -> Operator:
    return forms(name, list(expressions), dtypes, **{**NAMED, **more})


ACTIVATIONS = [
    module("celu.alpha", "F.celu(x, 0.5)", "F.celu(x, 2.0)"),
    module("elu.alpha", "F.elu(x, 0.5)", "F.elu(x, 1.7)"),
    module("hardshrink.lambd", "F.hardshrink(x, 0.2)", "F.softshrink(x, 0.7)", "F.hardshrink(x, 0.0)"),
    module("hardtanh.bounds", "F.hardtanh(x, -0.3, 0.8)", "F.hardtanh(x, 0.0, 2.0)"),
    module("leaky_relu.slope", "F.leaky_relu(x, 0.2)", "F.leaky_relu(x, -0.5)", "F.leaky_relu(x, 0.0)"),
    module("threshold.forms", "F.threshold(x, -0.5, 2.0)", "F.threshold(x, 0.0, float('-inf')).exp()"),
    module("prelu.forms", "F.prelu(x, a)", "F.prelu(y, a[:1])"),
    module("glu.forms", "F.glu(y[:, :, :8], 2)", "F.glu(y[..., :6])"),
    module("softplus.forms", "F.softplus(x, 0.5, 3)", "F.softplus(x, beta=4)"),
    module("rrelu.train", "F.rrelu(x, training=True)"),
    module("gumbel_softmax", "F.gumbel_softmax(x)", dtypes=FLOAT32),
    module(
        "dropout1d.eval",
        "F.dropout1d(x, training=False)",
        "F.feature_alpha_dropout(x, training=False)",
        "F.dropout3d(y, training=False)",
    ),
]

NORMS = [
    module(
        "batch_norm.forms",
        "F.batch_norm(x, m, v)",
        "F.batch_norm(y, m, v, w, eps=1e-3)",
        "F.batch_norm(x[..., 0], m, v, w, b)",
    ),
    module(
        "batch_norm.statistics",
        "F.batch_norm(y, None, None, training=True)",
        "F.batch_norm(x, None, None, None, b, True)",
    ),
    module(
        "layer_norm.forms",
        "F.layer_norm(x, (9,))",
        "F.layer_norm(x, (9,), l, None)",
        "F.layer_norm(y, (8, 9, 7), eps=1e-3)",
    ),
    module(
        "group_norm.forms",
        "F.group_norm(y, 8, w, b, 1e-3)",
        "F.group_norm(x, 1, w)",
        "F.group_norm(x[..., 0], 4, w, b)",
    ),
    module(
        "instance_norm.forms",
        "F.instance_norm(y, m, v, w, b, use_input_stats=False)",
        "F.instance_norm(y, None, None, w)",
    ),
    module("rms_norm.forms", "F.rms_norm(x, (9,))", "F.rms_norm(x, (8, 9))", "F.rms_norm(x, (9,), l)"),
    module(
        "local_response_norm.forms",
        "F.local_response_norm(y, 4, 0.01, 0.5, 2.0)",
        "F.local_response_norm(x, 3)",
        dtypes=FLOAT32,
    ),
    module("weight_norm", "torch._weight_norm(x, x[:, :1, :1] + 2, 0)"),
]

ATTENTION = [
    module(
        "multi_head_attention",
        "F.multi_head_attention_forward(q, q, q, 8, 2, qkv, qkvb, None, None, False, 0.0, proj, b, training=False)",
        "F.multi_head_attention_forward(q, k, k, 8, 4, qkv, None, None, None, False, 0.0, proj, b, need_weights=False)",
        "F.multi_head_attention_forward(q, q, q, 8, 2, qkv, qkvb, None, None, True, 0.0, proj, None, False,"
        " average_attn_weights=False, attn_mask=torch.triu(torch.ones(5, 5, dtype=torch.bool), 1))",
    ),
    module(
        "scaled_dot_product_attention.forms",
        "F.scaled_dot_product_attention(x, x, x * 2)",
        "F.scaled_dot_product_attention(x[None], x[None], x[None], scale=0.5, is_causal=True)",
        "F.scaled_dot_product_attention(x, x, x, attn_mask=x @ x.mT)",
    ),
]

LSTM, GRU, RNN = gates(4), gates(3), gates(1)
RECURRENT = [
    module("lstm.input", "torch.lstm(s, (h[:1], c[:1]), [wi, wh, bi, bh], True, 1, 0.0, False, False, False)", **LSTM),
    module(
        "lstm.both_ways",
        "torch.lstm(s, (h, c), [wi, wh, bi, bh, vi, vh, bh, bi], True, 1, 0.0, False, True, False)",
        "torch.lstm(s, (z, 1 - z), [wi, wh, vi, vh], False, 1, 0.0, False, True, True)",
        z=Operand((2, 7, HIDDEN)),
        **LSTM,
    ),
    module(
        "lstm.layers",
        "torch.lstm(s, (h, c), [wi, wh, bi, bh, ui, vh, bh, bi], True, 2, 0.0, False, False, False)",
        **LSTM,
    ),
    module("gru.input", "torch.gru(s, h[:1], [wi, wh, bi, bh], True, 1, 0.0, False, False, False)", **GRU),
    module("gru.bidirectional", "torch.gru(s, h, [wi, wh, vi, vh], False, 1, 0.0, False, True, False)", **GRU),
    module("gru.layers", "torch.gru(s, h, [wi, wh, bi, bh, ui, vh, bh, bi], True, 2, 0.0, False, False, False)", **GRU),
    module("rnn_tanh.input", "torch.rnn_tanh(s, h[:1], [wi, wh, bi, bh], True, 1, 0.0, False, False, False)", **RNN),
    module("rnn_relu.input", "torch.rnn_relu(s, h, [wi, wh, vi, vh], False, 1, 0.0, False, True, False)", **RNN),
    module(
        "lstm_cell",
        "torch.lstm_cell(s[0], (h[0], c[0]), wi, wh, bi, bh)",
        "torch.lstm_cell(s[1], (h[0], c[0]), wi, wh)",
        **LSTM,
    ),
    module("gru_cell", "torch.gru_cell(s[0], h[0], wi, wh, bi, bh)", "torch.gru_cell(s[1], h[0], wi, wh)", **GRU),
    module(
        "rnn_tanh_cell",
        "torch.rnn_tanh_cell(s[0], h[0], wi, wh, bi, bh)",
        "torch.rnn_relu_cell(s[1], h[0], wi, wh)",
        **RNN,
    ),
]

EMBEDDINGS = [
    module("embedding.forms", "F.embedding(i, t)", "F.embedding(i, t, padding_idx=3)", "F.embedding(i[0, 0], t)"),
    module("embedding.max_norm", "F.embedding(i, t.clone(), max_norm=1.0)", dtypes=FLOAT32),
    module(
        "embedding_bag.sum",
        "F.embedding_bag(i, t, mode='sum')",
        "F.embedding_bag(i, t, mode='sum', per_sample_weights=p)",
    ),
    module(
        "embedding_bag.mean",
        "F.embedding_bag(i, t)",
        "F.embedding_bag(i, t, padding_idx=2)",
        "F.embedding_bag(i, t, mode='max')",
    ),
    module("embedding_bag.offsets", "F.embedding_bag(i[:, 0], t, o, mode='sum')"),
]

OPERATORS = ACTIVATIONS + NORMS + ATTENTION + RECURRENT + EMBEDDINGS
