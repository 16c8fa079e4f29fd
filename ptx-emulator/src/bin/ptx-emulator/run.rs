//! `run`: one launch, and what it found.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ptx_emulator::count::Counts;
use ptx_emulator::{
    Checks, Gpu, LaunchError, LaunchOptions, LoadOptions, Model, Program, Report, Schedule, Shape,
};

use crate::argument::{Argument, Value};
use crate::transfer::{self, Loaded};
use crate::{Outcome, Refused, read_text};

/// The GPUs that can be modelled.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum Device {
    /// NVIDIA H200, compute capability 9.0.
    H200,
    /// NVIDIA T4, compute capability 7.5.
    T4,
}

/// One launch.
#[derive(Args)]
pub(crate) struct Run {
    /// PTX text.
    file: PathBuf,
    /// Another PTX text that is linked to FILE: functions and variables that it defines, and FILE
    /// declares `.extern`.
    #[arg(long = "link", value_name = "FILE")]
    linked: Vec<PathBuf>,
    /// The kernel; `list` shows their names.
    #[arg(long, value_name = "NAME")]
    kernel: String,
    /// Blocks of the grid.
    #[arg(long, allow_negative_numbers = true, value_name = "X[,Y,Z]", value_parser = extent)]
    grid: [u32; 3],
    /// Threads of a block.
    #[arg(long, allow_negative_numbers = true, value_name = "X[,Y,Z]", value_parser = extent)]
    block: [u32; 3],
    /// Dynamic shared memory of a block, bytes.
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "BYTES",
        default_value_t = 0
    )]
    shared: u32,
    /// An argument of the kernel, in the order of its parameters: TYPE:VALUE,
    /// in:TYPE:FILE, out:TYPE:COUNT:FILE, inout:TYPE:FILE:FILE,
    /// zero:TYPE:COUNT, scratch:TYPE:COUNT, null or bytes:HEX. TYPE is u8 to
    /// u64, i8 to i64 or f16 to f64; FILE ends in .npy, .bin or .txt.
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Looks for races, reads of what nobody wrote, misused barriers and
    /// collectives.
    #[arg(long)]
    check: bool,
    /// Lets loads give older values than the newest, and stores come before others, where PTX's
    /// memory model allows it; --schedule chooses which do.
    #[arg(long, requires = "check")]
    weak_memory: bool,
    /// Counts instructions, lanes, wavefronts and sectors, by source line.
    #[arg(long)]
    counts: bool,
    /// Runs warps and blocks in a random order, made from this number.
    #[arg(long, allow_negative_numbers = true, value_name = "SEED")]
    schedule: Option<u64>,
    /// Cores of this computer that run blocks; with --check, one does.
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 1, value_parser = cores)]
    cores: usize,
    /// Warp instructions after which the launch counts as hung.
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = LaunchOptions::default().budget)]
    budget: u64,
    /// Rounds products and sums separately where a driver would make one fma of
    /// them, as nvcc's -fmad=false.
    #[arg(long)]
    no_contract: bool,
    /// The GPU whose limits hold.
    #[arg(long, value_enum, default_value_t = Device::H200)]
    model: Device,
}

fn extent(text: &str) -> Result<[u32; 3], String> {
    let wrong = || "allowed are one to three numbers from 1, as in 64 or 16,16,1".to_owned();
    let mut extent = [1; 3];
    let mut parts = text.split(',');
    for (axis, part) in extent.iter_mut().zip(parts.by_ref()) {
        *axis = part.parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
    }
    match parts.next() {
        None => Ok(extent),
        Some(_) => Err(wrong()),
    }
}

fn cores(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(cores) if (1..=1024).contains(&cores) => Ok(cores),
        _ => Err("allowed are 1 to 1024".into()),
    }
}

impl Run {
    pub(crate) fn execute(&self) -> Result<Outcome, Refused> {
        let linked = self.linked.iter().map(|file| ("--link", file));
        let files: Vec<(&str, &PathBuf)> =
            [("FILE", &self.file)].into_iter().chain(linked).collect();
        let texts = files
            .iter()
            .map(|(argument, file)| read_text(argument, file));
        let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let options = LoadOptions {
            contract: !self.no_contract,
        };
        let program = Program::link(&texts, &options).map_err(|(index, error)| {
            let (argument, file) = files[index];
            Refused(format!("{argument} {}:{error}", file.display()))
        })?;
        let arguments = self.arguments(&program)?;
        let outputs = transfer::outputs(&arguments)?;
        let mut gpu = Gpu::new(match self.model {
            Device::H200 => Model::h200(),
            Device::T4 => Model::t4(),
        });
        let parameters = transfer::place(&mut gpu, &arguments)?;
        let mut outcome = self.launch(&mut gpu, &program, &parameters)?;
        if outcome.good {
            transfer::save(&gpu, &parameters, outputs)?;
        } else {
            outcome.text.push_str("no file was written\n");
        }
        Ok(outcome)
    }

