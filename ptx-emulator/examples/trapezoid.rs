//! Warp instructions a second on a PTX file's trapezoid kernel:
//! `cargo run --release -p ptx-emulator --example trapezoid -- [FILE] [KERNEL]
//! [CORES [BLOCKS [THREADS]]] [--check[=all,initialised,races,barriers,collectives]]
//! [--count]`; with `--count`, all counters are on.

use std::time::Instant;

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};

/// The checks that `--check` or `--check=NAME,NAME` asks for; none without it.
fn checks(flag: Option<&str>) -> Result<Checks, String> {
    let Some(flag) = flag else {
        return Ok(Checks::none());
    };
    let names = flag.trim_start_matches("--check").trim_start_matches('=');
    let mut checks = Checks::none();
    for name in names.split(',') {
        match name {
            "" | "all" => checks = Checks::all(),
            "initialised" => checks.initialised = true,
            "races" => checks.races = true,
            "barriers" => checks.barriers = true,
            "collectives" => checks.collectives = true,
            _ => {
                return Err(format!(
                    "--check={name}; allowed are all, initialised, races, barriers, collectives"
                ));
            }
        }
    }
    Ok(checks)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let counts = flags.iter().any(|flag| flag == "--count");
    let checks = checks(
        flags
            .iter()
            .map(String::as_str)
            .find(|flag| *flag != "--count"),
    )?;
    let mut arguments = arguments.into_iter();
    let file = arguments
        .next()
        .unwrap_or_else(|| "ptx-emulator/tests/fixtures/kernels.ptx".into());
    let kernel = arguments.next().unwrap_or_else(|| "trapezoid_f64".into());
    let mut number = |otherwise| {
        arguments
            .next()
            .map_or(Ok(otherwise), |text| text.parse::<u32>())
    };
    let (cores, blocks, threads) = (number(1)?, number(64)?, number(256)?);
    let text = std::fs::read_to_string(&file)?;
    let started = Instant::now();
    let program = Program::load(&text)?;
    println!(
        "loaded {file} in {:.1} ms",
        started.elapsed().as_secs_f64() * 1e3
    );
    let strips = 1u64 << 24;
    let mut gpu = Gpu::new(Model::h200());
    let count = u64::from(blocks) * u64::from(threads);
    let partials = gpu.alloc(count as usize * 8)?;
    let sizes = program.parameters(&kernel).unwrap_or_default();
    let step = match sizes.get(2) {
        Some(8) if kernel.contains("dyadic") => (1.0 / strips as f64).to_le_bytes().to_vec(),
        Some(8) => (strips as f64).to_le_bytes().to_vec(),
        _ if kernel.contains("dyadic") => (1.0 / strips as f32).to_le_bytes().to_vec(),
        _ => (strips as f32).to_le_bytes().to_vec(),
    };
    let each = (strips / count) as u32;
    let options = LaunchOptions {
        cores: cores as usize,
        ..LaunchOptions::default()
    };
    let shape = Shape {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared_bytes: 0,
    };
    let all: [&[u8]; 3] = [&partials.to_le_bytes(), &each.to_le_bytes(), &step];
    let all = &all[..sizes.len()];
    let started = Instant::now();
    let (report, cores) = if counts {
        let (report, counts) = gpu.count(&program, &kernel, shape, all, &options)?;
        println!("{}", counts.table(&program));
        (report, cores)
    } else {
        let checked = gpu.check(&program, &kernel, shape, all, &options, checks)?;
        println!("{checked}");
        checked.outcome?;
        let cores = if checks == Checks::none() { cores } else { 1 };
        (checked.report, cores)
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut bytes = vec![0; count as usize * 8];
    gpu.copy_out(partials, &mut bytes)?;
    let sum: f64 = bytes
        .chunks_exact(8)
        .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap_or_default()))
        .sum();
    println!("sum * 4 (f64 kernels): {}", sum * 4.0);
    println!(
        "{} warp instructions in {seconds:.3} s on {cores} cores: {:.1} million a second",
        report.warp_instructions,
        report.warp_instructions as f64 / seconds / 1e6
    );
    Ok(())
}
