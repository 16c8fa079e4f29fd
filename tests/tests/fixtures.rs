//! Devices give what an H200 gave, bit for bit: the emulator on every machine,
//! and a GPU where there is one.
//!
//! `fixtures record DIR [NAME...]` records anew, to files in DIR, on the GPU of the
//! machine: all recordings, or those that are named. `fixtures random` compares the emulator with the
//! GPU of the machine on any number of random launches.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use cuda_inspect::tools::Tools;
use quadscan::device::{Device, DeviceChoice, EMULATOR};
use quadscan_bench::modules;
use quadscan_tests::fixtures::recording::{Result as LaunchResult, changed, differences};
use quadscan_tests::fixtures::{
    self, Header, Recording, SEED, approximations, attributes, integrated, launches, nvcc, probes,
    products, random, record, texts,
};
use quadscan_tests::probes::table;
use quadscan_tests::random_launches::command;
use quadscan_tests::suite::{self, Bench, Case, Outcome};

const DEVICES: &[(&str, DeviceChoice)] = &[
    ("emulator", DeviceChoice::Emulator { schedule: None }),
    ("cuda", DeviceChoice::Cuda(None)),
];

const CASES: &[Case] = &[
    Case {
        name: "seeded_launches_give_the_recorded_bits",
        run: seeded_launches,
    },
    Case {
        name: "scans_and_reductions_give_the_recorded_bits",
        run: arrays,
    },
    Case {
        name: "integrals_give_the_recorded_bits",
        run: integrals,
    },
    Case {
        name: "every_instruction_form_gives_the_recorded_bits",
        run: instruction_forms,
    },
    Case {
        name: "approximate_functions_give_the_recorded_bits_of_whole_binades",
        run: approximate_functions,
    },
    Case {
        name: "kernels_from_nvcc_give_the_recorded_bits",
        run: kernels_from_nvcc,
    },
    Case {
        name: "texts_of_other_compilers_give_the_recorded_bits",
        run: other_texts,
    },
    Case {
        name: "products_of_matrices_give_the_recorded_bits",
        run: products_of_matrices,
    },
    Case {
        name: "random_launches_give_the_recorded_bits",
        run: random_launches,
    },
    Case {
        name: "inspect_agrees_with_the_driver_and_the_assembler",
        run: attributes,
    },
    Case {
        name: "the_ptx_declares_what_the_assembler_allocates",
        run: assembler,
    },
    Case {
        name: "every_kernel_but_those_for_diagnoses_and_limits_and_by_themselves_is_launched",
        run: every_kernel,
    },
];

/// Differences that a message shows.
const SHOWN: usize = 40;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("record") => match &arguments[2..] {
            [folder, names @ ..] => record::main(Path::new(folder), names),
            [] => {
                eprintln!("error: `record` needs a DIR, the folder to write to");
                ExitCode::from(2)
            }
        },
        Some("random") => command::main(&arguments[2..]),
        _ => suite::main_on(DEVICES, CASES),
    }
}

/// Says when the PTX is not the recorded one; the results are compared all the
/// same, since it is they that must not change.
fn state(what: &str, header: &Header, now: &BTreeMap<String, String>) {
    for name in changed(header, now) {
        eprintln!(
            "{what}: the PTX of {name} is not the recorded one ({})",
            header.date
        );
    }
}

fn verdict(differences: &[String]) -> Outcome {
    if differences.is_empty() {
        return Ok(());
    }
    let shown = differences.len().min(SHOWN);
    let text = differences[..shown].join("\n");
    Err(format!("{} differences:\n{text}", differences.len()).into())
}

fn seeded_launches(bench: &Bench) -> Outcome {
    let recorded = Recording::<LaunchResult>::read(fixtures::LAUNCHES)?;
    let hashes = record::artifact_hashes(&modules::ours()?);
    state("launches", &recorded.header, &hashes);
    assert_eq!(recorded.header.seed, SEED, "record anew");
    let found = launches::run(&bench.module, SEED)?;
    assert!(found.len() >= 500, "only {} launches", found.len());
    verdict(&differences(&recorded.lines, &found))
}

fn arrays(bench: &Bench) -> Outcome {
    let mut found = launches::run_arrays(&bench.module, SEED)?;
    if fixtures::ARRAYS.is_empty() {
        return suite::skip("arrays.jsonl is empty: `fixtures record DIR` on a GPU makes it");
    }
    let recorded = Recording::<LaunchResult>::read(fixtures::ARRAYS)?;
    let hashes = record::artifact_hashes(&modules::ours()?);
    state("arrays", &recorded.header, &hashes);
    assert_eq!(recorded.header.seed, SEED, "record anew");
    let new = found.split_off(recorded.lines.len().min(found.len()));
    if !new.is_empty() {
        eprintln!("arrays: {} launches are not recorded yet", new.len());
    }
    verdict(&differences(&recorded.lines, &found))
}

