//! Which blocks are resident together: as many as the GPU holds when they wait
//! for each other, and no more of them in memory than needed when they do not.

use crate::harness::{module, read32};
use ptx_emulator::observe::Observer;
use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Model, Program, Schedule, Shape};

/// Blocks of one warp that an H200 holds: 32 on each of 132 SMs.
const MOST: u32 = 32 * 132;

/// How many blocks were resident at once.
#[derive(Clone, Default)]
struct Residents {
    begun: u64,
    ended: u64,
    most: u64,
}

impl Observer for Residents {
    fn fork(&self) -> Self {
        Residents::default()
    }
    fn merge(&mut self, other: Self) {
        self.begun += other.begun;
        self.ended += other.ended;
        self.most += other.most;
    }
    fn block_begins(&mut self, _block: [u32; 3], _linear: u64) {
        self.begun += 1;
        self.most = self.most.max(self.begun - self.ended);
    }
    fn block_ends(&mut self, _block: [u32; 3], _linear: u64) {
        self.ended += 1;
    }
}

/// Every block adds 1 to word 0 when it has passed `body`, which has the block
/// in `%r0`, the last block in `%r1`.
fn run(
    body: &str,
    grid: u32,
    schedule: Schedule,
    cores: usize,
) -> Result<(u32, Residents), LaunchError> {
    let body = format!(
        "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1;\n{body}\n\
         atom.global.add.u32 %r9, [%d0], 1; ret;"
    );
    let program = Program::load(&module("", &body)).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(4 * (MOST as usize + 16)).unwrap();
    let options = LaunchOptions {
        schedule,
        cores,
        budget: 2_000_000,
        ..LaunchOptions::default()
    };
    let shape = Shape {
        grid: [grid, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
    };
    let parameters: [&[u8]; 1] = [&out.to_le_bytes()];
    let residents = Residents::default();
    let (_, residents) = gpu
        .launch_observed(&program, "test", shape, &parameters, &options, residents)?
        .finished()?;
    Ok((read32(&gpu, out, 1)[0], residents))
}

/// All blocks wait for the last one.
const WAIT: &str = "setp.eq.u32 %p0, %r0, %r1; @%p0 st.volatile.global.u32 [%d0+4], 1;
    LOOP: ld.volatile.global.u32 %r2, [%d0+4]; setp.ne.u32 %p1, %r2, 0; @%p1 bra OUT;
    nanosleep.u32 20; bra LOOP; OUT:";

#[test]
fn blocks_may_wait_for_the_last_block_that_the_gpu_holds() {
    for (schedule, cores) in [
        (Schedule::Deterministic, 1),
        (Schedule::Deterministic, 2),
        (Schedule::Seed(5), 1),
    ] {
        let (passed, residents) = run(WAIT, MOST, schedule, cores).unwrap();
        assert_eq!(passed, MOST);
        assert_eq!(residents.begun, u64::from(MOST));
        assert_eq!(residents.ended, u64::from(MOST));
    }
    let (_, residents) = run(WAIT, MOST, Schedule::Deterministic, 1).unwrap();
    assert_eq!(residents.most, u64::from(MOST));
    // The GPU does not hold one more.
    for cores in [1, 2] {
        let error = run(WAIT, MOST + 1, Schedule::Deterministic, cores).map(|(passed, _)| passed);
        assert!(
            matches!(error, Err(LaunchError::Livelock { .. })),
            "{error:?}"
        );
    }
}

#[test]
fn each_block_may_wait_for_the_next() {
    let body = "setp.eq.u32 %p0, %r0, %r1; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d0, %d1;
        @%p0 bra OUT; LOOP: ld.volatile.global.u32 %r2, [%d1+8]; setp.ne.u32 %p1, %r2, 0;
        @%p1 bra OUT; nanosleep.u32 20; bra LOOP; OUT: st.volatile.global.u32 [%d1+4], 1;";
    for schedule in [Schedule::Deterministic, Schedule::Seed(7)] {
        for cores in [1, 2] {
            assert_eq!(run(body, 60, schedule, cores).unwrap().0, 60);
        }
    }
}

#[test]
fn short_blocks_follow_each_other_in_one_place() {
    let (passed, residents) = run("", 3 * MOST, Schedule::Deterministic, 1).unwrap();
    assert_eq!(passed, 3 * MOST);
    assert_eq!(residents.begun, u64::from(3 * MOST));
    assert_eq!(residents.most, 1);
    let (passed, residents) = run("", 1000, Schedule::Deterministic, 2).unwrap();
    assert_eq!((passed, residents.begun), (1000, 1000));
    assert!(residents.most <= 2);
    // A seed mixes all blocks that the GPU holds.
    let (passed, residents) = run("", 2 * MOST, Schedule::Seed(1), 1).unwrap();
    assert_eq!((passed, residents.most), (2 * MOST, u64::from(MOST)));
}
