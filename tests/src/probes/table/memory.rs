//! Loads and stores that narrow and extend.

use crate::probes::operands::Domain::I64;
use crate::probes::{Form, Place};

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for ty in ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32"] {
        for (register, place) in [("%ro", Place::W32), ("%o", Place::W64)] {
            for (room, at) in [("global", "%result"), ("shared", "%cell")] {
                forms.push(Form::of(
                    format!("ld.{room}.{ty} to {register}"),
                    format!("st.{room}.b64 [{at}], %a; ld.{room}.{ty} {register}, [{at}];"),
                    place,
                    &[I64],
                ));
            }
        }
    }
    for ty in ["u8", "s8", "u16", "s16", "u32"] {
        forms.push(Form::of(
            format!("st.shared.{ty} of %b"),
            format!(
                "st.shared.b64 [%cell], %a; st.shared.{ty} [%cell], %b; ld.shared.b64 %o, [%cell];"
            ),
            Place::W64,
            &[I64, I64],
        ));
    }
    for (name, body) in [
        (
            "ld.shared.v2.u8",
            "ld.shared.v2.u8 {%t1, %t2}, [%cell]; mov.b64 %o, {%t2, %t1};",
        ),
        (
            "ld.shared.v4.s16",
            "ld.shared.v4.s16 {%t1, %t2, %t3, %t4}, [%cell]; \
          xor.b32 %t1, %t1, %t2; add.u32 %t3, %t3, %t4; mov.b64 %o, {%t3, %t1};",
        ),
        (
            "ld.shared.v2.b32",
            "ld.shared.v2.b32 {%t1, %t2}, [%cell]; mov.b64 %o, {%t2, %t1};",
        ),
        (
            "st.shared.v2.u16",
            "st.shared.v2.u16 [%cell], {%t0, %ra}; ld.shared.b64 %o, [%cell];",
        ),
    ] {
        let body = format!("st.shared.b64 [%cell], %a; {body}");
        forms.push(Form::of(name, body, Place::W64, &[I64]));
    }
    forms
}
