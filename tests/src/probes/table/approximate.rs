//! Approximate functions. PTX bounds the error and leaves the bits open; the
//! bounds are those of the PTX ISA, plus half a unit in the last place for a
//! device that rounds the exact value.

use crate::probes::operands::Domain::{Angle, BF16, F16, F32, F64};
use crate::probes::{Agreement, Form, Place};

/// Half a unit in the last place of an f32, as a part of it.
const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

pub(super) fn forms() -> Vec<Form> {
    let relative = |exponent: f64| Agreement::Relative(exponent.exp2() + ROUNDING);
    let absolute = |exponent: f64| Agreement::Absolute(exponent.exp2() + ROUNDING);
    let either =
        |exponent: f64| Agreement::Either(exponent.exp2() + ROUNDING, exponent.exp2() + ROUNDING);
    let mut forms = Vec::new();
    for ftz in ["", ".ftz"] {
        for (opcode, domain, agreement) in [
            // 1 ulp
            ("rcp.approx", F32, relative(-23.0)),
            ("sqrt.approx", F32, relative(-23.0)),
            ("rsqrt.approx", F32, relative(-22.9)),
            // 2 ulp
            ("ex2.approx", Angle, relative(-22.0)),
            ("lg2.approx", F32, either(-22.0)),
        ] {
            let opcode = format!("{opcode}{ftz}.f32");
            forms.push(Form::new(opcode, Place::W32, &[domain]).within(agreement));
        }
        for opcode in ["sin", "cos"] {
            let opcode = format!("{opcode}.approx{ftz}.f32");
            let form = Form::new(opcode, Place::W32, &[Angle]);
            forms.push(form.within(absolute(-14.7)).open(beyond_100_pi));
        }
        // 2 ulp
        for opcode in ["div.approx", "div.full"] {
            let opcode = format!("{opcode}{ftz}.f32");
            forms.push(Form::new(opcode, Place::W32, &[F32; 2]).within(relative(-22.0)));
        }
    }
    forms.push(Form::new("tanh.approx.f32", Place::W32, &[Angle]).within(relative(-11.0)));
    // The upper words: one unit in the last place of 20 bits of fraction. Of
    // the whole word PTX states no bound; here two units.
    for (opcode, bits) in [
        ("rcp.approx.ftz.f64", 20),
        ("rsqrt.approx.f64", 51),
        ("rsqrt.approx.ftz.f64", 20),
    ] {
        let form = Form::new(opcode, Place::W64, &[F64]);
        forms.push(form.within(Agreement::Relative64((-f64::from(bits)).exp2())));
    }
    for (ty, domain, brain, bits) in [("f16", F16, false, 10), ("bf16", BF16, true, 7)] {
        let close = |exponent: f64| {
            Agreement::Relative16(exponent.exp2() + (-f64::from(bits + 1)).exp2(), brain)
        };
        let ftz = if brain { ".ftz" } else { "" };
        let opcode = format!("ex2.approx{ftz}.{ty}");
        let error = if brain { -7.0 } else { -9.9 };
        forms.push(Form::new(opcode, Place::W16, &[domain]).within(close(error)));
        let error = if brain { -8.0 } else { -10.987 };
        forms.push(
            Form::new(format!("tanh.approx.{ty}"), Place::W16, &[domain]).within(close(error)),
        );
    }
    forms
}

/// PTX bounds the error of `sin` and `cos` up to there.
fn beyond_100_pi(operands: &[u64; 3]) -> Option<&'static str> {
    let x = f32::from_bits(operands[0] as u32);
    (x.is_finite() && x.abs() > 100.0 * std::f32::consts::PI)
        .then_some("the error of sin and cos is not bounded beyond 100 pi")
}
