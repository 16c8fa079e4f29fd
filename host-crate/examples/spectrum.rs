//! How much of what a black body radiates is ultraviolet, visible and infrared: Planck's
//! spectrum over three bands for many temperatures, limits and parameters an item.
//!
//! ```sh
//! cargo run -p quadscan --example spectrum
//! ```
//!
//! 10^6 temperatures on a GPU, 300 on the emulator. The bands are integrated by an adaptive
//! Gauss-Kronrod rule, the whole spectrum from 0 to infinity by tanh-sinh rules, and that is
//! compared with the law of Stefan and Boltzmann.
//!
//! Sources: Planck, Über das Gesetz der Energieverteilung im Normalspectrum, 1901; the exact
//! constants of the SI, 2019; the Stefan-Boltzmann constant of CODATA, 2022.

use std::process::ExitCode;

use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::integrate::{
    Adaptive, CONVERGED, Formula, Items, Options, Outcome, TanhSinh, TanhSinhOptions,
};

/// J s.
const PLANCK: f64 = 6.626_070_15e-34;
/// m / s.
const LIGHT: f64 = 299_792_458.0;
/// J / K.
const BOLTZMANN: f64 = 1.380_649e-23;
/// C: J of an eV.
const CHARGE: f64 = 1.602_176_634e-19;
/// W / (m^2 K^4).
const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;

/// Bands and their wavelengths in nm.
const BANDS: [(&str, f64, f64); 3] = [
    ("ultraviolet", 100.0, 380.0),
    ("visible", 380.0, 750.0),
    ("infrared", 750.0, 100_000.0),
];

/// The coldest and the hottest body, in K.
const TEMPERATURES: (f64, f64) = (1000.0, 40_000.0);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open(DeviceChoice::Auto)?;
    let module = device.load(&Artifact::embedded()?)?;
    let count = if device.properties().has_timer {
        1_000_000
    } else {
        300
    };
    let ratio: f64 = TEMPERATURES.1 / TEMPERATURES.0;
    let temperatures: Vec<f64> = (0..count)
        .map(|k| TEMPERATURES.0 * ratio.powf(k as f64 / (count - 1) as f64))
        .collect();

    let whole = exitances(&whole_spectrum(&module, &temperatures)?)?;
    let mut worst = 0.0_f64;
    for (temperature, exitance) in temperatures.iter().zip(&whole) {
        let law = STEFAN_BOLTZMANN * temperature.powi(4);
        worst = worst.max((exitance - law).abs() / law);
    }
    // The constant's last digit.
    if worst > 1e-10 {
        return Err(format!("off the law of Stefan and Boltzmann by {worst:e}").into());
    }

    let bands = exitances(&bands(&module, &temperatures)?)?;
    println!("{count} temperatures; off the law of Stefan and Boltzmann by {worst:.1e} at most");
    println!(
        "     T / K   M / (W/m^2)  {}",
        BANDS.map(|band| band.0).join("  ")
    );
    for row in 0..=8 {
        let k = row * (count - 1) / 8;
        let shares: Vec<String> = bands[k * BANDS.len()..][..BANDS.len()]
            .iter()
            .zip(BANDS)
            .map(|(band, (name, ..))| format!("{:>1$.4}", band / whole[k], name.len()))
            .collect();
        println!(
            "{:>10.1}  {:>12.5e}  {}",
            temperatures[k],
            whole[k],
            shares.join("  ")
        );
    }
    let visible = |k: &usize| bands[k * BANDS.len() + 1] / whole[*k];
    if let Some(best) = (0..count).max_by(|a, b| visible(a).total_cmp(&visible(b))) {
        println!(
            "The largest part is visible at {:.0} K: {:.4}",
            temperatures[best],
            visible(&best)
        );
    }
    Ok(())
}

/// k T in eV.
fn thermal_energy(temperature: f64) -> f64 {
    BOLTZMANN * temperature / CHARGE
}

/// The exitance in W / m^2 of the integral of x^3 / (exp(x / kT) - 1), whose energies are in
/// eV: times 2 pi / (h^3 c^2).
fn exitance(integral: f64) -> f64 {
    let factor = std::f64::consts::TAU / (PLANCK * PLANCK * PLANCK * LIGHT * LIGHT);
    integral * CHARGE.powi(4) * factor
}

/// The spectrum; at 0 it is 0.
fn planck() -> quadscan::Result<Formula> {
    Ok(Formula::parse("if(x == 0, x, x^3 / exp_m1(x/kt))")?)
}

/// The integral of each temperature's whole spectrum.
fn whole_spectrum(module: &Module, temperatures: &[f64]) -> quadscan::Result<Vec<Outcome<f64>>> {
    let device = module.device();
    let energies: Vec<f64> = temperatures.iter().map(|&t| thermal_energy(t)).collect();
    let energies = device.upload(&energies)?;
    let options = TanhSinhOptions {
        relative: 1e-12,
        ..TanhSinhOptions::default()
    };
    let items = Items::between(0.0, f64::INFINITY).with_each(&energies);
    TanhSinh::of_formula(module, &planck()?, options)?.outcomes(&items)
}

/// The integrals of each temperature's spectrum over the bands, one temperature's after another's.
fn bands(module: &Module, temperatures: &[f64]) -> quadscan::Result<Vec<Outcome<f64>>> {
    let energy = |nm: f64| PLANCK * LIGHT / (nm * 1e-9) / CHARGE;
    let (mut from, mut to, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    for &temperature in temperatures {
        for (_, shortest, longest) in BANDS {
            from.push(energy(longest));
            to.push(energy(shortest));
            energies.push(thermal_energy(temperature));
        }
    }
    let device = module.device();
    let upload = |values: &[f64]| device.upload(values);
    let (from, to, energies) = (upload(&from)?, upload(&to)?, upload(&energies)?);
    let items = Items::between(0.0, 0.0)
        .from_each(&from)
        .to_each(&to)
        .with_each(&energies);
    Adaptive::of_formula(module, &planck()?, Options::default())?.outcomes(&items)
}

/// The exitances of outcomes, all of which have converged.
fn exitances(outcomes: &[Outcome<f64>]) -> Result<Vec<f64>, String> {
    match outcomes.iter().find(|of| of.status != CONVERGED) {
        Some(of) => Err(format!("an integral did not converge: {of:?}")),
        None => Ok(outcomes.iter().map(|of| exitance(of.value)).collect()),
    }
}
