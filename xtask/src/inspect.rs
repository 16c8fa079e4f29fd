//! `cargo xtask inspect KERNEL`: a kernel's registers, memory and occupancy, the source of its
//! instructions, and the effect of a change. Needs no GPU.
//!
//! - `artifact`: the PTX of this checkout, or of another revision.
//! - `choose`: which kernel and which PTX are meant. Pure.
//! - `show`: figures as text and JSON. Pure.
//! - `all`: one line per kernel.
//!
//! The package `cuda_inspect` defines and computes the figures.

mod all;
mod artifact;
mod choose;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use cuda_builder::NvvmArch;
use cuda_inspect::figures::{Figures, Request};
use cuda_inspect::locations;
use cuda_inspect::ptx::Entry;
use cuda_inspect::tools::{Assembled, Tools};
use cuda_inspect::{ir, listing, sass};

use crate::error::{Refused, path};
use crate::terminal;
use artifact::{Built, Revision};
use choose::Target;

/// How `cargo xtask inspect` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// A kernel's entry name, or a part of it that no other name contains
    #[arg(value_name = "KERNEL", required_unless_present = "all", value_parser = choose::part)]
    kernel: Option<String>,

    /// Print a line for every kernel
    #[arg(long, conflicts_with_all = ["kernel", "ptx", "sass", "ir", "source", "against"])]
    all: bool,

    /// The architecture to assemble for, such as sm_86 [default: all that have PTX; the
    /// newest of them for listings and with --all]
    #[arg(long = "arch", value_name = "ARCH", value_parser = choose::arch)]
    archs: Vec<NvvmArch>,

    /// Print the PTX
    #[arg(long, conflicts_with_all = ["sass", "ir", "against"])]
    ptx: bool,

    /// Print the machine code; needs ptxas and a disassembler
    #[arg(long, conflicts_with_all = ["ir", "against"])]
    sass: bool,

    /// Print the optimised LLVM IR
    #[arg(long, conflicts_with_all = ["against", "artifact"])]
    ir: bool,

    /// With --ptx or --sass: print the Rust lines above the instructions that came from them
    #[arg(long, conflicts_with = "ir")]
    source: bool,

    /// Show the differences from another revision of this repository
    #[arg(long, value_name = "REV", conflicts_with = "artifact")]
    against: Option<String>,

    /// Threads of a block, for the occupancy [default: the launch bound, or 256]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    block: Option<u32>,

    /// Dynamic shared memory of a launch in bytes, for the occupancy
    #[arg(
        long,
        value_name = "BYTES",
        allow_negative_numbers = true,
        default_value_t = 0
    )]
    shared: u32,

    /// The form of the figures
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Read the artifact in this folder instead of building this checkout's kernels
    #[arg(long, value_name = "DIR", value_parser = path())]
    artifact: Option<PathBuf>,
}

/// How figures are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Text,
    /// One JSON value
    Json,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if options.source && !(options.ptx || options.sass) {
        return Err(
            Refused("--source needs --ptx or --sass, which it puts lines into".into()).into(),
        );
    }
    let tools = Tools::find();
    if options.sass
        && let Some(sentence) = tools.missing()
    {
        return Err(Refused(sentence).into());
    }
    let before = options.against.as_deref().map(Revision::find).transpose()?;
    let built = match &options.artifact {
        Some(folder) => Built::read(folder)?,
        None => Built::here()?,
    };
    let Some(name) = &options.kernel else {
        return all::run(&built, options, &tools);
    };
    let entry = choose::kernel(&built.manifest, name)?;
    let mut targets = choose::targets(&built.manifest, &options.archs)?;
    if options.ptx || options.sass || options.ir {
        let newest = targets.pop().into_iter();
        return newest
            .map(|target| print_code(&built, &entry, target, options, &tools))
            .collect::<anyhow::Result<Vec<()>>>()
            .map(|_| ExitCode::SUCCESS);
    }
    targets.retain(|target| {
        let is_there = built.manifest.modules[target.module]
            .kernel(&entry)
            .is_some();
        if !is_there {
            let arch = target.arch;
            terminal::note(&format!("the PTX that {arch} runs has no {entry}"));
        }
        is_there
    });
    let now = figures(&built, &entry, &targets, options, &tools)?;
    match &before {
        None => show::figures(&built.described(&entry)?, &now, options.format),
        Some(revision) => compare(revision, &built, &entry, &targets, &now, options, &tools)?,
    }
    if let Some(sentence) = tools.missing() {
        terminal::note(&sentence);
    }
    Ok(ExitCode::SUCCESS)
}

