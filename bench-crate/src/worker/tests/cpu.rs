//! A device that is a CPU, for the tests of what measures: it has the kernels' entries
//! by their names, written down once more from the page's loop.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::oracle::block_scan::{self as scan_oracle, Placing, StepActivity};
use quadscan::device::{
    Backend, DeviceProperties, EventHandle, FunctionAttributes, FunctionHandle, Image,
    LaunchConfig, MemoryInfo, ModuleHandle,
};
use quadscan::{Error, Result};

/// What the fake device does wrong.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Defect {
    None,
    /// The last bit of a partial sum, or an element of a scan.
    WrongBit,
    /// The context is lost at the first launch.
    Fault,
    /// It does not tell its cache and its clocks.
    Silent,
    /// The last bit of a partial sum of the peer's published form.
    WrongPeer,
    /// The same of the peer's form with our algorithm.
    WrongDyadicPeer,
}

#[derive(Default)]
struct State {
    memory: HashMap<u64, Vec<u8>>,
    entries: Vec<String>,
    /// The strips that the peer was compiled for: its cubin is their number.
    peer_strips: u32,
}

pub(super) struct Cpu {
    properties: DeviceProperties,
    defect: Defect,
    state: Mutex<State>,
}

pub(crate) fn properties() -> DeviceProperties {
    DeviceProperties {
        name: "CPU".into(),
        kind: "cuda",
        ordinal: 0,
        compute_capability: (9, 0),
        driver_version: Some((13, 0)),
        driver: None,
        sm_count: 1,
        warp_size: 32,
        max_threads_per_block: 1024,
        max_block: [1024, 1024, 64],
        max_grid: [i32::MAX as u32, 65535, 65535],
        max_threads_per_sm: 2048,
        max_blocks_per_sm: 32,
        registers_per_sm: 65536,
        max_shared_per_block: 49152,
        max_shared_per_block_optin: 232_448,
        shared_per_sm: 233_472,
        l2_cache: Some(1 << 20),
        total_memory: 1 << 30,
        clock_khz: None,
        memory_clock_khz: None,
        memory_bus_bits: None,
        has_kernel_time_limit: false,
        has_cooperative_launch: false,
        has_programmatic_launch: false,
        has_timer: true,
    }
}

fn number<const N: usize>(bytes: &[u8]) -> [u8; N] {
    match bytes.try_into() {
        Ok(bytes) => bytes,
        Err(_) => panic!("a parameter has {} bytes, not {N}", bytes.len()),
    }
}

fn u64_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(number(bytes))
}

fn u32_of(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(number(bytes))
}

fn f64_of(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(number(bytes))
}

/// The page's loop of one thread.
fn partial(first: u32, count: u32, strips: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..count {
        let x = f64::from(first + k) / strips;
        sum += (1.0 - x * x).sqrt() / strips;
    }
    sum
}

