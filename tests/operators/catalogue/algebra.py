# SPDX-License-Identifier: Apache-2.0
"""Products, einsum's forms, norms of matrices, diagonals: what is called linear algebra and needs no factorisation."""

from .case import FLOATS, NUMBERS, Operand, Operator, forms

FLOAT32 = ("float32",)
NAMED = {
    "v": Operand((17,)),
    "u": Operand((17,)),
    "x": Operand((13, 17), strided=True),
    "y": Operand((17, 21), strided=True),
    "z": Operand((13, 17)),
    "s": Operand((17, 17)),
    "b": Operand((3, 13, 17)),
    "c": Operand((3, 17, 9)),
    "d": Operand((2, 1, 17, 6)),
    "h": Operand((2, 5, 4, 8)),
    "g": Operand((2, 7, 4, 8)),
    "p": Operand((9, 3)),
    "q": Operand((9, 3)),
}


def algebra(name: str, *expressions: str, dtypes: tuple[str, ...] = FLOATS) -> Operator:
    return forms(name, list(expressions), dtypes, **NAMED)


PRODUCTS = [
    algebra("matmul.forms", "torch.matmul(v, u)", "torch.matmul(v, c)", "torch.matmul(b, v)"),
    algebra("matmul.broadcast", "b @ d", "torch.matmul(b.unsqueeze(1), c)", "x @ c"),
    algebra("matmul.integers", "torch.matmul(x, y)", "torch.mm(x, y)", "b @ c", dtypes=("int64", "int32")),
    algebra("addmm.forms", "torch.addmm(x @ y, x, y)", "torch.addmm(v[:1], x, y, beta=0, alpha=-1)", "x.addmm(z, s)"),
    algebra("baddbmm.forms", "torch.baddbmm(c[:, :13], b, c, alpha=0.5)", "torch.baddbmm(v[0], b, c, beta=2)"),
    algebra("addmv.forms", "torch.addmv(x[:, 0], z, v, beta=0.5, alpha=2)", "torch.addmv(v[0], x, v)"),
    algebra("addr.forms", "torch.addr(s, v, u, beta=0.5, alpha=2)", "torch.addr(v, v, u)"),
    algebra("ger", "torch.ger(v, u)", "torch.outer(v, v[:5])", dtypes=NUMBERS),
    algebra(
        "linalg_vecdot",
        "torch.linalg.vecdot(x, z)",
        "torch.linalg.vecdot(b, v, dim=-1)",
        "torch.linalg.vecdot(x, z, dim=0)",
    ),
    algebra(
        "tensordot.forms",
        "torch.tensordot(b, c, dims=([2], [1]))",
        "torch.tensordot(x, z, dims=([0, 1], [0, 1]))",
        "torch.tensordot(v, u, 0)",
    ),
    algebra("chain_matmul.forms", "torch.chain_matmul(x, y, y.t())", "torch.linalg.multi_dot([v, y, y.t(), u])"),
    algebra(
        "linalg_cross.forms",
        "torch.linalg.cross(p, q)",
        "torch.cross(p.t(), q.t(), dim=0)",
        "torch.linalg.cross(p, q[:1])",
    ),
    algebra("kron.forms", "torch.kron(v, u)", "torch.kron(z, p)", "torch.kron(p[:2], b[:2, :2, :3])"),
    algebra(
        "cdist.p",
        "torch.cdist(x, z, p=1.0)",
        "torch.cdist(b, b, p=float('inf'))",
        "torch.cdist(x, z, p=3.0)",
        dtypes=FLOAT32,
    ),
    algebra(
        "pairwise_distance.forms", "F.pairwise_distance(x, z, p=1.0, keepdim=True)", "F.pairwise_distance(x, z, p=3.0)"
    ),
    algebra("cosine_similarity.forms", "F.cosine_similarity(x, z, dim=0)", "F.cosine_similarity(b, v, dim=-1)"),
    algebra("cartesian_prod", "torch.cartesian_prod(v[:4], u[:5])", "torch.cartesian_prod(v[:3])", dtypes=NUMBERS),
    algebra("combinations", "torch.combinations(v[:5])", "torch.combinations(v[:4], 2, True)", dtypes=NUMBERS),
    algebra("cov.forms", "torch.cov(x)", "torch.cov(x, correction=0)", "torch.cov(v)"),
    algebra("corrcoef.forms", "torch.corrcoef(x)"),
]

EINSUM = [
    algebra(
        "einsum.transpose",
        "torch.einsum('ij->ji', x)",
        "torch.einsum('bij->jbi', b)",
        "torch.einsum('...ij->...ji', h)",
    ),
    algebra("einsum.diagonal", "torch.einsum('ii->i', s)", "torch.einsum('ii', s)", "torch.einsum('ii,i->i', s, v)"),
    algebra("einsum.sum", "torch.einsum('ij->', x)", "torch.einsum('ij->j', x)", "torch.einsum('bij->i', b)"),
    algebra(
        "einsum.outer",
        "torch.einsum('i,j->ij', v, u)",
        "torch.einsum('i,j', v, u)",
        "torch.einsum('i,j,k->ijk', v, u, v[:3])",
    ),
    algebra(
        "einsum.ellipsis",
        "torch.einsum('...ij,...jk->...ik', b, c)",
        "torch.einsum('b...,...->b', b, z)",
        "torch.einsum('...i,i->...', h, v[:8])",
    ),
    algebra("einsum.bilinear", "torch.einsum('ni,ij,nj->n', x, s, z)", "torch.einsum('i,ij,j->', v, s, u)"),
    algebra("einsum.implicit", "torch.einsum('ij,jk', x, y)", "torch.einsum('ba', x)", "torch.einsum('ij,ij', x, z)"),
    algebra(
        "einsum.attention",
        "torch.einsum('bqhd,bkhd->bhqk', h, g)",
        "torch.einsum('bhqk,bkhd->bqhd', torch.einsum('bqhd,bkhd->bhqk', h, g), g)",
    ),
    algebra(
        "einsum.hadamard",
        "torch.einsum('ij,ij->ij', x, z)",
        "torch.einsum('bij,ij->bij', b, z)",
        "torch.einsum('bij,j->bi', b, v)",
    ),
]

