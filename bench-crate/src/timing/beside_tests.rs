//! Two streams of a fake device with a clock: kernels that run at once, and kernels of
//! which one waits for the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::*;
use quadscan::Error;
use quadscan::device::{
    Backend, DeviceProperties, EventHandle, FunctionAttributes, FunctionHandle, Image,
    LaunchConfig, LaunchShape, MemoryInfo, ModuleHandle,
};

#[test]
fn launches_count_between_the_marks_that_lie_within_the_other_kernels_time() {
    let marks = [0.0, 1.0, 2.0, 3.0, 4.0];
    let launch = 1.0 / f64::from(SLICE);
    let seen = |overlap| {
        Some(Within {
            ms: launch,
            overlap,
        })
    };
    assert_eq!(within(&marks, 0.5, 3.5), seen(2.0 / 3.0));
    assert_eq!(within(&marks, 0.0, 4.0), seen(1.0));
    assert_eq!(within(&marks, 1.2, 1.8), None, "no slice is whole");
    assert_eq!(within(&marks, 5.0, 9.0), None, "all was over before");
    assert_eq!(within(&marks, -3.0, -1.0), None, "nothing had begun");
}

/// ms a launch: the short kernel alone and beside the long one, and the long one.
const SHORT: f64 = 0.01;
const SHORT_BESIDE: f64 = 0.0125;
const LONG: f64 = 3.0;

#[derive(Default)]
struct Clock {
    /// When the work of each stream is done.
    streams: [f64; 2],
    /// When the long kernel runs.
    long: (f64, f64),
    events: HashMap<u64, f64>,
}

/// A stream of the fake; the second one is the long kernel's.
struct Fake {
    stream: usize,
    /// Whether the short kernel waits until the long one is done.
    waits: bool,
    clock: Arc<Mutex<Clock>>,
    properties: DeviceProperties,
}

impl Fake {
    fn with<T>(&self, change: impl FnOnce(&mut Clock) -> T) -> T {
        change(&mut self.clock.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend for Fake {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }
    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo { free: 0, total: 0 })
    }
    fn alloc(&self, _: usize) -> Result<u64> {
        panic!("no memory")
    }
    unsafe fn free(&self, _: u64) -> Result<()> {
        Ok(())
    }
    unsafe fn write(&self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }
    unsafe fn read(&self, _: u64, _: &mut [u8]) -> Result<()> {
        Ok(())
    }
    unsafe fn fill(&self, _: u64, _: u8, _: usize) -> Result<()> {
        Ok(())
    }
    unsafe fn copy(&self, _: u64, _: u64, _: usize) -> Result<()> {
        Ok(())
    }
    fn load(&self, _: Image<'_>) -> Result<ModuleHandle> {
        Ok(ModuleHandle(0))
    }
    unsafe fn unload(&self, _: ModuleHandle) -> Result<()> {
        Ok(())
    }
    fn function(&self, _: ModuleHandle, _: &str) -> Result<FunctionHandle> {
        Ok(FunctionHandle(0))
    }
    fn attributes(&self, _: FunctionHandle) -> Result<FunctionAttributes> {
        panic!("nothing asks")
    }
    fn allow_dynamic_shared(&self, _: FunctionHandle, _: u32) -> Result<()> {
        Ok(())
    }
    /// The stream says which kernel it is.
    fn resident_blocks(&self, _: FunctionHandle, _: u32, _: u32) -> Result<u32> {
        Ok(1)
    }

