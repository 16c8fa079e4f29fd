//! 16-bit floating point.

use super::ROUNDINGS;
use super::convert::{INTEGERS, TO_INTEGER, of_width};
use crate::probes::operands::Domain::{self, BF16, BF16x2, F16, F16x2, F32, F64};
use crate::probes::{Form, Place};

const TYPES: [(&str, Domain, Place); 4] = [
    ("f16", F16, Place::W16),
    ("f16x2", F16x2, Place::W32),
    ("bf16", BF16, Place::W16),
    ("bf16x2", BF16x2, Place::W32),
];

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (ty, domain, place) in TYPES {
        let brain = ty.starts_with('b');
        let suffixes: &[&str] = if brain {
            &[".rn"]
        } else {
            &["", ".rn", ".ftz", ".sat", ".rn.ftz.sat"]
        };
        for opcode in ["add", "sub", "mul"] {
            for suffix in suffixes {
                forms.push(Form::new(
                    format!("{opcode}{suffix}.{ty}"),
                    place,
                    &[domain; 2],
                ));
            }
        }
        let suffixes: &[&str] = if brain {
            &[".rn", ".rn.relu"]
        } else {
            &[".rn", ".rn.ftz", ".rn.sat", ".rn.relu", ".rn.ftz.relu"]
        };
        for suffix in suffixes {
            forms.push(Form::new(format!("fma{suffix}.{ty}"), place, &[domain; 3]));
        }
        for opcode in ["abs", "neg"] {
            forms.push(Form::new(format!("{opcode}.{ty}"), place, &[domain]));
        }
        let suffixes: &[&str] = if brain {
            &["", ".NaN", ".xorsign.abs"]
        } else {
            &["", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs"]
        };
        for opcode in ["min", "max"] {
            for suffix in suffixes {
                forms.push(Form::new(
                    format!("{opcode}{suffix}.{ty}"),
                    place,
                    &[domain; 2],
                ));
            }
        }
    }
    for (ty, domain) in [("f16", F16), ("bf16", BF16)] {
        for word in [
            "eq", "ne", "lt", "ge", "equ", "neu", "gtu", "leu", "num", "nan",
        ] {
            let opcode = format!("setp.{word}.{ty}");
            forms.push(Form::new(opcode, Place::Predicate, &[domain; 2]));
        }
    }
    forms.extend(conversions());
    forms
}

fn conversions() -> Vec<Form> {
    let mut forms = Vec::new();
    for (ty, domain) in [("f16", F16), ("bf16", BF16)] {
        forms.push(Form::new(format!("cvt.f32.{ty}"), Place::W32, &[domain]));
        // `.rzi` is below.
        for rounding in [".rni", ".rmi", ".rpi"] {
            forms.push(Form::new(
                format!("cvt{rounding}.s32.{ty}"),
                Place::W32,
                &[domain],
            ));
        }
        // PTX has no conversions between bf16 and narrow integers.
        let least = if ty == "f16" { 8 } else { 32 };
        for (integer, width) in INTEGERS.into_iter().filter(|(_, width)| *width >= least) {
            let (from, place) = of_width(width);
            forms.push(Form::new(
                format!("cvt.rzi.{integer}.{ty}"),
                place,
                &[domain],
            ));
            forms.push(Form::new(
                format!("cvt.rn.{ty}.{integer}"),
                Place::W16,
                &[from],
            ));
        }
    }
    forms.push(Form::new("cvt.f64.f16", Place::W64, &[F16]));
    for rounding in [".rn", ".rz"] {
        for (ty, relu) in [
            ("f16", ""),
            ("f16", ".relu"),
            ("bf16", ""),
            ("bf16", ".relu"),
        ] {
            let opcode = format!("cvt{rounding}{relu}.{ty}.f32");
            forms.push(Form::new(opcode, Place::W16, &[F32]));
            let opcode = format!("cvt{rounding}{relu}.{ty}x2.f32");
            forms.push(Form::new(opcode, Place::W32, &[F32; 2]));
        }
    }
    for rounding in ROUNDINGS {
        forms.push(Form::new(
            format!("cvt{rounding}.f16.f64"),
            Place::W16,
            &[F64],
        ));
    }
    for rounding in TO_INTEGER {
        forms.push(Form::new(
            format!("cvt{rounding}.f16.f16"),
            Place::W16,
            &[F16],
        ));
    }
    for (rounding, ty) in [(".rm", "f16"), (".rp", "f16")] {
        forms.push(Form::new(
            format!("cvt{rounding}.{ty}.f32"),
            Place::W16,
            &[F32],
        ));
    }
    forms.push(Form::new("cvt.rna.tf32.f32", Place::W32, &[F32]));
    for ty in ["e4m3x2", "e5m2x2"] {
        for relu in ["", ".relu"] {
            let opcode = format!("cvt.rn.satfinite{relu}.{ty}.f32");
            forms.push(Form::new(opcode, Place::W16, &[F32; 2]));
        }
        forms.push(Form::new(format!("cvt.rn.f16x2.{ty}"), Place::W32, &[F16]));
    }
    forms
}
