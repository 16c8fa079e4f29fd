//! Integer arithmetic.

use crate::probes::operands::Domain::{self, I16, I32, I64, Shift};
use crate::probes::{Form, Place};

/// Type, domain, place.
pub(super) const TYPES: [(&str, Domain, Place); 6] = [
    ("u16", I16, Place::W16),
    ("s16", I16, Place::W16),
    ("u32", I32, Place::W32),
    ("s32", I32, Place::W32),
    ("u64", I64, Place::W64),
    ("s64", I64, Place::W64),
];

/// The domain and place of a product of twice the width.
fn wide(place: Place) -> (Domain, Place) {
    match place {
        Place::W16 => (I32, Place::W32),
        _ => (I64, Place::W64),
    }
}

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (ty, domain, place) in TYPES {
        let two = [domain; 2];
        let three = [domain; 3];
        for opcode in ["add", "sub", "div", "rem", "min", "max", "mul.lo", "mul.hi"] {
            forms.push(Form::new(format!("{opcode}.{ty}"), place, &two));
        }
        for opcode in ["mad.lo", "mad.hi", "sad"] {
            forms.push(Form::new(format!("{opcode}.{ty}"), place, &three));
        }
        if ty.starts_with('s') {
            for opcode in ["abs", "neg"] {
                forms.push(Form::new(format!("{opcode}.{ty}"), place, &[domain]));
            }
        }
        if place != Place::W64 {
            let (third, place) = wide(place);
            forms.push(Form::new(format!("mul.wide.{ty}"), place, &two));
            let operands = [domain, domain, third];
            forms.push(Form::new(format!("mad.wide.{ty}"), place, &operands));
        }
        if place != Place::W16 {
            for opcode in ["bfind", "bfind.shiftamt"] {
                forms.push(Form::new(format!("{opcode}.{ty}"), Place::W32, &[domain]));
            }
            let operands = [domain, Shift, Shift];
            forms.push(Form::new(format!("bfe.{ty}"), place, &operands));
        }
        if place == Place::W32 {
            for part in ["lo", "hi"] {
                forms.push(Form::new(format!("mul24.{part}.{ty}"), place, &two));
                forms.push(Form::new(format!("mad24.{part}.{ty}"), place, &three));
            }
        }
    }
    for opcode in ["add.sat.s32", "sub.sat.s32"] {
        forms.push(Form::new(opcode, Place::W32, &[I32; 2]));
    }
    forms.push(Form::new("mad.hi.sat.s32", Place::W32, &[I32; 3]));
    for (ty, domain, place) in [("b32", I32, Place::W32), ("b64", I64, Place::W64)] {
        for opcode in ["popc", "clz"] {
            forms.push(Form::new(format!("{opcode}.{ty}"), Place::W32, &[domain]));
        }
        forms.push(Form::new(format!("brev.{ty}"), place, &[domain]));
        let registers = if place == Place::W32 {
            "%ro, %ra, 0x5a5a5a5a"
        } else {
            "%o, %a, 0x5a5a5a5a5a5a5a5a"
        };
        forms.push(Form::of(
            format!("bfi.{ty}"),
            format!("bfi.{ty} {registers}, %rb, %rc;"),
            place,
            &[domain, Shift, Shift],
        ));
    }
    for a in ["u32", "s32"] {
        for b in ["u32", "s32"] {
            forms.push(Form::new(format!("dp4a.{a}.{b}"), Place::W32, &[I32; 3]));
            for part in ["lo", "hi"] {
                let opcode = format!("dp2a.{part}.{a}.{b}");
                forms.push(Form::new(opcode, Place::W32, &[I32; 3]));
            }
        }
    }
    forms.extend(carries());
    forms.extend(carries_read());
    forms
}

/// Sums of two words with the carry handed on; c is the upper half of both.
fn carries() -> impl Iterator<Item = Form> {
    let pair = "mov.b64 %o, {%t1, %t2};";
    [
        (
            "add.cc addc",
            "add.cc.u32 %t1, %ra, %rb; addc.u32 %t2, %rc, %rc;",
        ),
        (
            "sub.cc subc",
            "sub.cc.u32 %t1, %ra, %rb; subc.u32 %t2, %rc, %ra;",
        ),
        (
            "addc.cc",
            "add.cc.u32 %t1, %ra, %rb; addc.cc.u32 %t1, %rb, %rc; addc.u32 %t2, 0, 0;",
        ),
        (
            "mad.lo.cc madc.hi",
            "mad.lo.cc.u32 %t1, %ra, %rb, %rc; madc.hi.u32 %t2, %ra, %rb, 0;",
        ),
    ]
    .into_iter()
    .map(move |(name, body)| Form::of(name, format!("{body} {pair}"), Place::W64, &[I32; 3]))
}

/// The carry that each instruction leaves, as each that reads one takes it. An addition before
/// makes a carry for those that do both.
fn carries_read() -> Vec<Form> {
    let mut forms = Vec::new();
    let narrow = ("u32", I32, ["%ra", "%rb", "%rc"], "%t");
    let wide = ("s64", I64, ["%a", "%b", "%c"], "%u");
    for (ty, domain, [a, b, c], to) in [narrow, wide] {
        let join = match domain {
            I32 => "mov.b64 %o, {%t2, %t3};",
            _ => "mad.lo.u64 %o, %u3, 3, %u2;",
        };
        for writer in [
            "add", "sub", "addc", "subc", "mad.lo", "mad.hi", "madc.lo", "madc.hi",
        ] {
            let third = match writer.starts_with("mad") {
                true => format!(", {c}"),
                false => String::new(),
            };
            let write =
                format!("add.cc.{ty} {to}1, {c}, {a}; {writer}.cc.{ty} {to}1, {a}, {b}{third};");
            let products = format!(", {a}");
            for ([first, second], third) in
                [(["addc", "subc"], ""), (["madc.lo", "madc.hi"], &products)]
            {
                let read = format!(
                    "{first}.{ty} {to}2, {c}, {a}{third}; {second}.{ty} {to}3, {b}, {c}{third};"
                );
                let name = format!("{writer}.cc.{ty} {first} {second}");
                let body = format!("{write} {read} {join}");
                forms.push(Form::of(name, body, Place::W64, &[domain; 3]));
            }
        }
    }
    forms
}
