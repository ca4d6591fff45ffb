# SPDX-License-Identifier: Apache-2.0
"""The operators of PyTorch that a candidate may call: memory, views of it, questions about it, and moving it."""

ALLOCATIONS = """empty empty_like empty_strided empty_permuted new_empty new_empty_strided zeros zeros_like new_zeros
    zero_ ones ones_like new_ones full full_like new_full fill_ scalar_tensor lift_fresh lift resize_ set_ tensor
    pin_memory _pin_memory""".split()

VIEWS = """view view_as _unsafe_view reshape reshape_as _reshape_alias as_strided as_strided_ expand expand_as permute
    transpose transpose_ t t_ numpy_T matrix_H mT mH adjoint movedim moveaxis swapaxes swapdims squeeze squeeze_
    unsqueeze unsqueeze_ select slice narrow split split_with_sizes chunk unbind tensor_split hsplit vsplit dsplit
    unsafe_split unsafe_split_with_sizes unsafe_chunk flatten unflatten ravel unfold diagonal alias detach detach_
    view_as_real view_as_complex real imag atleast_1d atleast_2d atleast_3d broadcast_to _shape_as_tensor
    requires_grad_ rename_ align_to""".split()

QUESTIONS = """size sym_size stride sym_stride numel sym_numel storage_offset sym_storage_offset dim is_contiguous
    sym_is_contiguous is_same_size is_complex is_floating_point is_signed is_conj is_neg is_inference is_leaf is_pinned
    is_set_to _version output_nr result_type can_cast promote_types device layout requires_grad retains_grad
    record_stream _has_compatible_shallow_copy_type _nnpack_available _debug_has_internal_overlap
    is_distributed""".split()

# Bytes from one place to another, in the order and type they have; counted, and told with the verdict.
COPIES = "copy_ _to_copy clone contiguous to cpu cuda".split()

# One number of a tensor to the host, as a length or a flag is: a few in each call (src/observer).
SCALARS = "item _local_scalar_dense is_nonzero".split()

PASSING = tuple(f"aten::{name}" for name in (*ALLOCATIONS, *VIEWS, *QUESTIONS, *COPIES, *SCALARS))
COUNTED = tuple(f"aten::{name}" for name in ("copy_", "clone", "contiguous"))
CANARY = "aten::_nnpack_available"