/// The figures of one kernel, an architecture at a time.
fn figures(
    built: &Built,
    entry: &str,
    targets: &[Target],
    options: &Options,
    tools: &Tools,
) -> anyhow::Result<Vec<Figures>> {
    let mut found = Vec::new();
    for target in targets {
        let (kernel, ptx) = built.kernel(target.module, entry)?;
        let request = Request {
            kernel,
            ptx: &ptx,
            ptx_arch: &built.manifest.modules[target.module].arch,
            arch: target.arch.target(),
            capability: target.arch.compute_capability(),
            block: options.block,
            dynamic_shared: options.shared,
        };
        choose::check_block(&request)?;
        let assembled = assemble(tools, &ptx, entry, target.arch);
        let code = match &assembled {
            Some(assembled) => tools.disassemble(assembled)?,
            None => None,
        };
        let usage = assembled.map(|assembled| assembled.usage);
        found.push(Figures::new(
            &request,
            usage,
            code.map(|code| sass::mix(&code)),
        )?);
    }
    Ok(found)
}

/// What an assembler refuses has the other figures all the same.
fn assemble(tools: &Tools, ptx: &str, entry: &str, arch: NvvmArch) -> Option<Assembled> {
    tools
        .assemble(ptx, entry, arch.target())
        .unwrap_or_else(|error| {
            terminal::note(&format!("no figures of {arch} from ptxas: {error}"));
            None
        })
}

/// Shows what differs from another revision.
fn compare(
    revision: &Revision,
    built: &Built,
    entry: &str,
    targets: &[Target],
    now: &[Figures],
    options: &Options,
    tools: &Tools,
) -> anyhow::Result<()> {
    let part = built.described(entry)?.part;
    let before = Built::of(revision, &part)?;
    if before
        .manifest
        .modules
        .iter()
        .all(|module| module.kernel(entry).is_none())
    {
        let revision = &revision.name;
        return Err(Refused(format!("--against {revision}: it has no kernel {entry}")).into());
    }
    let mut compared = Vec::new();
    for (target, now) in targets.iter().zip(now) {
        let there = choose::targets(&before.manifest, &[target.arch])?;
        let before = figures(&before, entry, &there, options, tools)?;
        compared.extend(
            before
                .iter()
                .map(|before| (now.arch.clone(), Figures::changes(before, now))),
        );
    }
    show::changes(entry, &revision.name, &compared, options.format);
    Ok(())
}

/// Prints the code of one kernel.
fn print_code(
    built: &Built,
    entry: &str,
    target: Target,
    options: &Options,
    tools: &Tools,
) -> anyhow::Result<()> {
    let (_, ptx) = built.kernel(target.module, entry)?;
    if options.ir {
        let arch = built.manifest.modules[target.module].arch.parse()?;
        let module = artifact::optimised_ir(arch, built.part(target.module, entry)?)?;
        print!("{}", ir::kernel(&module, entry)?);
        return Ok(());
    }
    if options.ptx {
        let module = ptx_syntax::parse(&ptx).map_err(cuda_inspect::Error::from)?;
        let kernel = Entry::find(&module, &ptx, entry)?;
        match options.source {
            true => print!("{}", listing::ptx(&kernel, &artifact::sources())),
            false => println!("{}", kernel.text()),
        }
        return Ok(());
    }
    let (numbered, locations) = locations::numbered(&ptx)?;
    let assembled = tools.assemble(&numbered, entry, target.arch.target())?;
    let code = match &assembled {
        Some(assembled) => tools.disassemble(assembled)?,
        None => None,
    };
    let locations = options.source.then_some(&locations);
    if options.source && tools.nvdisasm.is_none() {
        terminal::note("no lines: cuobjdump does not print them, and nvdisasm was not found");
    }
    let code = code.unwrap_or_default();
    print!(
        "{}",
        listing::sass(entry, &code, locations, &artifact::sources())
    );
    Ok(())
}
