//! The emulated device through the typed layer, on PTX written for it.

use std::sync::{Arc, Mutex};

use ptx_emulator::observe::{Observer, Site};
use ptx_emulator::{Class, FaultKind, LaunchError, Model, Observed};

use super::*;
use crate::device::{Device, DeviceChoice, Event, LaunchShape, Module};

/// `add`: data[i] += n, 32 threads a block. `wild`: a store to `address`.
/// `forever`: a loop. `ordered`: each block's number in the order of arrival.
/// `bounded`: at most 64 threads, 4096 bytes of shared memory.
const PTX: &str = r#".version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 data, .param .u32 n) {
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r2, 32, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    add.u32 %r5, %r5, %r1;
    st.global.u32 [%rd3], %r5;
    ret;
}
.visible .entry wild(.param .u64 address) {
    .reg .b64 %rd<2>;
    .loc 1 7 9
    ld.param.u64 %rd1, [address];
    st.global.u32 [%rd1], 1;
    ret;
}
.visible .entry forever() {
$L:
    bra.uni $L;
}
.visible .entry ordered(.param .u64 data) {
    .reg .b32 %r<3>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    atom.global.add.u32 %r1, [%rd1], 1;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+4], %r2;
    ret;
}
.visible .entry bounded() .maxntid 64, 1, 1 {
    .shared .align 4 .b8 tile[4096];
    .reg .b32 %r<2>;
    ld.shared.u32 %r1, [tile];
    ret;
}
.file 1 "kernels/wild.rs"
"#;

fn small(memory: u64) -> Settings {
    Settings {
        model: Model {
            memory,
            ..Model::h200()
        },
        budget: 1 << 20,
        ..Settings::default()
    }
}

fn device() -> Device {
    Device::from_backend(Box::new(Emulator::new(small(1 << 20))))
}

fn loaded(device: &Device) -> Result<Module> {
    device.load_ptx(PTX)
}

/// A launch of bytes: what the kernels above take is written beside them.
fn launch(module: &Module, kernel: &str, shape: (u32, u32), parameters: &[&[u8]]) -> Result<()> {
    let actuals: Vec<_> = parameters
        .iter()
        .map(|bytes| crate::device::Actual {
            bytes,
            elements: None,
        })
        .collect();
    // SAFETY: nothing is unsound on the emulator: it checks every access.
    unsafe { module.launch_raw(kernel, LaunchShape::new(shape.0, shape.1), &actuals) }
}

fn sentence<T: std::fmt::Debug>(result: Result<T>) -> String {
    let sentence = match result {
        Ok(value) => panic!("{value:?}"),
        Err(error) => error.to_string(),
    };
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}

#[test]
fn a_kernel_runs_and_its_warp_instructions_are_counted_once() -> Result<()> {
    let device = device();
    let module = loaded(&device)?;
    let data = device.upload(&[5_u32; 64])?;
    let parameters: [&[u8]; 2] = [&data.address().to_le_bytes(), &3_u32.to_le_bytes()];
    launch(&module, "add", (2, 32), &parameters)?;
    assert_eq!(data.to_vec()?, [8; 64]);
    // Eleven instructions in each of two warps.
    let counted = Some(Counts {
        warp_instructions: 22,
        ..Counts::default()
    });
    assert_eq!(device.take_counts(), counted);
    assert_eq!(device.take_counts(), Some(Counts::default()));
    Ok(())
}

#[test]
fn fills_and_copies_reach_every_byte_and_no_other() -> Result<()> {
    let device = device();
    // More than one chunk, and not a multiple of one.
    let bytes: Vec<u8> = (0..2 * CHUNK + 77).map(|i| (i % 251) as u8).collect();
    let source = device.upload(&bytes)?;
    let mut target = device.alloc::<u8>(bytes.len())?;
    target.fill_bytes(0xA5)?;
    assert!(target.to_vec()?.iter().all(|&byte| byte == 0xA5));
    target.copy_from_buffer(&source)?;
    assert!(target.to_vec()? == bytes);
    assert!(source.to_vec()? == bytes);
    Ok(())
}

#[test]
fn memory_is_bounded_counted_and_given_back() -> Result<()> {
    let device = device();
    let total = 1 << 20;
    let free = |device: &Device| device.memory_info().map(|info| (info.free, info.total));
    assert_eq!(free(&device)?, (total, total));
    let half = device.alloc::<u8>(1 << 19)?;
    assert_eq!(free(&device)?, (total / 2, total));
    assert_eq!(
        sentence(device.alloc::<u8>((1 << 19) + 1)),
        "524289 bytes do not fit on H200 (emulated), 524288 bytes are free"
    );
    drop(half);
    assert_eq!(free(&device)?, (total, total));
    Ok(())
}

#[test]
fn ptx_that_does_not_run_is_one_sentence_with_its_place() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
                .visible .entry k() {\n    wibble.u32 %r1, 2;\n    ret;\n}\n";
    let refused = sentence(device().load_ptx(text));
    assert!(
        refused.starts_with("the emulator cannot load the PTX: 5:") && refused.contains("wibble"),
        "{refused}"
    );
    let refused = sentence(device().load_ptx("no PTX at all"));
    assert!(
        refused.starts_with("the emulator cannot load the PTX: 1:"),
        "{refused}"
    );
    assert_eq!(
        sentence(device().load_cubin(&[0x7f, b'E', b'L', b'F'])),
        "the emulator cannot load the cubin: it runs PTX, and this is machine code"
    );
}

