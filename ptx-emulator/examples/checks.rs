//! What the checkers cost on a kernel that is all memory and barriers, the
//! scan of Hillis and Steele: million warp instructions a second, a line a
//! checker. `cargo run --release -p ptx-emulator --example checks`. For one
//! that is all arithmetic, see the example `trapezoid` and its `--check`.

use std::time::Instant;

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};

const LAUNCHES: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(include_str!("../tests/fixtures/kernels.ptx"))?;
    let none = Checks::none();
    let selections = [
        ("none", none),
        (
            "initialised",
            Checks {
                initialised: true,
                ..none
            },
        ),
        (
            "races",
            Checks {
                races: true,
                ..none
            },
        ),
        (
            "barriers",
            Checks {
                barriers: true,
                ..none
            },
        ),
        (
            "collectives",
            Checks {
                collectives: true,
                ..none
            },
        ),
        ("all", Checks::all()),
    ];
    for (name, checks) in selections {
        let n = 1024u32;
        let mut gpu = Gpu::new(Model::h200());
        let input = gpu.alloc_named(n as usize * 4, "input")?;
        let output = gpu.alloc_named(n as usize * 4, "output")?;
        gpu.copy_in(input, &vec![1; n as usize * 4])?;
        let shape = Shape {
            grid: [1, 1, 1],
            block: [n, 1, 1],
            shared_bytes: 0,
        };
        let parameters: [&[u8]; 3] = [
            &input.to_le_bytes(),
            &u64::from(n).to_le_bytes(),
            &output.to_le_bytes(),
        ];
        let options = LaunchOptions::default();
        let kernel = "hillis_steele_inclusive_u32";
        let mut instructions = 0;
        let started = Instant::now();
        for _ in 0..LAUNCHES {
            let checked = gpu.check(&program, kernel, shape, &parameters, &options, checks)?;
            checked.outcome?;
            instructions += checked.report.warp_instructions;
        }
        let seconds = started.elapsed().as_secs_f64();
        println!("{name:>12} {:6.2}", instructions as f64 / seconds / 1e6);
    }
    Ok(())
}
