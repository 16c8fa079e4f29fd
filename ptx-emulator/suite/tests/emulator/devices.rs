//! Launches on several devices at the same time, whose blocks wait for each other.

use ptx_emulator::{
    Checked, Checks, FindingKind, Gpu, LaunchError, LaunchOptions, Model, Program, Schedule,
};

use crate::checking::{module, shape};

/// Runs a body on two devices, whose parameters `data` and `out` are the same two arrays of 64
/// bytes of zeros.
fn on_two(body: &str, schedule: Schedule, weak_memory: bool) -> Checked {
    let program = Program::load(&module(".shared .align 4 .b8 tile[64];", body)).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let arrays = ["data", "out"].map(|name| gpu.alloc_named(64, name).unwrap());
    gpu.copy_in(arrays[0], &[0; 64]).unwrap();
    let parameters = arrays.map(u64::to_le_bytes);
    let own = parameters.each_ref().map(|bytes| &bytes[..]);
    let options = LaunchOptions {
        schedule,
        weak_memory,
        budget: 1 << 20,
        peers: vec![parameters.map(Vec::from).to_vec()],
        ..LaunchOptions::default()
    };
    let shape = shape(1, 1);
    let checked = gpu.check(&program, "test", shape, &own, &options, Checks::default());
    checked.unwrap()
}

/// A device that finds 0 in a ticket at `data` writes a word and sets a flag behind it; the other
/// awaits the flag and reads the word.
fn publish(release: &str, acquire: &str) -> String {
    format!(
        "atom.relaxed.sys.global.add.u32 %r0, [%d0], 1;\nsetp.ne.u32 %p0, %r0, 0;\n\
         @%p0 bra READ;\nst.global.u32 [%d0+8], 7;\n{release}\nret;\n\
         READ:\n{acquire}\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra READ;\n\
         ld.global.u32 %r2, [%d0+8];\nst.global.u32 [%d1], %r2;\nret;"
    )
}

/// Each side of a message with a fence or an order of a scope; the flag itself is of the system.
fn messages(one: &str, two: &str) -> [String; 2] {
    let set = "st.relaxed.sys.global.u32 [%d0+4], 1;";
    let get = "ld.relaxed.sys.global.u32 %r1, [%d0+4];";
    let fences = publish(
        &format!("fence.acq_rel.{one};\n{set}"),
        &format!("{get}\nfence.acq_rel.{two};"),
    );
    let sc = publish(
        &format!("fence.sc.{one};\n{set}"),
        &format!("{get}\nfence.sc.{two};"),
    );
    [fences, sc]
}

#[test]
fn messages_between_devices_need_fences_of_the_scope_of_the_system() {
    let schedules = [
        Schedule::Deterministic,
        Schedule::Seed(1),
        Schedule::Seed(2),
    ];
    for (one, two) in [
        ("sys", "sys"),
        ("gpu", "sys"),
        ("sys", "gpu"),
        ("gpu", "gpu"),
    ] {
        for (body, schedule) in messages(one, two)
            .iter()
            .flat_map(|body| schedules.map(|s| (body, s)))
        {
            for weak in [false, true] {
                let checked = on_two(body, schedule, weak);
                let kinds: Vec<_> = checked.findings.iter().map(|f| f.kind).collect();
                let right = one == "sys" && two == "sys";
                let expected = if right {
                    vec![]
                } else {
                    vec![FindingKind::Race]
                };
                assert_eq!(kinds, expected, "{one}, {two}: {body}\n{checked}");
            }
        }
    }
}

/// With weak memory, the word's old value comes behind the flag's new one.
#[test]
fn a_fence_of_a_device_lets_another_device_read_an_old_word() {
    let stale = |scope: &str| {
        let [body, _] = messages(scope, scope);
        (0..40).any(|seed| {
            let checked = on_two(&body, Schedule::Seed(seed), true);
            !checked.stale_reads.is_empty()
        })
    };
    assert!(stale("gpu") && !stale("sys"));
}

#[test]
fn findings_on_several_devices_name_the_device_of_both_sides() {
    // The verdicts of a race, of a read of what nobody has written, of a fault, of a deadlock and
    // of a livelock, by the device that finds 1 in the ticket.
    let second = |body: &str| {
        format!(
            "atom.relaxed.sys.global.add.u32 %r0, [%d0], 1;\nsetp.eq.u32 %p0, %r0, 0;\n{body}\nret;"
        )
    };
    let said = |body: &str| {
        let checked = on_two(&second(body), Schedule::Deterministic, false);
        let [finding] = &checked.findings[..] else {
            panic!("{checked}")
        };
        (finding.clone(), checked.outcome)
    };
    let (race, _) = said("st.global.u32 [%d0+8], %r0;");
    let text = race.to_string();
    let sides = [
        "writes: device 1, block [0, 0, 0], thread [0, 0, 0]",
        "writes: device 0, block [0, 0, 0], thread [0, 0, 0]",
    ];
    assert!(sides.iter().all(|side| text.contains(side)), "{text}");
    let (read, _) = said("@!%p0 ld.shared.u32 %r1, [tile];\n@!%p0 st.global.u32 [%d1], %r1;");
    assert_eq!(
        (read.kind, read.at.device),
        (FindingKind::UninitialisedRead, Some(1))
    );
    let (fault, outcome) = said("@!%p0 st.global.u32 [%d0+64], %r0;");
    assert_eq!(
        (fault.kind, fault.at.device),
        (FindingKind::Bounds, Some(1))
    );
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.contains("in kernel `test`, device 1, block [0, 0, 0]"),
        "{text}"
    );
    let (deadlock, outcome) = said("@!%p0 barrier.sync 0, 64;");
    assert_eq!(
        deadlock.message,
        "no warp of device 1, block [0, 0, 0] can move"
    );
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.contains("\n  device 1, block [0, 0, 0] warp 0"),
        "{text}"
    );
    let (livelock, outcome) = said("WAIT:\nbra WAIT;");
    let devices = [
        livelock.at.device,
        livelock.other.and_then(|place| place.device),
    ];
    assert_eq!(devices, [Some(0), Some(1)]);
    assert!(matches!(outcome, Err(LaunchError::Livelock { .. })));
}

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