#[test]
fn a_kernel_with_more_shared_memory_than_a_block_has_is_refused() -> Result<()> {
    let load = |bytes: u32| {
        device().load_ptx(&format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 big[{bytes}];\n\
             .visible .entry k() {{ .reg .b32 %r<2>; ld.shared.u32 %r1, [big]; ret; }}\n"
        ))
    };
    assert_eq!(load(49_152)?.attributes("k")?.static_shared_bytes, 49_152);
    assert_eq!(
        sentence(load(49_156)?.attributes("k")),
        "the emulator cannot load kernel `k`: its static shared memory is 49156 bytes, \
         and a block may have 49152"
    );
    Ok(())
}

#[test]
fn a_kernel_tells_what_it_takes_up_and_not_its_registers() -> Result<()> {
    let device = device();
    let module = loaded(&device)?;
    let expected = FunctionAttributes {
        max_threads_per_block: 64,
        registers: None,
        local_bytes: 0,
        static_shared_bytes: 4096,
        constant_bytes: 0,
        ptx_version: None,
        binary_version: None,
    };
    assert_eq!(module.attributes("bounded")?, expected);
    assert_eq!(module.attributes("add")?.max_threads_per_block, 1024);
    assert_eq!(
        sentence(module.attributes("none")),
        "the module has no kernel `none`: build the artifact again, or load that of the crate \
         which defines the kernel; quadscan's own kernels need its feature `scan`, `reduce`, `select` or \
         `integrate`, and `kernels` is all four"
    );
    Ok(())
}

#[test]
fn launches_that_do_not_fit_are_refused_and_the_device_goes_on() -> Result<()> {
    let device = device();
    let module = loaded(&device)?;
    assert_eq!(
        sentence(launch(&module, "bounded", (1, 65), &[])),
        "threads per block is 65, allowed are 1 to 64 for kernel `bounded` on H200 (emulated)"
    );
    assert_eq!(
        sentence(launch(&module, "wild", (1, 1), &[&[0; 4]])),
        "the emulator cannot launch kernel `wild`: parameter 0 of `wild` has 8 bytes, not 4"
    );
    launch(&module, "bounded", (1, 64), &[])?;
    device.synchronize()
}