fn integrals(bench: &Bench) -> Outcome {
    let mut found = integrated::run(&bench.module, SEED)?;
    if fixtures::INTEGRALS.is_empty() {
        return suite::skip("integrals.jsonl is empty: `fixtures record DIR` on a GPU makes it");
    }
    let mut recorded = Recording::<LaunchResult>::read(fixtures::INTEGRALS)?;
    let hashes = record::artifact_hashes(&modules::ours()?);
    state("integrals", &recorded.header, &hashes);
    assert_eq!(recorded.header.seed, SEED, "record anew");
    // New integrands stand last.
    let new = found.split_off(recorded.lines.len().min(found.len()));
    if !new.is_empty() {
        eprintln!("integrals: {} launches are not recorded yet", new.len());
    }
    // Another GPU's approximations may have other bits.
    if !is_alike(&bench.device) {
        let mut open = 0;
        for (recorded, found) in recorded.lines.iter_mut().zip(&found) {
            let Some((theirs, by)) = integrated::open_number(recorded) else {
                continue;
            };
            let ours = integrated::open_number(found).map_or(f64::NAN, |(number, _)| number);
            assert!(
                (ours - theirs).abs() <= by * theirs.abs(),
                "{}: {ours:e}, recorded {theirs:e}",
                found.launch
            );
            open += 1;
            *recorded = LaunchResult {
                launch: recorded.launch.clone(),
                ..found.clone()
            };
        }
        // Two kinds of numbers.
        assert_eq!(open, 2 * integrated::LEFT_OPEN.len());
    }
    verdict(&differences(&recorded.lines, &found))
}

fn instruction_forms(bench: &Bench) -> Outcome {
    let recorded = Recording::<probes::Line>::read(fixtures::PROBES)?;
    let forms = table::forms();
    assert_eq!(recorded.header.seed, SEED, "record anew");
    state("probes", &recorded.header, &probes::hashes(&forms));
    let found = probes::run(&bench.device, &forms, SEED)?;
    let alike = is_alike(&bench.device);
    let comparison = probes::compare(&recorded.lines, &found, &forms, SEED, alike);
    verdict(&comparison.differences)?;
    // Most of what is recorded counts.
    assert!(comparison.open * 50 < comparison.compared, "{comparison:?}");
    Ok(())
}

/// Whether the device has the special function unit of what was recorded, bit for bit.
fn is_alike(device: &Device) -> bool {
    let properties = device.properties();
    properties.kind == EMULATOR || properties.compute_capability == (9, 0)
}

/// All fractions of a binade, of every function that the special function unit computes.
fn approximate_functions(bench: &Bench) -> Outcome {
    if !is_alike(&bench.device) {
        return suite::skip("approximations of another GPU may have other bits than Hopper's");
    }
    let found = approximations::run(&bench.device)?;
    let recorded = Recording::<approximations::Line>::read(fixtures::APPROXIMATIONS)?;
    state(
        "approximations",
        &recorded.header,
        &approximations::hashes(),
    );
    let lines = recorded.lines.iter().zip(&found);
    let differences: Vec<String> = lines
        .filter(|(recorded, found)| recorded != found)
        .map(|(recorded, found)| format!("{found:?}, recorded {recorded:?}"))
        .collect();
    assert_eq!(recorded.lines.len(), found.len(), "record anew");
    verdict(&differences)
}

fn kernels_from_nvcc(bench: &Bench) -> Outcome {
    let recorded = Recording::<LaunchResult>::read(fixtures::NVCC)?;
    assert_eq!(recorded.header.seed, SEED, "record anew");
    state("nvcc", &recorded.header, &nvcc::hashes());
    verdict(&differences(&recorded.lines, &nvcc::run(&bench.device)?))
}

fn other_texts(bench: &Bench) -> Outcome {
    if !is_alike(&bench.device) {
        return suite::skip("approximations of another GPU may have other bits than Hopper's");
    }
    let recorded = Recording::<LaunchResult>::read(fixtures::TEXTS)?;
    assert_eq!(recorded.header.seed, SEED, "record anew");
    state("texts", &recorded.header, &texts::hashes());
    verdict(&differences(&recorded.lines, &texts::run(&bench.device)?))
}

