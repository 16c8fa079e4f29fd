//! How many evaluations a second Monte Carlo makes on a GPU: of a Gaussian in Rust, and of the same
//! function as a formula.
//!
//! ```sh
//! cargo run --release -p quadscan-tests --example monte_carlo_rate -- target/ptx/all
//! ```
//!
//! The folder has our own PTX (`cargo xtask ptx` makes it). Times are the least of three, from the call of
//! `integrate` to its end, of 15 iterations. The emulator has no times.

use std::process::ExitCode;
use std::time::Instant;

use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::integrate::{Estimate, Formula, Vegas, VegasOptions};
use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Parameters};
use quadscan_tests::kernels;
use test_kernels::monte_carlo::Gaussian;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// Times of each, of which the least counts.
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Done<()> {
    let folder = std::env::args().nth(1).ok_or("no folder of PTX is named")?;
    let device = Device::open(DeviceChoice::Auto)?;
    // SAFETY: whoever names a folder says that its PTX is what its manifest says.
    let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    let compiled = device.load(&kernels::artifact()?)?;
    println!("{}", device.properties().name);
    let sizes: &[u64] = match device.properties().has_timer {
        true => &[65_536, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000],
        false => &[256],
    };
    for &evaluations in sizes {
        for training in [5, 10] {
            let options = VegasOptions {
                relative: 1e-30,
                evaluations,
                training,
                iterations: 15 - training,
                ..VegasOptions::default()
            };
            compare::<9>(&compiled, &module, options)?;
            compare::<16>(&compiled, &module, options)?;
        }
    }
    Ok(())
}

/// Prints 10^9 evaluations a second of a Gaussian of so many dimensions.
fn compare<const AXES: usize>(compiled: &Module, module: &Module, options: VegasOptions) -> Done<()>
where
    Gaussian<AXES>: IntegrandKernels,
{
    let names: Vec<String> = (0..AXES).map(|k| format!("x{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let term = |name: &&str| format!("(5*({name} - 0.5))^2");
    let sum = names.iter().map(term).collect::<Vec<_>>().join(" + ");
    let formula = Formula::of_variables(&format!("exp(-({sum}))"), &names)?;
    let mut typed = Vegas::of_formula(module, &formula, options)?;
    let mut rust = Vegas::of::<Gaussian<AXES>>(compiled, options)?;
    let (of_rust, first) = rate(&mut rust, AXES, &[[5.0; 32], [0.5; 32]])?;
    let (of_formula, second) = rate(&mut typed, AXES, &[[0.0; 32]; 2])?;
    let (evaluations, training) = (options.evaluations, options.training);
    println!(
        "{AXES} dimensions, {evaluations} an iteration, {training} to train: Rust {of_rust:.1}, \
         formula {of_formula:.1}; {} and {}",
        first.value, second.value
    );
    Ok(())
}

fn rate(plan: &mut Vegas, axes: usize, parameters: &Parameters) -> Done<(f64, Estimate)> {
    let (mut least, mut estimate) = (f64::INFINITY, None);
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        let of = plan.integrate(&vec![(0.0, 1.0); axes], parameters)?;
        least = least.min(start.elapsed().as_secs_f64());
        estimate = Some(of);
    }
    let estimate = estimate.ok_or("no round was made")?;
    Ok((estimate.evaluations as f64 / least / 1e9, estimate))
}
