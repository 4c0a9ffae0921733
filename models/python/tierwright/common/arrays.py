"""Arrays of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def share(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """`part / whole`, and 0 where the whole is 0."""
    whole_ = np.asarray(whole, dtype=np.float64)
    part_ = np.asarray(part, dtype=np.float64)
    if not whole_.ndim and not part_.ndim:
        one = float(whole_)
        return np.asarray(float(part_) / one if one else 0.0)
    shape = np.broadcast_shapes(whole_.shape, part_.shape)
    return np.divide(part_, whole_, out=np.zeros(shape), where=whole_ != 0)
