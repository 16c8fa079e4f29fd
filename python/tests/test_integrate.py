"""Integrals, beside closed forms."""

import math

import numpy as np
import pytest

import quadscan
from quadscan import Status


def test_limits_and_parameters_are_broadcast(device):
    a, u = np.array([[1.0], [2.0]]), np.array([0.0, 0.5, 1.0])
    found = quadscan.integrate("genz_gaussian", 0.0, 1.0, a=a, u=u, device=device)
    # By the error function, at both limits.
    expected = np.vectorize(
        lambda a, u: math.sqrt(math.pi) / (2 * a) * (math.erf(a * (1 - u)) + math.erf(a * u))
    )(a, u)
    assert found.value.shape == found.status.shape == (2, 3)
    np.testing.assert_allclose(found.value, expected, rtol=1e-10)
    assert (np.abs(found.value - expected) <= found.error + 1e-15).all()
    assert (found.status == Status.CONVERGED).all() and (found.evaluations >= 21).all()


def test_numbers_give_numbers_and_limits_have_a_default(device):
    found = quadscan.integrate("gaussian", device=device)
    assert isinstance(found.value, np.float64) and found.status == Status.CONVERGED
    assert found.value == pytest.approx(math.sqrt(2 * math.pi), rel=1e-10)


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("rule", ["g7k15", "g10k21", "tanh-sinh"])
def test_every_rule_in_both_types(device, rule, dtype, tolerance):
    found = quadscan.integrate("quarter_circle", rule=rule, dtype=dtype, device=device)
    assert found.value.dtype == dtype
    assert found.value == pytest.approx(math.pi / 4, rel=tolerance)


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("rule", ["g10k21", "tanh-sinh"])
def test_a_formula_is_integrated(device, rule, dtype, tolerance):
    k = np.array([0.0, 1.0, 2.5])
    found = quadscan.integrate(
        "exp(-x^2) * cos(k*x)", 0.0, math.inf, k=k, rule=rule, dtype=dtype, device=device
    )
    expected = math.sqrt(math.pi) / 2 * np.exp(-k * k / 4)
    np.testing.assert_allclose(found.value, expected, rtol=tolerance)
    assert quadscan.integrate("x", 0, 2, device=device).value == pytest.approx(2.0)


def test_a_formula_is_integrated_over_a_box(device):
    k = np.array([[1.0], [2.0]])
    found = quadscan.integrate(
        "exp(-k*(x^2 + r*r)) * w", over={"x": (-math.inf, math.inf), "r": (0, math.inf)},
        k=k, w=[1.0, 3.0], device=device,
    )
    expected = math.pi / (2 * k) * np.array([1.0, 3.0])
    assert (np.abs(found.value - expected) <= found.error).all()
    assert (found.error <= 1e-6 * expected).all() and (found.status == Status.CONVERGED).all()
    alone = quadscan.integrate(
        "x*y", over={"x": (0, 2), "y": (1, 0)}, rtol=1e-3, breaks=np.array([]), device=device
    )
    assert alone.value == pytest.approx(-1.0) and alone.evaluations.dtype == np.uint64
    few = quadscan.integrate(
        "exp(-9*abs(x - y))", over={"x": (0, 1), "y": (0, 1)}, limit=30, device=device
    )
    assert few.status == Status.OUT_OF_ROOM


@pytest.mark.parametrize("rule", ["vegas", "lattice", "sobol"])
def test_random_points_have_integrals_of_many_variables(device, rule):
    names = [f"r{k}" for k in range(11)]
    asked = dict(over=dict.fromkeys(names, (0, 1)), k=[1.0, 2.0], rule=rule, rtol=2e-2, evaluations=2**14)
    found = quadscan.integrate("exp(-k*(r0 + r10))", **asked, device=device)
    exact = (-np.expm1(-np.array([1.0, 2.0])) / [1.0, 2.0]) ** 2
    assert (np.abs(found.value - exact) <= 5 * found.error).all()
    assert found.status.tolist() == [Status.CONVERGED] * 2
    other = quadscan.integrate("exp(-k*(r0 + r10))", **asked, seed=1, device=device)
    assert (other.value != found.value).all()
    nothing = quadscan.integrate("0*x", over={"x": (0, 1)}, rule=rule, evaluations=2**13, device=device)
    assert nothing.status == Status.UNSEEN


