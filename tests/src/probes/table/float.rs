//! f32 and f64 arithmetic.

use super::ROUNDINGS;
use crate::probes::operands::Domain::{F32, F64};
use crate::probes::{Form, Place};

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for opcode in ["add", "sub", "mul", "fma"] {
        let count = if opcode == "fma" { 3 } else { 2 };
        for rounding in ROUNDINGS {
            for suffix in ["", ".ftz", ".sat", ".ftz.sat"] {
                let opcode = format!("{opcode}{rounding}{suffix}.f32");
                forms.push(Form::new(opcode, Place::W32, &[F32; 3][..count]));
            }
            let opcode = format!("{opcode}{rounding}.f64");
            forms.push(Form::new(opcode, Place::W64, &[F64; 3][..count]));
        }
        if count == 2 {
            forms.push(Form::new(format!("{opcode}.f32"), Place::W32, &[F32; 2]));
            forms.push(Form::new(format!("{opcode}.f64"), Place::W64, &[F64; 2]));
        }
    }
    for opcode in ["div", "rcp", "sqrt"] {
        let count = if opcode == "div" { 2 } else { 1 };
        for rounding in ROUNDINGS {
            for ftz in ["", ".ftz"] {
                let opcode = format!("{opcode}{rounding}{ftz}.f32");
                forms.push(Form::new(opcode, Place::W32, &[F32; 2][..count]));
            }
            let opcode = format!("{opcode}{rounding}.f64");
            forms.push(Form::new(opcode, Place::W64, &[F64; 2][..count]));
        }
    }
    for opcode in ["abs", "neg"] {
        forms.push(Form::new(format!("{opcode}.f32"), Place::W32, &[F32]));
        forms.push(Form::new(format!("{opcode}.ftz.f32"), Place::W32, &[F32]));
        forms.push(Form::new(format!("{opcode}.f64"), Place::W64, &[F64]));
    }
    for opcode in ["min", "max"] {
        for suffix in [
            "",
            ".ftz",
            ".NaN",
            ".ftz.NaN",
            ".xorsign.abs",
            ".ftz.NaN.xorsign.abs",
        ] {
            forms.push(Form::new(
                format!("{opcode}{suffix}.f32"),
                Place::W32,
                &[F32; 2],
            ));
        }
        forms.push(Form::new(format!("{opcode}.f64"), Place::W64, &[F64; 2]));
    }
    forms.push(Form::new("copysign.f32", Place::W32, &[F32; 2]));
    forms.push(Form::new("copysign.f64", Place::W64, &[F64; 2]));
    forms
}
