# SPDX-License-Identifier: Apache-2.0
"""Texts that tokenizers differ on, by seed."""
from __future__ import annotations

import random
import string
import sys
import unicodedata

SPACES = (" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u180e"
          "\u2000\u2007\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff")
WORDS = ["'s", "'S", "'\u017f", "'t", "'RE", "'ve", "'m", "'LL", "'d", "\u2019s", "don't", "I'M", "it''s", "a'b",
         "__global__", "void", "float4", "<<<grid, block>>>", "threadIdx.x", "#pragma unroll", "0x1F", "1e-05", "3.14f",
         "//", "/*", "*/", "->", "::", "&&", "\\n", "%d", "int i = 0;", "\r\n", "\n\n", "\t\t", "    ", "  \n", "\n  ",
         "123", "1234567", "\u00bd", "\u00b2", "\u0664\u0665", "\u2167", "\U0001d7d9", "\u4e94", "\u096a",
         "\u4f60\u597d", "\u65e5\u672c\u8a9e", "\ud55c\uad6d", "\u1112\u1161\u11ab", "\u0e44\u0e17\u0e22",
         "\u05e9\u05dc\u05d5\u05dd",
         "\u0627\u0644\u0639", "\u043f\u0440\u0438", "\u00e9", "e\u0301", "\u1e9b\u0323", "q\u0307\u0323", "\u212b",
         "\u2126", "\ufb01", "\ufb03", "\u00df", "\u0130", "\u0958", "\u1e69", "s\u0323\u0307", "\u0344", "\u2adc",
         "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea",
         "\u2764\ufe0f", "\U0001f44d\U0001f3fd",
         "\ue000", "\U0010ffff", "\ufffd", "\ufffe", "\x00", "\x7f", "\u0301", "\u200d", "\u0378"]
TOKENS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<|im_start|", "<|im_", "im_end|>",
          "<tool_call>", "<|im_start|><|im_end|>", "<|im_start|>user\n", " <strip> ", "\t<strip>\u2003", "<word>",
          "a<word>", " <word> ", "<word>b", "caf\u00e9", "cafe\u0301", "<think><think>", "<|im_end|>\n\n"]


def known_characters() -> list[str]:
    """Those of the Unicode version that every library here has tables of."""
    return [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]


def hostile_texts(seed: int, count: int) -> list[str]:
    choose = random.Random(seed)
    known = known_characters()

    def piece() -> str:
        kind = choose.random()
        if kind < 0.3:
            return choose.choice(WORDS)
        if kind < 0.45:
            return choose.choice(TOKENS)
        if kind < 0.65:
            return "".join(choose.choices(SPACES, k=choose.randint(1, 4)))
        if kind < 0.8:
            return "".join(choose.choices(string.ascii_letters, k=choose.randint(1, 9)))
        if kind < 0.9:
            return "".join(choose.choices(string.digits + string.punctuation, k=choose.randint(1, 5)))
        return "".join(choose.choices(known, k=choose.randint(1, 3)))

    texts = ["", " ", "\n", "\x00", "\u180e", "a" * 3000, " " * 3000, "\n" * 500, "ab " * 500, "\u0301" * 200,
             "<|im_end|>" * 50, "1" * 1000, "\u4e2d" * 500, " \n" * 300, "'s" * 300]
    while len(texts) < count:
        texts.append("".join(piece() for _ in range(choose.randint(1, 12))))
    return texts[:count]
