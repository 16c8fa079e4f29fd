import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._quadscan import Device as Device
from ._quadscan import DeviceArray as DeviceArray
from ._quadscan import Error as Error

__all__ = [
    "Device", "DeviceArray", "Error", "Integrals", "Status",
    "devices", "integrands", "integrate", "integrate_samples", "open", "operations", "reduce", "scan",
]

_A = TypeVar("_A")
_Op = Literal["sum", "product", "min", "max", "affine"]
_Rule = Literal["g10k21", "g7k15", "tanh-sinh", "cubature", "vegas", "lattice", "sobol"]

class Status(enum.IntEnum):
    CONVERGED = 0
    OUT_OF_INTERVALS = 1
    NOT_FINITE = 2
    ROUNDOFF = 3
    NO_LIMITS = 4
    OVERFLOW = 5
    OUT_OF_ROOM = 6
    DISAGREE = 7
    UNSEEN = 8

class Integrals(NamedTuple):
    value: Any
    error: Any
    status: Any
    evaluations: Any

def devices() -> list[str]: ...
def open(name: str = "auto") -> Device: ...
def operations() -> list[tuple[str, str, str, str]]: ...
def integrands() -> dict[str, tuple[str, list[str], tuple[float, float]]]: ...
@overload
def scan(
    array: Sequence[Any],
    op: _Op = "sum",
    *,
    exclusive: bool = False,
    axis: int | None = None,
    out: NDArray[Any] | None = None,
    keys: ArrayLike | None = None,
    segments: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
) -> NDArray[Any]: ...
@overload
def scan(
    array: _A,
    op: _Op = "sum",
    *,
    exclusive: bool = False,
    axis: int | None = None,
    out: _A | None = None,
    keys: Any | None = None,
    segments: Any | None = None,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
) -> _A: ...
def reduce(
    array: Any,
    op: Literal["sum", "min", "max", "affine"] = "sum",
    *,
    axis: int | None = None,
    segments: Any | None = None,
    dtype: DTypeLike | None = None,
    device: Device | str | None = None,
) -> Any: ...
def integrate(
    function: str,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    /,
    *,
    over: Mapping[str, tuple[float, float]] | None = None,
    rule: _Rule | None = None,
    rtol: float | None = None,
    atol: float = 0.0,
    breaks: Iterable[float] = (),
    limit: int | None = None,
    dtype: DTypeLike = "float64",
    device: Device | str | None = None,
    principal_value: ArrayLike | None = None,
    evaluations: int | None = None,
    seed: int | None = None,
    fourier: tuple[Literal["sin", "cos"], ArrayLike] | tuple[Literal["sin", "cos"], ArrayLike, ArrayLike] | None = None,
    rounding: bool = False,
    **parameters: ArrayLike,
) -> Integrals: ...
def integrate_samples(
    y: ArrayLike,
    x: ArrayLike | None = None,
    dx: float | None = None,
    *,
    rule: Literal["simpson", "trapezoid", "gregory"] = "simpson",
    cumulative: bool = False,
    device: Device | str | None = None,
) -> Any: ...
