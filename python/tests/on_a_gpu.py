"""The example of docs/python.md with arrays on a GPU."""

import cupy
import quadscan
import torch

array = quadscan.scan(cupy.ones(1 << 28, dtype=cupy.int32))  # a cupy.ndarray
tensor = quadscan.scan(torch.ones(1 << 28, device="cuda", dtype=torch.int32))  # a torch.Tensor
assert array[-1].item() == tensor[-1].item() == 1 << 28