fn store_partials(memory: &mut [u8], threads: u32, count: u32, strips: f64, wrong: bool) {
    for thread in 0..threads {
        let mut sum = partial(thread * count, count, strips);
        if wrong && thread == 3 {
            sum = f64::from_bits(sum.to_bits() ^ 1);
        }
        let place = 8 * thread as usize;
        memory[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
}

impl Cpu {
    pub(super) fn new(defect: Defect) -> Self {
        let mut properties = properties();
        if defect == Defect::Silent {
            properties.l2_cache = None;
        }
        Cpu {
            properties,
            defect,
            state: Mutex::new(State::default()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trapezoid(&self, state: &mut State, threads: u32, parameters: &[&[u8]], dyadic: bool) {
        let (address, count) = (u64_of(parameters[0]), u32_of(parameters[1]));
        let given = f64_of(parameters[2]);
        let strips = if dyadic { 1.0 / given } else { given };
        let Some(memory) = state.memory.get_mut(&address) else {
            panic!("no such buffer")
        };
        let wrong = self.defect == Defect::WrongBit;
        store_partials(memory, threads, count, strips, wrong);
    }

    /// Either form of the peer: its one parameter is the address.
    fn peer(&self, state: &mut State, threads: u32, parameters: &[&[u8]], defect: Defect) {
        let strips = state.peer_strips;
        assert_eq!(parameters.len(), 1);
        let Some(memory) = state.memory.get_mut(&u64_of(parameters[0])) else {
            panic!("no such buffer")
        };
        let wrong = self.defect == defect;
        store_partials(memory, threads, strips / threads, f64::from(strips), wrong);
    }

    /// The naive scans: input, its length, output; counted then threads, warps and
    /// adds, and in a batch the elements of a block.
    fn hillis_steele(&self, state: &mut State, parameters: &[&[u8]], batch: bool) {
        let n = u64_of(parameters[1]) as usize;
        let words = |bytes: &[u8]| bytes.chunks(4).map(u32_of).collect::<Vec<u32>>();
        let input = words(&state.memory[&u64_of(parameters[0])][..4 * n]);
        let elements = if batch {
            u32_of(parameters[3]) as usize
        } else {
            n
        };
        let (mut output, mut steps) = (Vec::new(), Vec::new());
        for scan in input.chunks(elements) {
            let (scanned, work) = scan_oracle::hillis_steele(scan, Placing::Packed);
            output.extend(scanned);
            steps = work;
        }
        if self.defect == Defect::WrongBit {
            output[3] ^= 1;
        }
        let counts = |count: fn(&StepActivity) -> u32| steps.iter().map(count).collect();
        let results = [
            output,
            counts(|step| step.active_threads),
            counts(|step| step.active_warps),
            counts(|step| step.adds),
        ];
        let written = if parameters.len() == 6 { 4 } else { 1 };
        for (parameter, values) in parameters[2..].iter().zip(results).take(written) {
            let bytes = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            state.memory.insert(u64_of(parameter), bytes);
        }
    }
}

impl Backend for Cpu {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo {
            free: 1 << 30,
            total: 1 << 30,
        })
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        let mut state = self.state();
        let address = 256 * (state.memory.len() as u64 + 1);
        state.memory.insert(address, vec![0xCD; bytes]);
        Ok(address)
    }

    unsafe fn free(&self, _address: u64) -> Result<()> {
        Ok(())
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        let mut state = self.state();
        let Some(memory) = state.memory.get_mut(&address) else {
            panic!("no such buffer")
        };
        memory[..source.len()].copy_from_slice(source);
        Ok(())
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        target.copy_from_slice(&self.state().memory[&address][..target.len()]);
        Ok(())
    }

    unsafe fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<()> {
        self.state().memory.insert(address, vec![value; bytes]);
        Ok(())
    }

    unsafe fn copy(&self, _source: u64, _target: u64, _bytes: usize) -> Result<()> {
        panic!("nothing copies within the device")
    }

    fn load(&self, image: Image<'_>) -> Result<ModuleHandle> {
        if let Image::Cubin(bytes) = image {
            let text = String::from_utf8_lossy(bytes);
            self.state().peer_strips = text.parse().unwrap_or_default();
        }
        Ok(ModuleHandle(1))
    }

    unsafe fn unload(&self, _module: ModuleHandle) -> Result<()> {
        Ok(())
    }

    fn function(&self, _module: ModuleHandle, entry: &str) -> Result<FunctionHandle> {
        let mut state = self.state();
        state.entries.push(entry.to_owned());
        Ok(FunctionHandle(state.entries.len() as u64 - 1))
    }

    fn attributes(&self, _function: FunctionHandle) -> Result<FunctionAttributes> {
        Ok(FunctionAttributes {
            max_threads_per_block: 1024,
            registers: Some(32),
            local_bytes: 0,
            static_shared_bytes: 0,
            constant_bytes: 0,
            ptx_version: None,
            binary_version: None,
        })
    }

    fn allow_dynamic_shared(&self, _function: FunctionHandle, _bytes: u32) -> Result<()> {
        Ok(())
    }

    /// Threads are done one after the other.
    fn resident_blocks(&self, _: FunctionHandle, _: u32, _: u32) -> Result<u32> {
        Ok(1)
    }

    unsafe fn launch(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Result<()> {
        let shape = config.shape();
        let mut state = self.state();
        let entry = state.entries[function.0 as usize].clone();
        let threads = shape.threads() as u32;
        match (self.defect, entry.as_str()) {
            (Defect::Fault, _) => {
                return Err(Error::Driver {
                    call: "cuLaunchKernel",
                    code: 700,
                    name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(),
                    text: "illegal address".into(),
                });
            }
            (_, "trapezoid_f64") => self.trapezoid(&mut state, threads, parameters, false),
            (_, "quarter_circle_f64") => {
                self.peer(&mut state, threads, parameters, Defect::WrongPeer);
            }
            (_, "quarter_circle_f64_dyadic") => {
                self.peer(&mut state, threads, parameters, Defect::WrongDyadicPeer);
            }
            (_, "trapezoid_f64_dyadic") => self.trapezoid(&mut state, threads, parameters, true),
            // The contiguous mapping: the others' three numbers are left alone.
            (_, "mapped_registers") => {
                let of_trapezoid = [parameters[0], parameters[1], parameters[5]];
                self.trapezoid(&mut state, threads, &of_trapezoid, true);
            }
            (_, "hillis_steele_inclusive_u32" | "hillis_steele_inclusive_u32_counted") => {
                self.hillis_steele(&mut state, parameters, false);
            }
            (_, "hillis_steele_batch_inclusive_u32") => {
                self.hillis_steele(&mut state, parameters, true);
            }
            // The chain is a kernel that leaves its steps out.
            (_, "limit_empty" | "limit_fma_latency_f64") => {}
            (_, other) => panic!("{other} was not expected"),
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn create_event(&self) -> Result<EventHandle> {
        Ok(EventHandle(0))
    }

    unsafe fn destroy_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn record_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn synchronize_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn elapsed_ms(&self, _start: EventHandle, _end: EventHandle) -> Result<f64> {
        Ok(4.0)
    }

    fn another_stream(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Cpu::new(self.defect)))
    }
}
