//! The grammar: opcodes, the words that may stand behind them, and operands.

/// Forms of one opcode.
pub(super) struct Row {
    pub(super) opcode: &'static str,
    /// One word of each set, `|` between them; an empty one is none. A set with types is what the
    /// operands are made of.
    pub(super) words: &'static [&'static str],
    /// `d` and `s` for a result and a source of the first type, `S` for a source of the last, `w`
    /// for twice the width.
    pub(super) operands: &'static str,
}

const fn row(opcode: &'static str, words: &'static [&'static str], operands: &'static str) -> Row {
    Row {
        opcode,
        words,
        operands,
    }
}

const ANY: &str = "u16|s16|u32|s32|u64|s64|b32|f32|f64|f16|bf16|f16x2|bf16x2";
const INTEGER: &str = "u16|s16|u32|s32|u64|s64|b32|f32";
const BITS: &str = "b16|b32|b64|pred|u32|f32";
const FLOAT: &str = "f32|f64|f16|bf16|f16x2|bf16x2|u32";
const ROUNDING: &str = "|rn|rz|rm|rp";
const COMPARE: &str = "eq|ne|lt|le|gt|ge|lo|hs|equ|ltu|num|nan";
const CONVERTED: &str = "u8|s8|u16|s16|u32|s32|u64|s64|f16|bf16|f32|f64";
const MEMORY: &str = "b8|u8|s8|b16|u16|b32|u32|s32|f32|b64|u64|f64|f16|pred";

pub(super) const ROWS: &[Row] = &[
    row("add", &[ROUNDING, "|ftz", "|sat", ANY], "d s s"),
    row("add", &["|sat|cc", INTEGER], "d s s"),
    row("sub", &[ROUNDING, "|ftz", "|sat", ANY], "d s s"),
    row("sub", &["|sat|cc", INTEGER], "d s s"),
    row("addc", &["|cc|sat", INTEGER], "d s s"),
    row("mul", &["|lo|hi", INTEGER], "d s s"),
    row("mul", &["wide|lo|hi", "|rn", INTEGER], "w s s"),
    row("mul", &[ROUNDING, "|ftz", "|sat", FLOAT], "d s s"),
    row("mad", &["lo|hi|", "|sat|cc", INTEGER], "d s s s"),
    row("mad", &["wide|lo", INTEGER], "w s s w"),
    row("mad", &[ROUNDING, "|ftz", "|sat", FLOAT], "d s s s"),
    row("madc", &["lo|hi|wide", "|cc", INTEGER], "d s s s"),
    row("fma", &[ROUNDING, "|ftz", "|sat|relu", ANY], "d s s s"),
    row("mul24", &["lo|hi|wide", INTEGER], "d s s"),
    row("mad24", &["lo|hi", "|sat", INTEGER], "d s s s"),
    row("sad", &["|sat", INTEGER], "d s s s"),
    row("div", &["|rn|rz|approx|full", "|ftz", ANY], "d s s"),
    row("rem", &["|ftz", ANY], "d s s"),
    row("abs", &["|ftz", ANY], "d s"),
    row("neg", &["|ftz", ANY], "d s"),
    row("min", &["|ftz", "|NaN", "|xorsign.abs", ANY], "d s s"),
    row("max", &["|ftz", "|NaN|relu", ANY], "d s s"),
    row("popc", &[BITS], "%ro s"),
    row("clz", &[BITS], "%ro s"),
    row("brev", &[BITS], "d s"),
    row("bfind", &["|shiftamt", INTEGER], "%ro s"),
    row("bfe", &[INTEGER], "d s %rb %rc"),
    row("bfi", &[BITS], "d s s %rb %rc"),
    row("fns", &[BITS], "d s %rb %rc"),
    row("bmsk", &["clamp|wrap|", BITS], "d s s"),
    row("szext", &["clamp|wrap|", INTEGER], "d s %rb"),
    row("dp4a", &["u32|s32|b32", "u32|s32"], "%ro %ra %rb %rc"),
    row("dp2a", &["lo|hi|", "u32|s32", "u32|s32"], "%ro %ra %rb %rc"),
    row(
        "testp",
        &["finite|number|normal|subnormal|odd", FLOAT],
        "%p s",
    ),
    row("copysign", &["|ftz", FLOAT], "d s s"),
    row("rcp", &["|rn|rz|approx", "|ftz", FLOAT], "d s"),
    row("sqrt", &["|rn|rm|approx", "|ftz", FLOAT], "d s"),
    row("rsqrt", &["|approx|rn", "|ftz", FLOAT], "d s"),
    row("ex2", &["approx|", "|ftz", FLOAT], "d s"),
    row("lg2", &["approx|", "|ftz", FLOAT], "d s"),
    row("sin", &["approx|", "|ftz", FLOAT], "d s"),
    row("tanh", &["approx|", "|ftz", FLOAT], "d s"),
    row("setp", &[COMPARE, "|ftz", ANY], "%p s s"),
    row("setp", &[COMPARE, "and|or|xor|", INTEGER], "%p|%q s s %p"),
    row(
        "set",
        &[
            COMPARE,
            "|ftz",
            "u32|s32|f32|u16|f64",
            "u32|s32|f32|f64|f16|s64",
        ],
        "d S S",
    ),
    row("set", &[COMPARE, "and|xor", "u32|f32", INTEGER], "d S S %p"),
    row("selp", &[ANY], "d s s %p"),
    row("slct", &["|ftz", ANY, "s32|f32|u32"], "d s s %rc"),
    row("and", &[BITS], "d s s"),
    row("xor", &[BITS], "d s s"),
    row("not", &[BITS], "d s"),
    row("cnot", &[BITS], "d s"),
    row("lop3", &["|or|and", "b32|b64|u32"], "d s s s 0x96"),
    row("lop3", &["|or|and|xor", "b32|u32"], "%ro|%p s s s 0x96 %q"),
    row("shl", &[BITS], "d s %rb"),
    row("shr", &["b16|b32|b64|u16|s32|s64|f32"], "d s %rb"),
    row("shf", &["l|r|", "clamp|wrap|", "b32|b64"], "d s s %rc"),
    row("prmt", &["b32|b64|u32", "|f4e|rc8|ecl|odd"], "d s s s"),
    row(
        "mov",
        &["pred|b16|b32|b64|u32|s64|f32|f64|u8|f16|b8"],
        "d s",
    ),
    row("mov", &["b32|b64|u32|f64|b16"], "d %laneid"),
    row("mov", &["b32|b64|f64|u64"], "d {%ha,%hb}"),
    row("mov", &["b32|b64|f64|u64"], "d {%ra,%rb}"),
    row(
        "cvt",
        &["|rn|rz|rni|rzi|rna", "|ftz", "|sat", CONVERTED, CONVERTED],
        "d S",
    ),
    row(
        "cvt",
        &["rn|rz|", "|relu|sat", "f16x2|bf16x2|tf32", "f32|f64"],
        "%ro S S",
    ),
    row(
        "ld",
        &[
            "|weak|volatile|relaxed.gpu|acquire.cta",
            "|global|shared",
            "|ca|cg",
            MEMORY,
        ],
        "d [%a]",
    ),
    row(
        "ld",
        &[
            "|relaxed.sys|acquire",
            "global|const|param|local",
            "|v2|v4",
            MEMORY,
        ],
        "{%ro,%ra} [%a]",
    ),
    row(
        "ld",
        &[
            "global|shared",
            "|nc",
            "|L1::no_allocate|L2::128B|cs",
            MEMORY,
        ],
        "d [%a+4]",
    ),
    row(
        "st",
        &[
            "|weak|volatile|relaxed.gpu|release.cta",
            "|global|shared|const",
            "|wb|cg",
            MEMORY,
        ],
        "[%a] s",
    ),
    row("st", &["global|shared", "v2|v4|", MEMORY], "[%a] {%ra,%rb}"),
    row("ldu", &["global|shared|", "|v2", MEMORY], "d [%a]"),
    row(
        "atom",
        &[
            "|relaxed|acq_rel",
            "|gpu|cta",
            "global|shared|",
            "add|min|max|inc|and|exch",
            "u32|s32|b32|u64|s64|b64|f32|f64",
        ],
        "d [%a] s",
    ),
    row(
        "atom",
        &[
            "|acquire.sys",
            "global|",
            "cas|exch|add.noftz",
            "b32|b64|b16|u32|f16|f16x2",
        ],
        "d [%a] s s",
    ),
    row(
        "red",
        &[
            "|relaxed.gpu|acquire",
            "global|shared",
            "add|max|dec|xor|exch",
            "u32|s32|b32|u64|b64|f32",
        ],
        "[%a] s",
    ),
    row(
        "cvta",
        &["|to", "global|shared|local|const|param", "u32|u64"],
        "d s",
    ),
    row("isspacep", &["global|shared|local|const|odd"], "%p %a"),
    row(
        "shfl",
        &["sync|", "up|down|bfly|idx", "b32|b64|u32"],
        "d s 1 31 -1",
    ),
    row(
        "vote",
        &["sync|", "all|any|uni|ballot", "pred|b32"],
        "d %q -1",
    ),
    row("match", &["any|all", "sync|", "b32|b64|u32"], "%ro s -1"),
    row(
        "redux",
        &["sync|", "add|min|and|xor", "u32|s32|b32|f32"],
        "d s -1",
    ),
    row("bar", &["sync|arrive|red.popc.u32|warp.sync"], "%ro 0 %q"),
    row("barrier", &["sync|arrive", "|aligned"], "0 64"),
    row(
        "fence",
        &["|sc|acq_rel|relaxed", "cta|gpu|sys|cluster|"],
        "",
    ),
    row("membar", &["cta|gl|sys|gpu"], ""),
    row(
        "vadd",
        &["u32|s32", "u32|s32|b32", "s32|u32", "|sat", "|add|min|xor"],
        "%ro %ra.h0 %rb %rc",
    ),
    row(
        "vshr",
        &["u32|s32", "u32|s32", "u32|s32", "clamp|wrap|", "|max"],
        "%ro %ra %rb.b0 %rc",
    ),
    row("vset", &["u32|s32", "u32|s32", "eq|lt|ltu"], "%ro %ra %rb"),
    row(
        "vmad",
        &["u32|s32", "u32|s32", "u32|s32", "|sat", "|shr7|shr8"],
        "%ro %ra %rb %rc",
    ),
    row("activemask", &["b32|u32"], "%ro"),
    row("elect", &["sync|"], "%ro|%p -1"),
    row("nanosleep", &["u32|u64"], "%ra"),
    row("prefetch", &["global|local|shared|", "L1|L2|"], "[%a]"),
];

/// What the emulator does otherwise, and why: a part of the form's text.
pub(super) const DIFFERENCES: &[(&str, &str)] = &[
    (
        "f16x2 %p, ",
        "the ISA gives comparisons of pairs two results, and does not say which one alone is",
    ),
    (
        "madc.hi.u16",
        "ptxas takes carries of 16 bits, which the PTX ISA does not have",
    ),
    ("madc.lo.u16", "as above"),
];
