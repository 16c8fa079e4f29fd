//! Logic, shifts and permutations of bytes.

use crate::probes::operands::Domain::{I16, I32, I64, Shift};
use crate::probes::{Form, Place};

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (width, domain, place) in [
        (16, I16, Place::W16),
        (32, I32, Place::W32),
        (64, I64, Place::W64),
    ] {
        for opcode in ["and", "or", "xor"] {
            forms.push(Form::new(format!("{opcode}.b{width}"), place, &[domain; 2]));
        }
        for opcode in ["not", "cnot"] {
            forms.push(Form::new(format!("{opcode}.b{width}"), place, &[domain]));
        }
        for opcode in ["shl.b", "shr.b", "shr.u", "shr.s"] {
            let operands = [domain, Shift];
            forms.push(Form::new(format!("{opcode}{width}"), place, &operands));
        }
    }
    // Random tables, majority, parity, bitwise choice.
    for table in [0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x6a, 0xd8, 0x00, 0xff] {
        forms.push(Form::of(
            format!("lop3.b32 {table:#04x}"),
            format!("lop3.b32 %ro, %ra, %rb, %rc, {table:#04x};"),
            Place::W32,
            &[I32; 3],
        ));
    }
    for direction in ["l", "r"] {
        for mode in ["clamp", "wrap"] {
            let operands = [I32, I32, Shift];
            let opcode = format!("shf.{direction}.{mode}.b32");
            forms.push(Form::new(opcode, Place::W32, &operands));
        }
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        forms.push(Form::new(format!("prmt.b32{mode}"), Place::W32, &[I32; 3]));
    }
    for mode in ["clamp", "wrap"] {
        forms.push(Form::new(
            format!("bmsk.{mode}.b32"),
            Place::W32,
            &[Shift; 2],
        ));
        for ty in ["u32", "s32"] {
            let operands = [I32, Shift];
            forms.push(Form::new(
                format!("szext.{mode}.{ty}"),
                Place::W32,
                &operands,
            ));
        }
    }
    forms
}
