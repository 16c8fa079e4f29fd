//! Launches on a device.

use cuda_std::launch::Value;
use quadscan::device::{Argument, Device, LaunchShape, Module};

use super::Launch;
use super::limit;
use super::program::{CELLS, OUTPUTS};

/// Entries of a module: a driver compiles one of many in less time than many of one.
pub const AT_ONCE: usize = 50;

/// The name of a launch's entry.
pub fn name(launch: &Launch) -> String {
    format!("k{}", launch.seed)
}

/// A module of PTX with these launches' programs.
pub fn module(launches: &[Launch]) -> String {
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
    for launch in launches {
        text.push_str(&launch.program.text(&name(launch)));
    }
    text
}

/// What a launch wrote: the words of each thread, then those of all.
///
/// # Errors
///
/// The device's.
pub fn run(module: &Module, launch: &Launch) -> quadscan::Result<Vec<u64>> {
    let device = module.device();
    let inputs = device.upload(&launch.inputs)?;
    let threads = (launch.shape.0 * launch.shape.1) as usize;
    let outputs = device.alloc_zeroed::<u64>(threads * OUTPUTS)?;
    let cells = device.upload(&launch.cells)?;
    let shape = LaunchShape::new(launch.shape.0, launch.shape.1);
    let flags = Argument::<Value<u32>>::actual(&launch.flags);
    let arguments = [inputs.actual(), outputs.actual(), cells.actual(), flags];
    // SAFETY: the entry takes the addresses of INPUTS and of OUTPUTS words a thread, of CELLS
    // words, and 32 bits; it reads and writes no more.
    unsafe { module.launch_raw(&name(launch), shape, &arguments)? };
    let mut written = outputs.to_vec()?;
    written.extend(cells.to_vec()?);
    debug_assert_eq!(written.len(), threads * OUTPUTS + CELLS);
    Ok(written)
}

/// What each of these launches wrote, or why one did not. A module that a device refuses is tried
/// again a program at a time.
pub fn run_all(device: &Device, launches: &[Launch]) -> Vec<Result<Vec<u64>, String>> {
    let said = |error: quadscan::Error| error.to_string();
    let name = &device.properties().name;
    if let Some(first) = launches.first() {
        limit::begin(first.seed, &format!("compiling its module on {name}"));
    }
    match device.load_ptx(&module(launches)) {
        Ok(module) => launches
            .iter()
            .map(|launch| {
                limit::begin(launch.seed, &format!("its launch on {name}"));
                run(&module, launch).map_err(said)
            })
            .collect(),
        Err(error) if launches.len() < 2 => vec![Err(said(error))],
        Err(_) => {
            let halves = launches.split_at(launches.len() / 2);
            let mut all = run_all(device, halves.0);
            all.extend(run_all(device, halves.1));
            all
        }
    }
}
