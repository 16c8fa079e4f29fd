//! The table of supported instructions, `docs/ptx-coverage.md`, is what the
//! decoders say, and what they say is what they take.
//!
//! `UPDATE_COVERAGE=1 cargo test -p ptx-emulator-tests coverage` writes the
//! table anew. With an assembler in `PTXAS`, the examples are given to it too.

mod examples;
mod isa;
mod products;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use crate::harness;

use examples::{EXAMPLES, PREAMBLE};
use isa::SECTIONS;
use ptx_emulator::{Coverage, Program, coverage};
use ptx_syntax::Type;

/// The examples that a template with `<a|b>` stands for.
fn expand(template: &str) -> Vec<String> {
    let Some((before, rest)) = template.split_once('<') else {
        return vec![template.to_owned()];
    };
    let (choices, after) = rest.split_once('>').expect(template);
    choices
        .split('|')
        .flat_map(|choice| expand(&format!("{before}{choice}{after}")))
        .collect()
}

/// The examples of a group.
fn examples_of(group: &str) -> Vec<String> {
    EXAMPLES
        .iter()
        .filter(|(name, _)| *name == group)
        .flat_map(|(_, templates)| templates.iter().flat_map(|template| expand(template)))
        .collect()
}

/// A kernel around an example.
fn kernel(example: &str) -> String {
    let ptx = harness::kernel(&format!("{PREAMBLE} {example}"));
    ptx.replacen(
        ".visible .entry",
        ".func elsewhere() { ret; }\n.func taking(.param .b32 given) { ret; }\n.func receiving(.reg .b32 given) { ret; }\n.visible .entry",
        1,
    )
}