    unsafe fn launch(&self, _: FunctionHandle, _: &LaunchConfig, _: &[&[u8]]) -> Result<()> {
        let (stream, waits) = (self.stream, self.waits);
        self.with(|clock| {
            let begin = clock.streams[stream];
            if stream == 1 {
                clock.long = (begin, begin + LONG);
                clock.streams[1] += LONG;
                return;
            }
            let is_beside = (clock.long.0..clock.long.1).contains(&begin);
            clock.streams[0] = match (is_beside, waits) {
                (true, true) => clock.long.1 + SHORT,
                (true, false) => begin + SHORT_BESIDE,
                (false, _) => begin + SHORT,
            };
        });
        Ok(())
    }
    /// Both streams are done then.
    fn synchronize(&self) -> Result<()> {
        self.with(|clock| clock.streams = [clock.streams[0].max(clock.streams[1]); 2]);
        Ok(())
    }
    fn create_event(&self) -> Result<EventHandle> {
        let handle = self.with(|clock| {
            let handle = clock.events.len() as u64;
            clock.events.insert(handle, f64::NAN);
            handle
        });
        Ok(EventHandle(handle))
    }
    unsafe fn destroy_event(&self, _: EventHandle) -> Result<()> {
        Ok(())
    }
    fn record_event(&self, event: EventHandle) -> Result<()> {
        let stream = self.stream;
        self.with(|clock| clock.events.insert(event.0, clock.streams[stream]));
        Ok(())
    }
    fn synchronize_event(&self, _: EventHandle) -> Result<()> {
        Ok(())
    }
    fn elapsed_ms(&self, start: EventHandle, end: EventHandle) -> Result<f64> {
        Ok(self.with(|clock| clock.events[&end.0] - clock.events[&start.0]))
    }
    fn another_stream(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Fake {
            stream: 1,
            waits: self.waits,
            clock: self.clock.clone(),
            properties: self.properties.clone(),
        }))
    }
}

fn device(waits: bool) -> Device {
    Device::from_backend(Box::new(Fake {
        stream: 0,
        waits,
        clock: Arc::default(),
        properties: crate::worker::cpu::properties(),
    }))
}

fn launch(device: &Device) -> Result<()> {
    // SAFETY: the fake's kernels are times alone.
    unsafe {
        device
            .backend()
            .launch(FunctionHandle(0), &LaunchShape::new(1, 1).into(), &[])
    }
}

fn measured(waits: bool) -> Beside {
    let short = device(waits);
    let Ok(long) = short.another_stream() else {
        panic!("one stream")
    };
    let beside = kernels(
        &Rule::new(Some(4)),
        Party {
            device: &short,
            launch: &mut || launch(&short),
        },
        Party {
            device: &long,
            launch: &mut || launch(&long),
        },
    );
    match beside {
        Ok(beside) => beside,
        Err(e) => panic!("{e}"),
    }
}

fn near(timing: &Option<Timing>, ms: f64) -> bool {
    timing
        .as_ref()
        .is_some_and(|timing| (timing.median_ms - ms).abs() < 1e-9)
}

#[test]
fn kernels_that_run_at_once_are_timed_alone_and_beside_each_other() {
    let beside = measured(false);
    assert!(near(&beside.kernel, SHORT), "{beside:?}");
    assert!(near(&beside.kernel_beside, SHORT_BESIDE), "{beside:?}");
    assert!(near(&beside.companion, LONG), "{beside:?}");
    assert!(near(&beside.companion_beside, LONG), "{beside:?}");
    assert!((0.9..=1.0).contains(&beside.overlap), "{beside:?}");
    let samples = beside.kernel_beside.map(|timing| timing.samples_ms.len());
    assert_eq!(samples, Some(4));
}

#[test]
fn a_kernel_that_waits_for_the_other_has_no_time_beside_it() {
    let beside = measured(true);
    assert!(near(&beside.kernel, SHORT), "{beside:?}");
    assert!(near(&beside.companion, LONG), "{beside:?}");
    assert_eq!(
        (&beside.kernel_beside, &beside.companion_beside),
        (&None, &None)
    );
    assert_eq!(beside.overlap, 0.0);
}

#[test]
fn marks_of_devices_that_were_opened_apart_are_not_compared() {
    let (one, other) = (device(false), device(false));
    let result = kernels(
        &Rule::new(Some(1)),
        Party {
            device: &one,
            launch: &mut || launch(&one),
        },
        Party {
            device: &other,
            launch: &mut || launch(&other),
        },
    );
    assert!(matches!(result, Err(Error::ForeignEvent)), "{result:?}");
}