fn products_of_matrices(bench: &Bench) -> Outcome {
    if !is_alike(&bench.device) {
        return suite::skip("sums of another GPU's tensor cores may have other bits than Hopper's");
    }
    let recorded = Recording::<products::Line>::read(fixtures::PRODUCTS)?;
    let found = products::lines(&products::run(&bench.device)?);
    let lines = recorded.lines.iter().zip(&found);
    let differences: Vec<String> = lines
        .filter(|(recorded, found)| recorded != found)
        .map(|(recorded, found)| format!("{found:?}, recorded {recorded:?}"))
        .collect();
    assert_eq!(recorded.lines.len(), found.len(), "record anew");
    verdict(&differences)
}

fn random_launches(bench: &Bench) -> Outcome {
    if !is_alike(&bench.device) {
        return suite::skip("approximations of another GPU may have other bits than Hopper's");
    }
    let recorded = Recording::<random::Line>::read(fixtures::RANDOM)?;
    verdict(&random::compare(
        &recorded.lines,
        &random::run(&bench.device)?,
    ))
}

/// On a GPU, what its driver says now; elsewhere, what one said.
fn attributes(bench: &Bench) -> Outcome {
    let artifact = modules::ours()?;
    let properties = bench.device.properties();
    let recorded = match properties.kind {
        EMULATOR => {
            let told = attributes::run(&bench.module, &artifact, &Tools::default());
            let refusal = told.expect_err("an emulator allocates no registers");
            assert!(
                refusal.starts_with("attributes are a driver's: "),
                "{refusal}"
            );
            if fixtures::ATTRIBUTES.is_empty() {
                return suite::skip(
                    "attributes.jsonl is empty: `fixtures record DIR` on a GPU makes it",
                );
            }
            Recording::<attributes::Line>::read(fixtures::ATTRIBUTES)?
        }
        _ => {
            let lines = attributes::run(&bench.module, &artifact, &Tools::default())?;
            let header = record::header(&bench.device, BTreeMap::new());
            Recording { header, lines }
        }
    };
    // The recorded device is an H200, whatever this one is.
    let (arch, capability) = match properties.kind {
        EMULATOR => ("sm_90", (9, 0)),
        _ => {
            let module = bench.module.manifest().ok_or("no manifest")?;
            (module.arch.as_str(), properties.compute_capability)
        }
    };
    let mut modules = artifact.modules();
    let built = modules
        .find(|built| built.module.arch == arch)
        .ok_or("no such PTX")?;
    let kernels = attributes::kernels(&built)?;
    let found = attributes::compare(&recorded.header, &recorded.lines, &kernels, capability)?;
    if !found.others.is_empty() {
        eprintln!(
            "attributes: {} of {} kernels have other code than was recorded ({}): {}",
            found.others.len(),
            recorded.lines.len(),
            recorded.header.date,
            found.others.join(", ")
        );
    }
    eprintln!(
        "attributes: {} kernels compared, {} of them by ptxas too, {} occupancies",
        found.compared, found.assembled, found.occupancies
    );
    assert!(
        recorded.lines.len() >= 250,
        "only {} kernels",
        recorded.lines.len()
    );
    verdict(&found.differences)
}

/// The assembler is the machine's, whatever the device.
fn assembler(_bench: &Bench) -> Outcome {
    let (artifact, tools) = (modules::ours()?, Tools::find());
    for built in artifact.modules() {
        match attributes::compare_with_assembler(&built, &tools)? {
            Some(differences) => verdict(&differences)?,
            None => return suite::skip(&tools.missing().unwrap_or_default()),
        }
    }
    Ok(())
}

fn every_kernel(bench: &Bench) -> Outcome {
    let manifest = bench.module.manifest().ok_or("no manifest")?;
    let mut there: Vec<&str> = manifest
        .kernels()
        // Conformance has the limits' results to the bit, but for one approximation, those of
        // kernels that are launched by themselves, and those of formulas.
        .filter(|kernel| quadscan_bench::kernels::by_name(&kernel.entry).is_none())
        .filter(|kernel| {
            !["diagnostics", "limits", "formula"]
                .iter()
                .any(|m| kernel.module.ends_with(m))
        })
        .map(|kernel| kernel.entry.as_str())
        .collect();
    let mut launched: Vec<&str> = launches::names()
        .chain(launches::names_of_arrays())
        .chain(integrated::names())
        .collect();
    there.sort_unstable();
    launched.sort_unstable();
    launched.dedup();
    assert_eq!(launched, there);
    Ok(())
}