@pytest.mark.parametrize(
    "over, options, said",
    [
        ({"x": (0, 1)}, {"y": 1}, "limits are 1, allowed are 2 to 10"),
        ({"x": (0, 1), "y": (0,)}, {}, "over is .*, allowed are variables with two limits each"),
        ({"x": (0, 1), "y": (0, math.nan)}, {}, "limits of y are 0.0 to NaN, allowed"),
        ({"x": (0, 1), "z": (0, 1)}, {}, "y is not given, the parameters of x\\*y are: y"),
        ({"x": (0, 1), "y": (0, 1)}, {"rule": "g7k15"}, "rule is 'g7k15', allowed beside over are cubature, vegas"),
        ({"x": (0, 1), "y": (0, 1)}, {"dtype": "float32"}, "dtype is float32, allowed beside over is float64"),
        ({"x": (0, 1), "y": (0, 1)}, {"breaks": np.array([0.25, 0.5])}, "breaks is given beside over"),
        ({"x": (0, 1), "y": (0, 1)}, {"seed": 1}, "seed is given beside rule cubature, allowed is it with vegas"),
        ({"x": (0, 1), "y": (0, 1)}, {"rule": "sobol", "seed": -1}, "seed is -1, allowed are integers from 0 to"),
        ({"x": (0, 1), "y": (0, 1)}, {"limit": 30, "evaluations": 30}, "limit is given beside evaluations"),
        ({"x": (0, 1), "y": (0, 1)}, {"rule": "vegas", "evaluations": 9}, "evaluations is 9, allowed for vegas are 3840"),
        ({"x": (0, 1), "sin": (0, 1)}, {"y": 1}, "`sin` is no name for a variable"),
    ],
)
def test_a_box_that_is_none_is_refused(device, over, options, said):
    with pytest.raises((TypeError, ValueError), match=said):
        quadscan.integrate("x*y", over=over, device=device, **options)


def test_a_singular_integrand_wants_tanh_sinh(device):
    a = np.array([-0.5, 0.0, 1.0])
    found = quadscan.integrate("power_log", a=a, rule="tanh-sinh", device=device)
    np.testing.assert_allclose(found.value, 1 / (a + 1) ** 2, rtol=1e-9)


def test_more_items_than_a_launch_has(device):
    b = np.linspace(0.0, 3.0, 2500)
    found = quadscan.integrate("runge", 0.0, b, device=device)
    np.testing.assert_allclose(found.value, np.arctan(b), rtol=1e-9)
    none = quadscan.integrate("runge", 0.0, b[:0], device=device)
    assert none.value.shape == (0,)


def test_what_does_not_converge_has_a_status(device):
    found = quadscan.integrate("power_log", a=-0.9, limit=1, device=device)
    assert found.status != Status.CONVERGED
    assert quadscan.integrate("runge", math.nan, 1.0, device=device).status == Status.NO_LIMITS
    loose = quadscan.integrate("runge", 0, 1, atol=0.1, device=device)
    assert loose.evaluations <= quadscan.integrate("runge", 0, 1, device=device).evaluations


def test_principal_values_are_closed_forms(device):
    poles = np.array([1.0, -0.5, 2.0])
    found = quadscan.integrate("1/(x^2 + 1)", -np.inf, np.inf, principal_value=poles, device=device)
    np.testing.assert_allclose(found.value, -np.pi * poles / (poles**2 + 1), rtol=1e-9)
    found = quadscan.integrate("k*x", -1.0, 1.0, principal_value=0.0, k=[1.0, 2.0], device=device)
    np.testing.assert_allclose(found.value, [2.0, 4.0], rtol=1e-12)


def test_fourier_integrals_are_closed_forms(device):
    omega = np.array([0.5, -2.0, 30.0])
    found = quadscan.integrate("x/(c^2 + x^2)", 0, np.inf, fourier=("sin", omega), c=1.0, device=device)
    np.testing.assert_allclose(found.value, np.pi / 2 * np.sign(omega) * np.exp(-abs(omega)), atol=1e-14)
    found = quadscan.integrate("1/sqrt(x)", 0, np.inf, fourier=("cos", 2.0, [0.0, np.pi]), device=device)
    np.testing.assert_allclose(found.value, np.sqrt(np.pi / 4) * np.array([1, -1]), rtol=1e-9)
    for keywords, error, said in [
        (dict(fourier="sin"), TypeError, "fourier is 'sin', allowed are"),
        (dict(fourier=(np.array([1.0, 2.0]), 1.0)), TypeError, "fourier is .*, allowed are"),
        (dict(fourier=("sin", 1.0), limit=50), ValueError, "limit is 50, allowed are 2 to 10"),
        (dict(fourier=("sin", 1.0), rule="g7k15"), TypeError, "rule is given beside fourier"),
        (dict(fourier=("sin", 1.0), dtype="float32"), TypeError, "allowed beside fourier is float64"),
    ]:
        with pytest.raises(error, match=said):
            quadscan.integrate("1/x", 0, np.inf, **keywords, device=device)


def test_outputs_have_an_axis_and_a_common_tolerance(device):
    k = np.array([1.0, 2.0, 3.0])
    found = quadscan.integrate("exp(-k*x); let a = k*x; a*exp(-a)", 0, np.inf, k=k, device=device)
    np.testing.assert_allclose(found.value, np.stack([1 / k, 1 / k], -1), rtol=1e-9)
    found = quadscan.integrate("cos(x); sin(x)", 0, np.pi, device=device)
    assert found.status.tolist() == [Status.CONVERGED] * 2
    np.testing.assert_allclose(found.value, [0.0, 2.0], atol=1e-12)


