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
    let mut forms = Vec::new();
    for ftz in ["", ".ftz"] {
        for (opcode, domain, agreement) in [
            // 1 ulp
            ("rcp.approx", F32, relative(-23.0)),
            ("sqrt.approx", F32, relative(-23.0)),
            ("rsqrt.approx", F32, relative(-22.9)),
            // 2 ulp
            ("ex2.approx", Angle, relative(-22.0)),
            // Absolute around 1, relative elsewhere: values are above 1 there.
            (
                "lg2.approx",
                F32,
                Agreement::Relative((-22.6f64).exp2() + ROUNDING),
            ),
            ("sin.approx", Angle, absolute(-14.7)),
            ("cos.approx", Angle, absolute(-14.7)),
        ] {
            let opcode = format!("{opcode}{ftz}.f32");
            forms.push(Form::new(opcode, Place::W32, &[domain]).within(agreement));
        }
        // 2 ulp
        for opcode in ["div.approx", "div.full"] {
            let opcode = format!("{opcode}{ftz}.f32");
            forms.push(Form::new(opcode, Place::W32, &[F32; 2]).within(relative(-22.0)));
        }
    }
    forms.push(Form::new("tanh.approx.f32", Place::W32, &[Angle]).within(relative(-11.0)));
    forms.push(Form::new("rcp.approx.ftz.f64", Place::W64, &[F64]));
    for ftz in ["", ".ftz"] {
        forms.push(Form::new(
            format!("rsqrt.approx{ftz}.f64"),
            Place::W64,
            &[F64],
        ));
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