MATRICES = [
    algebra(
        "linalg_matrix_norm",
        "torch.linalg.matrix_norm(x)",
        "torch.linalg.matrix_norm(b, 1)",
        "torch.linalg.matrix_norm(b, float('-inf'), keepdim=True)",
    ),
    algebra(
        "linalg_norm", "torch.linalg.norm(x)", "torch.linalg.norm(x, float('inf'))", "torch.linalg.norm(b, 2, dim=1)"
    ),
    algebra("linalg_norm.nuclear", "torch.linalg.norm(x, 'nuc')", "torch.linalg.matrix_norm(x, 2)", dtypes=FLOAT32),
    algebra(
        "linalg_vector_norm.forms",
        "torch.linalg.vector_norm(x)",
        "torch.linalg.vector_norm(b, 0.5, (0, 2))",
        "torch.linalg.vector_norm(x, 0, 1)",
    ),
    algebra("norm.forms", "torch.norm(x, 1)", "x.norm(p=float('inf'), dim=1)", "x.norm(dim=(0, 1), keepdim=True)"),
    algebra("norm.fro", "torch.norm(x, p='fro')", "x.norm('fro', dim=1)"),
    algebra(
        "normalize.forms",
        "F.normalize(x, p=1.0, dim=0)",
        "F.normalize(b, p=float('inf'), dim=2)",
        "F.normalize(v, dim=0)",
    ),
    algebra("trace.forms", "torch.trace(x)", "torch.trace(s)", dtypes=NUMBERS),
    algebra("tril.forms", "torch.tril(x, -2)", "torch.tril(b, 3)", "s.tril()", dtypes=NUMBERS),
    algebra("triu.forms", "torch.triu(x, 1)", "torch.triu(b, -20)", "s.triu(40)", dtypes=NUMBERS),
    algebra("diag", "torch.diag(v, 1)", "torch.diag(x, -2)", "torch.diag(s)", dtypes=NUMBERS),
    algebra("diagflat", "torch.diagflat(v[:5])", "torch.diagflat(x[:2, :3], 1)", dtypes=NUMBERS),
    algebra(
        "diagonal.forms",
        "torch.diagonal(x, -2) * 2",
        "torch.diagonal(b, 1, 1, 2) + 1",
        "torch.diagonal(h, 0, -1, 1) * 2",
        dtypes=NUMBERS,
    ),
    algebra("diag_embed.forms", "torch.diag_embed(v[:6], -1)", "torch.diag_embed(x[:3, :4], 0, 0, 2)", dtypes=NUMBERS),
    algebra("block_diag.forms", "torch.block_diag(x, p, v)", dtypes=NUMBERS),
    algebra("linalg_diagonal", "torch.linalg.diagonal(b, offset=1) * 2", dtypes=NUMBERS),
    algebra("mT", "x.mT * 2", "x.T + 1", "b.mH * 2", dtypes=NUMBERS),
    algebra(
        "matrix_power.forms",
        "torch.linalg.matrix_power(s, 0) + s",
        "torch.matrix_power(s, 2)",
        "torch.linalg.matrix_power(s, 5)",
    ),
    algebra(
        "vander.forms", "torch.vander(v, 4)", "torch.linalg.vander(v, N=3)", "torch.vander(v, 3, True)", dtypes=FLOAT32
    ),
    algebra(
        "diagonal_scatter",
        "torch.diagonal_scatter(s, v)",
        "torch.diagonal_scatter(b, x[:3, :13], 0, 1, 2)",
        dtypes=NUMBERS,
    ),
]

NEVER = [
    algebra("linalg_pinv", "torch.linalg.pinv(x)", dtypes=FLOAT32),
    algebra("linalg_lstsq", "torch.linalg.lstsq(s, x.t())[0]", dtypes=FLOAT32),
    algebra("linalg_solve_triangular", "torch.linalg.solve_triangular(s, x.t(), upper=True)", dtypes=FLOAT32),
    algebra("linalg_lu", "torch.linalg.lu_factor(s)[0]", dtypes=FLOAT32),
    algebra("linalg_slogdet", "torch.linalg.slogdet(s)[1]", dtypes=FLOAT32),
    algebra("linalg_matrix_rank", "torch.linalg.matrix_rank(s)", dtypes=FLOAT32),
    algebra("fft_fftshift", "torch.fft.fftshift(x)", dtypes=FLOAT32),
]

OPERATORS = PRODUCTS + EINSUM + MATRICES + NEVER