def test_outputs_over_a_box_have_an_axis_and_a_common_tolerance(device):
    # The second is 0 but for rounding: small beside the first.
    asked = dict(over={"x": (-1, 1), "y": (0, 1)}, k=[1.0, 2.0], device=device)
    for rule in ("cubature", "lattice"):
        found = quadscan.integrate("k*x^2*y; k*x*y", **asked, rule=rule, rtol=1e-3, evaluations=2**13)
        np.testing.assert_allclose(found.value, [[1 / 3, 0], [2 / 3, 0]], atol=1e-3)
        assert found.status.tolist() == [[Status.CONVERGED] * 2] * 2


def test_tables_have_the_integrals_of_polynomials(device):
    x = np.array([-1.0, -0.5, 0.75, 1.0, 3.0])
    found = quadscan.integrate_samples(x**2, x=x, cumulative=True, device=device)
    np.testing.assert_allclose(found, (x**3 + 1) / 3, atol=1e-14)
    cubes = (np.arange(9) / 8) ** 3
    assert quadscan.integrate_samples(cubes, dx=0.125, rule="gregory", device=device) == pytest.approx(0.25)
    for y, keywords, said in [
        ([1.0, 2.0], dict(x=[0.0, 0.0]), "x has 0.0 at 0 and 0.0 behind it"),
        ([1.0, 2.0], dict(x=[0.0]), "x has 1 elements, allowed are as many as y has: 2"),
        ([1.0, 2.0], dict(rule="boole"), "rule is 'boole', allowed are simpson"),
        ([], {}, "y has 0 samples"),
    ]:
        with pytest.raises(ValueError, match=said):
            quadscan.integrate_samples(y, **keywords, device=device)
    with pytest.raises(TypeError, match="dx is given beside x, allowed is one of them"):
        quadscan.integrate_samples([1.0, 2.0], [0.0, 1.0], 0.5, device=device)


@pytest.mark.parametrize(
    "arguments, keywords, error, said",
    [
        (["x", 0, 1], dict(principal_value=2.0), ValueError, "principal_value is 2.0, allowed are numbers between 0.0 and 1.0"),
        (["runge"], dict(principal_value=2.0), ValueError, "allowed is it with a formula"),
        (["runga"], {}, ValueError, "function `runga` is unknown, allowed are quarter_circle"),
        ([3], {}, TypeError, "function is a int, allowed are a name and a formula"),
        (["exp(-x"], {}, ValueError, "function: column 7"),
        (["k*x", 0, 1], {}, TypeError, "k is not given, the parameters of k*x are: k"),
        (["x^2", 0], {}, TypeError, "b is not given, and a formula has no limits of its own"),
        (["planck"], {}, TypeError, "kt is not given, the parameters of planck are: kt"),
        (["runge"], dict(kt=1), TypeError, "kt is given, the parameters of runge are: none"),
        (["runge", "x"], {}, TypeError, "a is not a number"),
        (["runge", [1, 2], [1, 2, 3]], {}, ValueError, "a, b and parameters do not fit together"),
        (["runge"], dict(rule="simpson"), ValueError, "rule `simpson` is unknown, allowed are g10k21"),
        (["runge"], dict(rule="cubature"), ValueError, "rule is cubature, which is of boxes"),
        (["runge"], dict(rule="sobol"), ValueError, "rule is sobol, which is of boxes"),
        (["runge"], dict(seed=1), TypeError, "seed is given, allowed is it with over"),
        (["runge"], dict(rtol=-1.0), ValueError, "relative"),
        (["runge"], dict(limit=5000), ValueError, "limit is 5000"),
        (["runge"], dict(dtype="float16"), TypeError, "dtype is float16"),
    ],
)
def test_a_wrong_argument_is_named(arguments, keywords, error, said):
    with pytest.raises(error) as raised:
        quadscan.integrate(*arguments, **keywords, device="emulator")
    assert said in str(raised.value)


def test_the_rounding_of_a_formula_is_in_its_error(device):
    lost = quadscan.integrate("(1-cos(x))/x^2", [1e-10, 0.1], [1e-9, 1.0], device=device)
    assert lost.status.tolist() == [0, 0] and lost.value[0] == lost.error[0] == 0
    told = quadscan.integrate("(1-cos(x))/x^2", [1e-10, 0.1], [1e-9, 1.0], rounding=True, device=device)
    assert told.status.tolist() == [Status.ROUNDOFF, 0]
    assert 4.5e-10 < told.error[0] < 1e-5 and told.error[1] > lost.error[1]
    for other in ({"principal_value": 1.0}, {"fourier": ("sin", 1.0)}):
        with pytest.raises(TypeError, match="rounding is given beside"):
            quadscan.integrate("x", 0, np.inf, rounding=True, **other)
    with pytest.raises(TypeError, match="rounding is given beside over"):
        quadscan.integrate("x*y", over={"x": (0, 1), "y": (0, 1)}, rounding=True)
    with pytest.raises(ValueError, match="allowed is it with a formula"):
        quadscan.integrate("runge", 0, 1, rounding=True, device=device)
