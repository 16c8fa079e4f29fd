//! Warp collectives, by whole warps and by two halves of a divergent one.

use crate::probes::operands::Domain::{Few, I32, Lane, Segment};
use crate::probes::{Form, Place};

pub(super) fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for mode in ["up", "down", "bfly", "idx"] {
        forms.push(Form::of(
            format!("shfl.sync.{mode}.b32"),
            format!(
                "shfl.sync.{mode}.b32 %t1|%p, %ra, %rb, %rc, 0xffffffff;\n\
                 selp.u32 %t2, 1, 0, %p; mov.b64 %o, {{%t1, %t2}};"
            ),
            Place::W64,
            &[I32, Lane, Segment],
        ));
    }
    // Lanes of one half read only each other.
    forms.push(Form::of(
        "shfl.sync.bfly.b32 by halves",
        "and.b32 %t1, %t0, 16; setp.eq.u32 %q, %t1, 0;\n\
         @%q shfl.sync.bfly.b32 %ro, %ra, 5, 0x1f, 0x0000ffff;\n\
         @!%q shfl.sync.bfly.b32 %ro, %ra, 3, 0x1f, 0xffff0000;",
        Place::W32,
        &[I32],
    ));
    let truth = "and.b32 %t1, %ra, 3; setp.ne.u32 %q, %t1, 0;";
    for mode in ["all", "any", "uni"] {
        forms.push(Form::of(
            format!("vote.sync.{mode}.pred"),
            format!("{truth} vote.sync.{mode}.pred %p, %q, 0xffffffff;"),
            Place::Predicate,
            &[I32],
        ));
    }
    forms.push(Form::of(
        "vote.sync.ballot.b32",
        format!("{truth} vote.sync.ballot.b32 %ro, %q, 0xffffffff;"),
        Place::W32,
        &[I32],
    ));
    forms.push(Form::of(
        "vote.sync.ballot.b32 by halves",
        "and.b32 %t1, %t0, 16; setp.eq.u32 %q, %t1, 0; and.b32 %t1, %ra, 1; setp.ne.u32 %p, %t1, 0;\n\
         @%q vote.sync.ballot.b32 %ro, %p, 0x0000ffff;\n\
         @!%q vote.sync.ballot.b32 %ro, %p, 0xffff0000;",
        Place::W32,
        &[I32],
    ));
    for (ty, register) in [("b32", "%ra"), ("b64", "%a")] {
        forms.push(Form::of(
            format!("match.any.sync.{ty}"),
            format!("match.any.sync.{ty} %ro, {register}, 0xffffffff;"),
            Place::W32,
            &[Few],
        ));
        forms.push(Form::of(
            format!("match.all.sync.{ty}"),
            format!(
                "match.all.sync.{ty} %t1|%p, {register}, 0xffffffff;\n\
                 selp.u32 %t2, 1, 0, %p; mov.b64 %o, {{%t1, %t2}};"
            ),
            Place::W64,
            &[Few],
        ));
        // All lanes agree.
        forms.push(Form::of(
            format!("match.all.sync.{ty} of one value"),
            format!(
                "shr.b64 %a, %a, 63; sub.u64 %a, %a, %a; cvt.u32.u64 %ra, %a;\n\
                 match.all.sync.{ty} %t1|%p, {register}, 0xffffffff;\n\
                 selp.u32 %t2, 1, 0, %p; mov.b64 %o, {{%t1, %t2}};"
            ),
            Place::W64,
            &[Few],
        ));
    }
    for (words, types) in [
        (&["add", "min", "max"][..], &["u32", "s32"][..]),
        (&["and", "or", "xor"], &["b32"]),
    ] {
        for word in words {
            for ty in types {
                forms.push(Form::of(
                    format!("redux.sync.{word}.{ty}"),
                    format!("redux.sync.{word}.{ty} %ro, %ra, 0xffffffff;"),
                    Place::W32,
                    &[I32],
                ));
            }
        }
    }
    forms.push(Form::of(
        "elect.sync",
        "elect.sync %t1|%p, 0xffffffff; selp.u32 %t2, 1, 0, %p; mov.b64 %o, {%t1, %t2};",
        Place::W64,
        &[I32],
    ));
    forms.push(Form::of(
        "activemask.b32",
        "mov.u32 %ro, 0; and.b32 %t1, %t0, 1; setp.eq.u32 %q, %t1, 0; @%q activemask.b32 %ro;",
        Place::W32,
        &[I32],
    ));
    for register in [
        "laneid",
        "lanemask_eq",
        "lanemask_lt",
        "lanemask_le",
        "lanemask_gt",
        "lanemask_ge",
    ] {
        forms.push(Form::of(
            format!("mov.u32 %{register}"),
            format!("mov.u32 %ro, %{register};"),
            Place::W32,
            &[I32],
        ));
    }
    forms
}
