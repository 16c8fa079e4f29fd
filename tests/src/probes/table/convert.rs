//! Conversions between integers, f32 and f64.

use super::ROUNDINGS;
use crate::probes::operands::Domain::{self, F32, F64, I32, I64};
use crate::probes::{Form, Place};

/// Type and width.
pub(super) const INTEGERS: [(&str, u32); 8] = [
    ("u8", 8),
    ("s8", 8),
    ("u16", 16),
    ("s16", 16),
    ("u32", 32),
    ("s32", 32),
    ("u64", 64),
    ("s64", 64),
];
pub(super) const TO_INTEGER: [&str; 4] = [".rni", ".rzi", ".rmi", ".rpi"];
const FLOATS: [(&str, Domain, Place); 2] = [("f32", F32, Place::W32), ("f64", F64, Place::W64)];

/// Narrow integers stand in registers of 32 bits, as compilers keep them.
pub(super) fn of_width(width: u32) -> (Domain, Place) {
    if width == 64 {
        (I64, Place::W64)
    } else {
        (I32, Place::W32)
    }
}

/// All roundings of the types that instructions have, one of narrow types.
fn roundings(all: &'static [&'static str; 4], width: u32) -> &'static [&'static str] {
    if width < 32 { &all[1..2] } else { all }
}

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (to, to_width) in INTEGERS {
        let place = of_width(to_width).1;
        for (from, from_width) in INTEGERS {
            let domain = of_width(from_width).0;
            let form = |sat| Form::new(format!("cvt{sat}.{to}.{from}"), place, &[domain]);
            forms.push(form(""));
            // Elsewhere nothing can saturate, and PTX has no such form.
            let signs = (to.starts_with('s'), from.starts_with('s'));
            if to_width < from_width
                || signs == (false, true)
                || to_width == from_width && signs == (true, false)
            {
                forms.push(form(".sat"));
            }
        }
        for (from, domain, _) in FLOATS {
            // The narrow ones are the wide ones, clamped.
            for rounding in roundings(&TO_INTEGER, to_width) {
                let opcode = format!("cvt{rounding}.{to}.{from}");
                forms.push(Form::new(opcode, place, &[domain]));
            }
            forms.push(Form::new(
                format!("cvt.rzi.sat.{to}.{from}"),
                place,
                &[domain],
            ));
        }
        forms.push(Form::new(format!("cvt.rpi.ftz.{to}.f32"), place, &[F32]));
    }
    for (to, _, place) in FLOATS {
        for (from, width) in INTEGERS {
            let domain = of_width(width).0;
            for rounding in roundings(&ROUNDINGS, width) {
                forms.push(Form::new(
                    format!("cvt{rounding}.{to}.{from}"),
                    place,
                    &[domain],
                ));
            }
            forms.push(Form::new(
                format!("cvt.rn.sat.{to}.{from}"),
                place,
                &[domain],
            ));
        }
    }
    for rounding in ROUNDINGS {
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                let opcode = format!("cvt{rounding}{ftz}{sat}.f32.f64");
                forms.push(Form::new(opcode, Place::W32, &[F64]));
            }
        }
    }
    for (ftz, sat) in [("", ""), (".ftz", ""), ("", ".sat"), (".ftz", ".sat")] {
        forms.push(Form::new(
            format!("cvt{ftz}{sat}.f64.f32"),
            Place::W64,
            &[F32],
        ));
        forms.push(Form::new(
            format!("cvt{ftz}{sat}.f32.f32"),
            Place::W32,
            &[F32],
        ));
        for rounding in TO_INTEGER {
            let opcode = format!("cvt{rounding}{ftz}{sat}.f32.f32");
            forms.push(Form::new(opcode, Place::W32, &[F32]));
        }
    }
    for sat in ["", ".sat"] {
        forms.push(Form::new(format!("cvt{sat}.f64.f64"), Place::W64, &[F64]));
        for rounding in TO_INTEGER {
            let opcode = format!("cvt{rounding}{sat}.f64.f64");
            forms.push(Form::new(opcode, Place::W64, &[F64]));
        }
    }
    forms
}
