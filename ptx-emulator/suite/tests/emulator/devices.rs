//! Launches on several devices at the same time, whose blocks wait for each other.

use ptx_emulator::{Checked, Checks, Gpu, LaunchOptions, Model, Program, Schedule};

use crate::checking::{module, shape};

/// Every device adds 1 to what the one before it wrote, and writes it for the one behind: `data` is
/// read until it is not 0, `out` is written; the first device's `data` is 1.
fn relay(scope: &str) -> String {
    let body = format!(
        "and.b32 %r0, %x, 31;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 ret;\n\
         READ:\nld.relaxed.{scope}.global.u32 %r1, [%d0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra READ;\n\
         add.u32 %r1, %r1, 1;\nst.relaxed.{scope}.global.u32 [%d1], %r1;\nret;"
    );
    module("", &body)
}

/// What `devices` give together, each of which waits for the one before it, and what was said.
fn run(scope: &str, devices: usize, schedule: Schedule) -> (u32, Checked) {
    run_blocks(scope, devices, schedule, 1)
}

/// The same on devices of one SM, with so many blocks each.
fn run_blocks(scope: &str, devices: usize, schedule: Schedule, blocks: u32) -> (u32, Checked) {
    let program = Program::load(&relay(scope)).unwrap();
    let mut gpu = Gpu::new(Model {
        sms: 1,
        ..Model::h200()
    });
    let words: Vec<u64> = (0..=devices).map(|_| gpu.alloc(4).unwrap()).collect();
    for (place, &word) in words.iter().enumerate() {
        gpu.copy_in(word, &u32::from(place == 0).to_le_bytes())
            .unwrap();
    }
    // The last device comes first.
    let mut parameters = words.windows(2).rev().map(|pair| {
        let pair = pair.iter().map(|word| word.to_le_bytes().to_vec());
        pair.collect::<Vec<_>>()
    });
    let own = parameters.next().unwrap();
    let own: Vec<&[u8]> = own.iter().map(Vec::as_slice).collect();
    let options = LaunchOptions {
        schedule,
        budget: 1 << 20,
        peers: parameters.collect(),
        ..LaunchOptions::default()
    };
    let checked = gpu
        .check(
            &program,
            "test",
            shape(blocks, 32),
            &own,
            &options,
            Checks::default(),
        )
        .unwrap();
    let mut bytes = [0; 4];
    gpu.copy_out(words[devices], &mut bytes).unwrap();
    (u32::from_le_bytes(bytes), checked)
}

#[test]
fn devices_that_wait_for_each_other_run_at_the_same_time() {
    for devices in [1, 2, 8] {
        for schedule in [Schedule::Deterministic, Schedule::Seed(7)] {
            let (sum, checked) = run("sys", devices, schedule);
            assert_eq!(sum, devices as u32 + 1);
            assert!(checked.is_clean(), "{checked}");
        }
    }
}

/// The first device alone could fill the places of both with blocks, all of which wait for the second.
#[test]
fn no_device_takes_the_places_of_another() {
    for schedule in [Schedule::Deterministic, Schedule::Seed(7)] {
        let (sum, checked) = run_blocks("sys", 2, schedule, 64);
        assert_eq!(sum, 3);
        assert!(checked.is_clean(), "{checked}");
    }
}

#[test]
fn words_of_the_scope_of_a_device_race_between_devices() {
    let (_, alone) = run("gpu", 1, Schedule::Deterministic);
    assert!(alone.is_clean(), "{alone}");
    let (_, checked) = run("gpu", 2, Schedule::Deterministic);
    let text = checked.to_string();
    assert!(
        text.contains("not of a scope that holds both threads"),
        "{text}"
    );
}

#[test]
fn more_than_eight_devices_are_refused() {
    let mut gpu = Gpu::new(Model::h200());
    let program = Program::load(&relay("sys")).unwrap();
    let word = gpu.alloc(4).unwrap().to_le_bytes();
    let own = [&word[..], &word[..]];
    let options = LaunchOptions {
        peers: vec![own.map(<[u8]>::to_vec).to_vec(); 8],
        ..LaunchOptions::default()
    };
    let refused = gpu.launch_with(&program, "test", shape(1, 32), &own, &options);
    let text = refused.unwrap_err().to_string();
    assert_eq!(text, "the launch does not fit: 9 devices, allowed are 8");
}
