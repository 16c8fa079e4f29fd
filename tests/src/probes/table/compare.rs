//! Comparison and selection.

use super::integer::TYPES;
use crate::probes::operands::Domain::{F32, F64, I16, I32, I64};
use crate::probes::{Form, Place};

const ORDERED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNORDERED: [&str; 8] = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (ty, domain, _) in TYPES {
        for word in ORDERED {
            let operands = [domain; 2];
            forms.push(Form::new(
                format!("setp.{word}.{ty}"),
                Place::Predicate,
                &operands,
            ));
        }
        if ty.starts_with('u') {
            for word in ["lo", "ls", "hi", "hs"] {
                let operands = [domain; 2];
                forms.push(Form::new(
                    format!("setp.{word}.{ty}"),
                    Place::Predicate,
                    &operands,
                ));
            }
        }
    }
    for (ty, domain) in [("b16", I16), ("b32", I32), ("b64", I64)] {
        for word in ["eq", "ne"] {
            let operands = [domain; 2];
            forms.push(Form::new(
                format!("setp.{word}.{ty}"),
                Place::Predicate,
                &operands,
            ));
        }
    }
    for (ftz, ty, domain) in [("", "f32", F32), (".ftz", "f32", F32), ("", "f64", F64)] {
        for word in ORDERED.into_iter().chain(UNORDERED) {
            let operands = [domain; 2];
            let opcode = format!("setp.{word}{ftz}.{ty}");
            forms.push(Form::new(opcode, Place::Predicate, &operands));
        }
        for to in ["u32", "s32", "f32"] {
            let operands = [domain; 2];
            forms.push(Form::new(
                format!("set.leu{ftz}.{to}.{ty}"),
                Place::W32,
                &operands,
            ));
        }
    }
    for word in ["and", "or", "xor"] {
        forms.push(Form::of(
            format!("setp.lt.{word}.s32 pair"),
            format!(
                "setp.gt.u32 %p, %rc, 7; setp.lt.{word}.s32 %p|%q, %ra, %rb, %p;\n\
                 selp.u32 %ro, 1, 0, %p; selp.u32 %t1, 2, 0, %q; or.b32 %ro, %ro, %t1;"
            ),
            Place::W32,
            &[I32; 3],
        ));
    }
    for word in [
        "finite",
        "infinite",
        "number",
        "notanumber",
        "normal",
        "subnormal",
    ] {
        forms.push(Form::new(
            format!("testp.{word}.f32"),
            Place::Predicate,
            &[F32],
        ));
        forms.push(Form::new(
            format!("testp.{word}.f64"),
            Place::Predicate,
            &[F64],
        ));
    }
    for (ty, domain, place) in [
        ("b16", I16, Place::W16),
        ("b32", I32, Place::W32),
        ("b64", I64, Place::W64),
        ("f32", F32, Place::W32),
        ("f64", F64, Place::W64),
    ] {
        for (ftz, by, last) in [("", "s32", I32), ("", "f32", F32), (".ftz", "f32", F32)] {
            let operands = [domain, domain, last];
            forms.push(Form::new(format!("slct{ftz}.{ty}.{by}"), place, &operands));
        }
        let (to, sources) = match place {
            Place::W16 => ("%ho", "%ha, %hb"),
            Place::W32 => ("%ro", "%ra, %rb"),
            _ => ("%o", "%a, %b"),
        };
        forms.push(Form::of(
            format!("selp.{ty}"),
            format!("setp.gt.s32 %p, %rc, 1; selp.{ty} {to}, {sources}, %p;"),
            place,
            &[domain, domain, I32],
        ));
    }
    forms
}
