//! Kernels whose integrand is a hole, over boxes: as those of
//! [`integrate::formula`](crate::integrate::formula), whose elementary functions a formula takes.
//!
//! The hole `formula_at` is given `x0` to `x9`, a coordinate each, and the parameters `p0` to `p7`,
//! the first numbers of the integrand's [`Parameters`](super::integrand::Parameters). As they are
//! compiled, the kernels integrate `x0`.

use super::integrand::Point;

/// What takes the place of the hole; on the host, where kernels have no PTX, NaN.
#[cfg(not(target_os = "cuda"))]
fn value(_: &Point, _: &Point) -> f64 {
    f64::NAN
}

/// What takes the place of the hole.
#[cfg(target_os = "cuda")]
#[inline(always)]
fn value(x: &Point, parameters: &Point) -> f64 {
    let [p0, p1, p2, p3, p4, p5, p6, p7, _, _] = *parameters;
    let parameters = &[p0, p1, p2, p3, p4, p5, p6, p7];
    crate::integrate::formula::hole!(
        "formula_at" "f64" reg64 f64 parameters,
        ("x0" = x[0], "x1" = x[1], "x2" = x[2], "x3" = x[3], "x4" = x[4],
         "x5" = x[5], "x6" = x[6], "x7" = x[7], "x8" = x[8], "x9" = x[9]),
        "mov.f64 formula_at, x0"
    )
}

crate::cubature_integrands! {
    /// What is typed: `quadscan::integrate::Cubature::of_formula` puts it in.
    formula = Formula {
        formula: "a formula",
        at: |x, dimensions, a, u| value(x, a),
    }
}

crate::cubature_decisions! {}