/// The words of the instructions in an example: opcodes and modifiers.
fn instructions(example: &str) -> Vec<Vec<String>> {
    example
        .split([';', '{', '}'])
        // Labels; a colon in a modifier is never followed by a space.
        .flat_map(|part| part.split(": "))
        .filter_map(|part| {
            let part = part.trim();
            let part = match part.split_once(' ') {
                Some((guard, rest)) if guard.starts_with('@') => rest,
                _ => part,
            };
            let word = part.split_whitespace().next()?;
            Some(word.split('.').map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn every_example_loads() {
    let mut failures = String::new();
    for (group, _) in EXAMPLES {
        for example in examples_of(group) {
            if let Err(error) = Program::load(&kernel(&example)) {
                writeln!(failures, "{group}: {error}").unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_example_is_ptx() {
    if std::env::var_os("PTXAS").is_none() {
        eprintln!("skipped: no assembler, PTXAS names none");
    }
    // One kernel a group, since starting an assembler costs more than running it.
    for (group, _) in EXAMPLES {
        let separate: String = examples_of(group)
            .into_iter()
            .filter(|example| !example.contains("FAR") || !example.contains(".uni"))
            .map(|example| format!("{example}\n"))
            .collect();
        harness::assemble(&kernel(&separate));
    }
}

#[test]
fn every_word_of_the_table_has_an_example() {
    let mut missing = String::new();
    for Coverage {
        group,
        opcode,
        forms,
    } in coverage()
    {
        let mut seen = BTreeSet::new();
        let mut found = false;
        for example in examples_of(group) {
            let all = instructions(&example);
            if all.iter().any(|words| words[0] == opcode) {
                found = true;
                seen.extend(all.into_iter().flatten());
            }
        }
        if !found {
            writeln!(missing, "{group}: no example of `{opcode}`").unwrap();
        }
        for token in forms.split([' ', ',', ';']) {
            let promised: Vec<&str> = match token.strip_prefix('.') {
                Some(words) => words.split('.').collect(),
                None if Type::parse(token).is_some() || token.ends_with("x2") => vec![token],
                None => Vec::new(),
            };
            for word in promised {
                if !seen.contains(word) {
                    writeln!(missing, "{group}: no example of `{opcode}` with `{word}`").unwrap();
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}

#[test]
fn every_supported_instruction_is_one_of_the_isa() {
    let known: Vec<&str> = SECTIONS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    let once: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(once.len(), known.len(), "an instruction stands twice");
    for row in coverage() {
        assert!(once.contains(row.opcode), "{}", row.opcode);
    }
}

#[test]
fn what_the_table_does_not_have_is_refused() {
    let supported: BTreeSet<&str> = coverage().map(|row| row.opcode).collect();
    for opcode in SECTIONS.iter().flat_map(|(_, names)| *names) {
        if !supported.contains(opcode) {
            let reason = harness::refusal(&format!("{opcode}.b32 %ro, %ra, %rb;"));
            assert!(reason.contains("not supported"), "{opcode}: {reason}");
        }
    }
}

const HEAD: &str = "# PTX that the emulator runs

The test `coverage` of `ptx-emulator` makes this page from the decoders
(`UPDATE_COVERAGE=1 cargo test -p ptx-emulator-tests coverage`).

The tables list instructions by their first word, in the order of the PTX ISA. The emulator refuses
an instruction or a modifier that is not listed when it loads the program, and names the line of the
PTX and of the source. A group is a file of decoders. Results have the bits that the ISA prescribes.
For the group *approximate* the ISA gives only a bound, and the emulator gives the bits of a Hopper
GPU: on an H200 all fractions of 23 binades, and every form on special and random values, are the same
(`tests/fixtures/h200`, 2026-11-24).

The results of `mma` and `wmma` are exact for integers. For f64 they are chains of fused operations in
the order of A's columns. For f16, bf16 and tf32 the ISA leaves the bits open; those here are a model of a
Hopper tensor core after publications; `wmma` of tf32 makes sums of four products, not of eight. The f16
shape m8n8k4 is a chain in f32 that begins with the first product and ends with C. The ISA leaves the
fragments of `wmma` open too; here they are those of an H200. All of it is what an H200 gave for random
factors, special values among them (`products.jsonl` and `texts.jsonl` in `tests/fixtures/h200`).

Programs of other compilers run: kernels of nvcc 13.0 (templates, shared memory, atomics, cooperative
groups, CUB, libcu++, halves, recursion, virtual functions, the mathematical library, `-G`,
`-use_fast_math`) and of Triton 3.9 (`tests/fixtures/texts`) give an H200's bits. Two linked files give
what C++ says. The compiler of cuda-oxide could not be had.

Modifiers stand in any order that ptxas takes. A test compares a thousand forms, right and wrong ones,
with what ptxas says of them for sm_90. What is left out, and why:

- Of `mma` the 8-bit and narrower floats, and `.sp`.
- `%reserved_smem_offset_0` and its kin: an H200 keeps 1024 bytes before a block's shared memory, which
  here has none before it. `cooperative_groups::block_tile_memory` and barriers of a grid need them or
  what a cooperative launch leaves in `%envreg1`.
- `wgmma`, `tcgen05`, tensor maps, `multimem` and `clusterlaunchcontrol` need several blocks a cluster,
  or descriptors that a driver makes.
- Textures and surfaces need objects that a host program makes.
- Negated operands and `.po` of `vmad`.
- `alloca` and the stack's instructions, `.alias`, and 32-bit addresses.
- Arrays of registers, and predicates and 8 and 16 bits as parameters in registers, which ptxas refuses
  too; vectors as parameters in registers.
- `addc.sat`, `subc.sat`, and `fma` of bf16 with another rounding than `.rn`, which ptxas takes and the
  ISA does not have.
- Whether a register's type fits is asked of its size: an f32 register in an integer instruction, which
  ptxas refuses, is taken. Forms of later targets are taken whatever `.target` says.

Random launches on an H200 (driver 580, ptxas 13, 2026-11-24) showed where ptxas makes something else
than the ISA says. Video instructions on two and four values are as the ISA says. Of the others with
`.sat`, `.min` or `.max`, a part `.h1` as the result, and of `vmad`, the emulator gives the GPU's values; of `.sat` with `.min` or `.max` no rule is known. In these
cases it does what the ISA says:

- The guard of `testp` is passed over.
- An untyped register (`.b32`, `.b64`) that holds the f32 or f64 result of an instruction is converted
  to an integer, not cut, where a narrower store, a shift's distance or a conversion reads it. Copied to
  a register by a `mov` from a typed one, as compilers write it, it is not.
- `set` to f32 writes a 0 or 1 of integers, or has the register's old value converted, near a `mov` or a
  guard.
- `sub.cc` whose second operand is an `abs` leaves no carry where that is 0.
- `cnot` gives a distance that shifts all bits out. `abs` of two halves that an f32 instruction wrote as
  a positive number is left out. The quotient of `div.full` by a number in the text has other bits.
- `atom` and `red` with `.add.noftz` of two halves in shared memory give other sums, if the operand is the
  result of some integer instructions.
- The least or largest of one NaN and itself, and `abs` of one near other instructions, are that NaN. An
  `abs` that chooses in `slct` is passed over.
- An f16 result is a number of integers in an `and.b16` behind it.
- A 16-bit result of an integer instruction keeps bits above it in a `cvt.u64.u16` behind a guarded f16
  instruction on the same register.
- `sub.cc` and what takes its carry, `madc.lo.cc` or `subc.cc`, before `addc`: the last carry is another
  where the sum is in a branch's condition or behind an atomic.

`fixtures random` on an H100 (driver 580.159.04, 2026-11-26): of seeds 1 to 10,000 all but 3, of 500,001
to 520,000 all but 6 have the same bits. Six of the nine are of the kinds above. Two more have an integer
instruction under a guard, or a `set`, whose result another register of the loop behind it gets; one
has an `ex2.approx.ftz` under a guard, whose NaN keeps its bits.
";

/// The table as it has to be.
fn table() -> String {
    let mut out = HEAD.to_owned();
    for (title, opcodes) in SECTIONS {
        write!(
            out,
            "\n## {title}\n\n| instruction | group | forms |\n| --- | --- | --- |\n"
        )
        .unwrap();
        for opcode in *opcodes {
            let mut rows = coverage().filter(|row| row.opcode == *opcode).peekable();
            if rows.peek().is_none() {
                writeln!(out, "| `{opcode}` | | not supported: refused when loaded |").unwrap();
            }
            for Coverage { group, forms, .. } in rows {
                let mark = if group == "approximate" { "*" } else { "" };
                let forms = if forms.is_empty() { "all" } else { forms };
                writeln!(out, "| `{opcode}` | {mark}{group}{mark} | {forms} |").unwrap();
            }
        }
    }
    out
}

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ptx-coverage.md");
    let table = table();
    if std::env::var_os("UPDATE_COVERAGE").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == table,
        "docs/ptx-coverage.md is not what the decoders say; UPDATE_COVERAGE=1 writes it"
    );
}
