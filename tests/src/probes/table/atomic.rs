//! Atomics, each lane on a cell of its own that holds `a`: the sum over
//! several lanes is a launch's business, what one operation makes of its
//! operands is one of the instruction.

use crate::probes::operands::Domain::{self, F32, F64, I32, I64};
use crate::probes::{Form, Place};

const ROOMS: [(&str, &str); 2] = [("global", "%result"), ("shared", "%cell")];

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (words, types) in [
        (&["add"][..], &["u32", "s32", "u64", "f32", "f64"][..]),
        (&["min", "max"], &["u32", "s32", "u64", "s64"]),
        (&["and", "or", "xor"], &["b32", "b64"]),
        (&["exch", "cas"], &["b32", "b64"]),
        (&["inc", "dec"], &["u32"]),
    ] {
        for word in words {
            for ty in types {
                for room in ROOMS {
                    forms.push(atom(word, ty, room));
                    if !matches!(*word, "exch" | "cas") {
                        forms.push(red(word, ty, room));
                    }
                }
            }
        }
    }
    forms
}

fn domain(ty: &str) -> Domain {
    match ty {
        "f32" => F32,
        "f64" => F64,
        _ if ty.ends_with("64") => I64,
        _ => I32,
    }
}

/// 32 bits: the old value above the new one. 64 bits: the new one, plus what
/// the old one differs from `a`, which is nothing.
fn atom(word: &str, ty: &str, (room, at): (&str, &str)) -> Form {
    let more = match (word, ty.ends_with("64")) {
        ("cas", true) => ", %c",
        ("cas", false) => ", %rc",
        _ => "",
    };
    let body = if ty.ends_with("64") {
        format!(
            "st.{room}.b64 [{at}], %a; atom.{room}.{word}.{ty} %u1, [{at}], %b{more};\n\
             ld.{room}.b64 %o, [{at}]; sub.u64 %u1, %u1, %a; add.u64 %o, %o, %u1;"
        )
    } else {
        format!(
            "st.{room}.b64 [{at}], %a; atom.{room}.{word}.{ty} %t1, [{at}], %rb{more};\n\
             ld.{room}.b32 %t2, [{at}]; mov.b64 %o, {{%t2, %t1}};"
        )
    };
    let operands = [domain(ty); 3];
    let count = if word == "cas" { 3 } else { 2 };
    let name = format!("atom.{room}.{word}.{ty}");
    Form::of(name, body, Place::W64, &operands[..count])
}

fn red(word: &str, ty: &str, (room, at): (&str, &str)) -> Form {
    let name = format!("red.{room}.{word}.{ty}");
    let (place, to, source) = if ty.ends_with("64") {
        (Place::W64, "%o", "%b")
    } else {
        (Place::W32, "%ro", "%rb")
    };
    let width = if place == Place::W64 { "b64" } else { "b32" };
    let body = format!(
        "st.{room}.b64 [{at}], %a; red.{room}.{word}.{ty} [{at}], {source}; ld.{room}.{width} {to}, [{at}];"
    );
    Form::of(name, body, place, &[domain(ty); 2])
}