#[test]
fn a_fault_names_the_line_the_block_and_the_thread_and_ends_this_device_alone() -> Result<()> {
    let device = device();
    let module = loaded(&device)?;
    let buffer = device.upload(&[1_u32])?;
    let fault = launch(&module, "wild", (1, 1), &[&0x40_u64.to_le_bytes()]);
    let Err(error) = fault else {
        panic!("a store to nowhere went well")
    };
    assert!(error.is_context_lost());
    assert!(error.is_context_lost());
    let said = error.to_string();
    for part in [
        "the emulator stopped the kernel: 4 bytes at 0x40 (global) are out of bounds",
        "kernel `wild`, block [0, 0, 0], thread [0, 0, 0], kernels/wild.rs:7, PTX line 22",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
    let Error::KernelStopped { cause, .. } = error else {
        panic!("{error}")
    };
    let LaunchError::Fault(fault) = *cause else {
        panic!("{cause}")
    };
    assert!(
        matches!(fault.kind, FaultKind::OutOfBounds { address: 0x40, .. }),
        "{fault}"
    );
    // As after a fault on a GPU, whatever is asked of the device next.
    assert_eq!(sentence(device.synchronize()), said);
    assert_eq!(sentence(buffer.to_vec()), said);
    assert_eq!(sentence(device.alloc::<u8>(1)), said);
    assert_eq!(sentence(launch(&module, "bounded", (1, 1), &[])), said);
    drop(buffer);

    let other = self::device();
    launch(&loaded(&other)?, "bounded", (1, 1), &[])?;
    other.synchronize()
}

#[test]
fn a_kernel_without_an_end_is_stopped_by_its_budget() -> Result<()> {
    let device = device();
    let module = loaded(&device)?;
    let said = sentence(launch(&module, "forever", (1, 32), &[]));
    for part in [
        "the emulator stopped the kernel: kernel `forever`: livelock: ",
        "1048576 warp instructions",
        "; block [0, 0, 0] warp 0 lanes 0xffffffff:",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(sentence(device.synchronize()), said);
    Ok(())
}

#[test]
fn events_are_reached_and_have_no_time() -> Result<()> {
    let device = device();
    let (start, end) = (device.event()?, device.event()?);
    start.record()?;
    end.record()?;
    end.synchronize()?;
    assert_eq!(
        sentence(Event::elapsed_ms(&start, &end)),
        "H200 (emulated) has no timer: an emulated kernel takes no time that means anything"
    );
    Ok(())
}

#[test]
fn what_cannot_be_recorded_is_refused_and_leaves_no_graph() -> Result<()> {
    let device = device();
    let mut data = device.upload(&[5_u32; 32])?;
    assert_eq!(
        sentence(device.capture(|| data.to_vec().map(|_| ()))),
        "the emulator cannot copy from the device: its work is being recorded into a graph"
    );
    let unnoticed = device.capture(|| {
        let _ = device.synchronize();
        data.fill_bytes(1)
    });
    assert_eq!(
        sentence(unnoticed),
        "the emulator cannot make a graph: it was asked to wait meanwhile"
    );
    assert_eq!(data.to_vec()?, [5; 32], "nothing was done");
    let graph = device.capture(|| data.fill_bytes(1))?;
    graph.launch()?;
    assert_eq!(data.to_vec()?, [0x0101_0101; 32]);
    Ok(())
}

/// The order in which 64 blocks of a warp come to an atomic.
fn arrivals(settings: Settings) -> Result<Vec<u32>> {
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let data = device.alloc_zeroed::<u32>(1 + 64)?;
    let module = loaded(&device)?;
    let address = data.address().to_le_bytes();
    launch(&module, "ordered", (64, 1), &[&address])?;
    Ok(data.to_vec()?.split_off(1))
}

#[test]
fn a_schedule_is_another_interleaving_and_the_same_one_each_time() -> Result<()> {
    let seeded = |seed| {
        arrivals(Settings {
            schedule: seed,
            cores: 4,
            ..small(1 << 20)
        })
    };
    let plain = seeded(None)?;
    assert_eq!(plain, (0..64).collect::<Vec<u32>>(), "with all cores");
    let orders = [seeded(Some(1))?, seeded(Some(2))?, seeded(Some(3))?];
    assert!(orders.iter().any(|order| *order != plain));
    assert_eq!(seeded(Some(1))?, orders[0]);
    for mut order in orders {
        order.sort_unstable();
        assert_eq!(order, plain, "every block comes once");
    }
    Ok(())
}

/// Lanes of the integer instructions of a launch.
struct Integers(u64);

impl Observer for Integers {
    const INSTRUCTIONS: bool = true;

    fn fork(&self) -> Self {
        Integers(0)
    }

    fn merge(&mut self, other: Self) {
        self.0 += other.0;
    }

    fn instruction(&mut self, _at: Site, class: Class, active: u32, _path: u32) {
        if class == Class::Integer {
            self.0 += u64::from(active.count_ones());
        }
    }
}

/// Keeps what the last launch showed.
struct Counting(Arc<Mutex<u64>>);

impl Observation for Counting {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> RunResult {
        let observed: Observed<Integers> = gpu.launch_observed(
            launch.program,
            launch.kernel,
            launch.shape,
            launch.parameters,
            &launch.options,
            Integers(0),
        )?;
        if let Ok(mut seen) = self.0.lock() {
            *seen = observed.observer.0;
        }
        observed.outcome.map(|()| observed.report)
    }
}

type RunResult = std::result::Result<ptx_emulator::Report, LaunchError>;

#[test]
fn an_observation_sees_every_launch_and_changes_none() -> Result<()> {
    let seen = Arc::new(Mutex::new(0));
    let watched = Emulator::observed(small(1 << 20), Box::new(Counting(seen.clone())));
    let device = Device::from_backend(Box::new(watched));
    let module = loaded(&device)?;
    let data = device.upload(&[5_u32; 32])?;
    let parameters: [&[u8]; 2] = [&data.address().to_le_bytes(), &3_u32.to_le_bytes()];
    launch(&module, "add", (1, 32), &parameters)?;
    assert_eq!(data.to_vec()?, [8; 32]);
    let Ok(seen) = seen.lock() else { panic!() };
    // mad, mul, add.s64 and add.u32 in 32 lanes.
    assert_eq!(*seen, 4 * 32);
    let counted = device.take_counts().map(|counts| counts.warp_instructions);
    assert_eq!(counted, Some(11));
    Ok(())
}

#[test]
fn a_choice_of_the_emulator_opens_one() -> Result<()> {
    for schedule in [None, Some(7)] {
        let device = Device::open(DeviceChoice::Emulator { schedule })?;
        assert_eq!(device.properties().kind, "emulator");
    }
    Ok(())
}

/// On the same device and on another.
#[test]
fn a_module_that_is_loaded_again_has_variables_of_its_own() -> Result<()> {
    const COUNTS: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 count;\n\
        .visible .entry next(.param .u64 to) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n\
        ld.param.u64 %rd1, [to];\natom.global.add.u32 %r1, [count], 1;\n\
        st.global.u32 [%rd1], %r1;\nret;\n}\n";
    let (one, other) = (device(), device());
    let mut modules = Vec::new();
    for device in [&one, &one, &other] {
        modules.push(device.load_ptx(COUNTS)?);
        let module = &modules[modules.len() - 1];
        let to = device.upload(&[9_u32])?;
        for count in 0..2 {
            launch(module, "next", (1, 1), &[&to.address().to_le_bytes()])?;
            assert_eq!(to.to_vec()?, [count]);
        }
    }
    Ok(())
}
