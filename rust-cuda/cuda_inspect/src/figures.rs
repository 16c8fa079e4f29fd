//! Everything that is known of one kernel on one architecture, and what a change did to it.

use std::collections::BTreeMap;

use cuda_builder::manifest::Kernel;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::class::{Class, Mix};
use crate::occupancy::{Block, Occupancy, Sm};
use crate::ptx::Entry;
use crate::ptxas::Usage;

/// The threads of a block of a kernel that sets no bound, where nobody names a number.
pub const ASSUMED_THREADS: u32 = 256;

/// What a kernel is looked at for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// What the manifest says of it.
    pub kernel: &'r Kernel,
    /// The PTX of its part.
    pub ptx: &'r str,
    /// The architecture that this PTX is for: `sm_75`.
    pub ptx_arch: &'r str,
    /// The architecture that it is assembled for: `sm_86`.
    pub arch: &'r str,
    /// Compute capability of that.
    pub capability: (u32, u32),
    /// Threads of a block; `None` for the kernel's bound, or [`ASSUMED_THREADS`].
    pub block: Option<u32>,
    /// Dynamic shared memory that a launch asks for, bytes.
    pub dynamic_shared: u32,
}

/// What a kernel takes up. Sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The architecture that it is assembled for.
    pub arch: String,
    /// The one that its PTX is for.
    pub ptx_arch: String,
    /// What the assembler says; `None` without one.
    pub usage: Option<Usage>,
    /// Shared memory that the PTX declares, up to where that of the launch may begin.
    pub ptx_shared: u64,
    /// Shared memory that the launch asks for.
    pub dynamic_shared: u32,
    /// Local memory that the PTX declares, a thread; spills come on top.
    pub ptx_local: u64,
    /// Named barriers in the PTX; `None` when a register says which.
    pub ptx_barriers: Option<u64>,
    /// Registers of the PTX by their type.
    pub ptx_registers: BTreeMap<String, u64>,
    /// Instructions of the PTX by class.
    pub ptx_mix: Mix,
    /// Instructions of the machine code by class; `None` without a disassembler.
    pub sass_mix: Option<Mix>,
    /// What is resident; `None` for a compute capability that is not known here.
    pub occupancy: Option<Occupancy>,
}

/// A figure that a change has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What it is.
    pub figure: String,
    /// What it was; empty where it was not known.
    pub before: String,
    /// What it is now; empty where it is not known.
    pub after: String,
}

impl Request<'_> {
    /// Threads of a block, and where the number is from.
    pub fn threads(&self) -> (u32, &'static str) {
        match (self.block, self.kernel.max_threads) {
            (Some(threads), _) => (threads, "--block"),
            (None, 0) => (ASSUMED_THREADS, "assumed; --block N"),
            (None, bound) => (bound, "launch bound"),
        }
    }
}

impl Figures {
    /// Puts together what the PTX says with what assembler and disassembler said, if they did.
    ///
    /// # Errors
    ///
    /// [`crate::Error::NoEntry`] for PTX that has no such kernel,
    /// [`crate::Error::NotPtx`] for text that is none.
    pub fn new(request: &Request<'_>, usage: Option<Usage>, sass_mix: Option<Mix>) -> Result<Self> {
        let module = ptx_syntax::parse(request.ptx)?;
        let entry = Entry::find(&module, request.ptx, &request.kernel.entry)?;
        let registers = entry.registers().into_iter();
        let ptx_barriers = entry.barriers();
        let ptx_shared = entry.shared_bytes();
        let static_shared = usage
            .as_ref()
            .map_or(ptx_shared, |usage| usage.shared.into());
        let in_ptx = ptx_barriers.map_or(0, |barriers| barriers as u32);
        let block = Block {
            threads: request.threads().0,
            registers: usage.as_ref().map(|usage| usage.registers),
            shared: u32::try_from(static_shared)
                .unwrap_or(u32::MAX)
                .saturating_add(request.dynamic_shared),
            barriers: usage.as_ref().map_or(in_ptx, |usage| usage.barriers),
        };
        let sm = Sm::of(request.capability);
        Ok(Figures {
            arch: request.arch.to_owned(),
            ptx_arch: request.ptx_arch.to_owned(),
            usage,
            ptx_shared,
            dynamic_shared: request.dynamic_shared,
            ptx_local: entry.local_bytes(),
            ptx_barriers,
            ptx_registers: registers
                .map(|(ty, count)| (ty.to_owned(), count))
                .collect(),
            ptx_mix: entry.mix(),
            sass_mix,
            occupancy: sm.and_then(|known| known.occupancy(&block)),
        })
    }

