"""Rows of different lengths in two arrays: row r is indices[indptr[r] : indptr[r + 1]]."""

import numpy as np


def to_csr(row: np.ndarray, value: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """indptr (rows + 1,) and indices of values (N,) that belong into given rows (N,), in their order."""
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    return indptr, value[np.argsort(row, kind="stable")]


def take_rows(indptr: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The contents of some rows, one after the other."""
    lengths = indptr[rows + 1] - indptr[rows]
    offsets = np.repeat(indptr[rows] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return indices[offsets + np.arange(lengths.sum())]