    /// The arguments, one for each parameter of the kernel and of its size.
    fn arguments(&self, program: &Program) -> Result<Vec<Loaded>, Refused> {
        let Some(sizes) = program.parameters(&self.kernel) else {
            let known: Vec<&str> = program.kernels().collect();
            return Err(Refused(format!(
                "--kernel {}: no such kernel; the file has: {}",
                self.kernel,
                known.join(", ")
            )));
        };
        let (kernel, found) = (&self.kernel, self.arguments.len());
        if sizes.len() != found {
            return Err(Refused(format!(
                "--arg: `{kernel}` has {} parameters, and {found} arguments are given; `list` shows them",
                sizes.len()
            )));
        }
        let numbered = self.arguments.iter().zip(sizes).enumerate();
        numbered
            .map(|(index, (text, size))| {
                let argument = Argument::parse(index + 1, text)?;
                let bytes = match &argument.value {
                    Value::Bytes(bytes) => bytes.len(),
                    Value::Array { .. } => 8,
                };
                if bytes != size as usize {
                    let also = if size == 8 { ", an array or null" } else { "" };
                    return Err(Refused(format!(
                        "{}: {bytes} bytes, and this parameter of `{kernel}` has {size}; \
                         allowed are a scalar or bytes of that size{also}",
                        argument.text
                    )));
                }
                transfer::load(argument)
            })
            .collect()
    }

    fn launch(
        &self,
        gpu: &mut Gpu,
        program: &Program,
        parameters: &[Vec<u8>],
    ) -> Result<Outcome, Refused> {
        let shape = Shape {
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared,
        };
        let options = LaunchOptions {
            schedule: self
                .schedule
                .map_or(Schedule::Deterministic, Schedule::Seed),
            weak_memory: self.weak_memory,
            budget: self.budget,
            cores: self.cores,
            ..LaunchOptions::default()
        };
        let bytes: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
        let refuse = |error: LaunchError| Refused(format!("--kernel {}: {error}", self.kernel));
        let checks = if self.check {
            Checks::all()
        } else {
            Checks::none()
        };
        let mut table = String::new();
        let checked = if self.counts {
            let counts = Counts::default();
            let (checked, counts) = gpu
                .check_observed(
                    program,
                    &self.kernel,
                    shape,
                    &bytes,
                    &options,
                    checks,
                    counts,
                )
                .map_err(refuse)?;
            table = counts.table(program).to_string();
            checked
        } else {
            gpu.check(program, &self.kernel, shape, &bytes, &options, checks)
                .map_err(refuse)?
        };
        let mut text = printed(&checked.report);
        text.push_str(&format!(
            "{}: {} warp instructions, grid {}, block {}\n",
            self.kernel,
            checked.report.warp_instructions,
            times(self.grid),
            times(self.block)
        ));
        let good = checked.is_clean();
        if self.check || !good {
            text.push_str(&format!("{checked}\n"));
        }
        if checked.outcome.is_ok() {
            let stale = checked.stale_reads.iter();
            text.extend(stale.map(|read| format!("{read}\n")));
        }
        text.push_str(&table);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        if self.check || !good {
            // An end that no finding tells of counts as one.
            let errors = checked.findings.len().max(usize::from(!good));
            let s = if errors == 1 { "" } else { "s" };
            text.push_str(&format!("{errors} error{s}\n"));
        }
        Ok(Outcome { text, good })
    }
}

/// What the kernel printed, in whole lines, and how much of it is lost.
fn printed(report: &Report) -> String {
    let mut text = report.printed.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if report.printed_lost > 0 {
        let lost = report.printed_lost;
        text.push_str(&format!(
            "{lost} earlier calls of printf did not fit into the buffer\n"
        ));
    }
    text
}

fn times([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}