    /// Shared memory that it declares: as the assembler says, else as the PTX does.
    pub fn static_shared(&self) -> u64 {
        let usage = self.usage.as_ref();
        usage.map_or(self.ptx_shared, |usage| usage.shared.into())
    }

    /// Names and values, but for those of the instruction mix; an empty value is not known.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let said = |value: fn(&Usage) -> u32| {
            self.usage
                .as_ref()
                .map_or(String::new(), |usage| value(usage).to_string())
        };
        let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let registers = self.ptx_registers.iter();
        let registers: Vec<String> = registers
            .map(|(ty, count)| format!("{ty} {count}"))
            .collect();
        let mut rows = vec![
            ("registers", said(|usage| usage.registers)),
            ("stack frame, bytes", said(|usage| usage.stack)),
            ("spill stores, bytes", said(|usage| usage.spill_stores)),
            ("spill loads, bytes", said(|usage| usage.spill_loads)),
            ("named barriers", said(|usage| usage.barriers)),
            ("constant memory, bytes", said(|usage| usage.constant)),
            (
                "static shared memory, bytes",
                self.static_shared().to_string(),
            ),
            (
                "dynamic shared memory, bytes",
                self.dynamic_shared.to_string(),
            ),
            ("PTX: local memory, bytes", self.ptx_local.to_string()),
            ("PTX: named barriers", number(self.ptx_barriers)),
            ("PTX: virtual registers", registers.join(", ")),
        ];
        rows.extend(self.occupancy_rows());
        rows
    }

    fn occupancy_rows(&self) -> [(&'static str, String); 4] {
        let at_most = |text: String, exact| match exact {
            true => text,
            false => format!("at most {text}"),
        };
        let cell = |text: &dyn Fn(&Occupancy) -> String| {
            self.occupancy.as_ref().map_or(String::new(), text)
        };
        let limits = |found: &Occupancy| {
            let names: Vec<&str> = found.limited_by.iter().map(|limit| limit.name()).collect();
            names.join(", ")
        };
        [
            ("threads a block", cell(&|found| found.threads.to_string())),
            (
                "resident blocks",
                cell(&|found| at_most(found.blocks.to_string(), found.is_exact)),
            ),
            (
                "occupancy",
                cell(&|found| {
                    let warps = format!("{} of {} warps", found.warps, found.max_warps);
                    at_most(
                        format!("{:.0} % ({warps})", found.percent()),
                        found.is_exact,
                    )
                }),
            ),
            ("limited by", cell(&limits)),
        ]
    }

    /// Everything that differs, in the order of the rows; the instruction mix behind them.
    pub fn changes(before: &Figures, after: &Figures) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut compare = |figure: String, before: String, after: String| {
            if before != after {
                changes.push(Change {
                    figure,
                    before,
                    after,
                });
            }
        };
        for ((figure, before), (_, after)) in before.rows().into_iter().zip(after.rows()) {
            compare(figure.to_owned(), before, after);
        }
        let mixes = [
            ("SASS", before.sass_mix.as_ref(), after.sass_mix.as_ref()),
            ("PTX", Some(&before.ptx_mix), Some(&after.ptx_mix)),
        ];
        for (what, before, after) in mixes {
            let cell = |mix: Option<&Mix>, count: &dyn Fn(&Mix) -> u64| {
                mix.map_or(String::new(), |mix| count(mix).to_string())
            };
            let all = |mix: &Mix| mix.total();
            compare(
                format!("{what}: instructions"),
                cell(before, &all),
                cell(after, &all),
            );
            for class in Class::ALL {
                let count = |mix: &Mix| mix.get(class);
                let figure = format!("{what}: {}", class.name());
                compare(figure, cell(before, &count), cell(after, &count));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::Limit;

    const PTX: &str = "\
.version 8.0
.visible .entry k(
)
{
\t.shared .align 4 .b8 TILE[1000];
\t.reg .b32 \t%r<3>;
\tadd.s32 \t%r2, %r1, 1;
\tbar.sync \t0;
\tret;
}
";

    fn kernel(max_threads: u32) -> Kernel {
        Kernel {
            entry: "k".into(),
            module: "m".into(),
            max_threads,
            ..Kernel::default()
        }
    }

    fn figures(kernel: &Kernel, ptx: &str, registers: Option<u32>) -> Figures {
        let request = Request {
            kernel,
            ptx,
            ptx_arch: "sm_75",
            arch: "sm_90",
            capability: (9, 0),
            block: None,
            dynamic_shared: 50_000,
        };
        let usage = registers.map(|registers| Usage {
            entry: "k".into(),
            arch: "sm_90".into(),
            registers,
            shared: 1000,
            barriers: 1,
            ..Usage::default()
        });
        Figures::new(&request, usage, None).unwrap()
    }

    fn row(figures: &Figures, name: &str) -> String {
        let mut rows = figures.rows().into_iter();
        rows.find(|(found, _)| *found == name).unwrap().1
    }

    #[test]
    fn static_and_dynamic_shared_memory_count_together() {
        // 1000 + 50,000 bytes and 1 KiB for the system, four times in 228 KiB.
        let found = figures(&kernel(128), PTX, Some(24));
        let occupancy = found.occupancy.as_ref().unwrap();
        assert_eq!(
            (occupancy.blocks, &occupancy.limited_by[..]),
            (4, &[Limit::Shared][..])
        );
        assert_eq!(row(&found, "occupancy"), "25 % (16 of 64 warps)");
        assert_eq!(row(&found, "threads a block"), "128");
    }

    #[test]
    fn without_an_assembler_its_figures_are_empty_and_occupancy_is_a_bound() {
        let found = figures(&kernel(0), PTX, None);
        assert_eq!(row(&found, "registers"), "");
        assert_eq!(row(&found, "static shared memory, bytes"), "1000");
        assert_eq!(row(&found, "resident blocks"), "at most 4");
        assert_eq!(row(&found, "threads a block"), ASSUMED_THREADS.to_string());
        assert_eq!(found.ptx_mix.total(), 3);
    }

    #[test]
    fn a_change_shows_what_differs_and_nothing_else() {
        let kernel = kernel(128);
        let before = figures(&kernel, PTX, Some(24));
        assert_eq!(Figures::changes(&before, &before), []);
        let more = PTX.replace("\tret;", "\tmul.rn.f64 \t%rd1, %rd1, %rd1;\n\tret;");
        let after = figures(&kernel, &more, Some(40));
        let changes = Figures::changes(&before, &after);
        let told: Vec<String> = changes
            .iter()
            .map(|change| format!("{}: {} -> {}", change.figure, change.before, change.after))
            .collect();
        let expected = [
            "registers: 24 -> 40",
            "PTX: instructions: 3 -> 4",
            "PTX: fp64: 0 -> 1",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_one_side_does_not_know_is_told_as_empty() {
        let kernel = kernel(128);
        let changes = Figures::changes(
            &figures(&kernel, PTX, None),
            &figures(&kernel, PTX, Some(24)),
        );
        let registers = changes
            .iter()
            .find(|change| change.figure == "registers")
            .unwrap();
        assert_eq!(
            (registers.before.as_str(), registers.after.as_str()),
            ("", "24")
        );
    }
}
