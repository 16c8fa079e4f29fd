//! How much faster several GPUs are than one: scans, a reduction and selections of one array, integrals
//! and a batch of them, on 1, 2, ... devices; and whether all give the same bits.
//!
//! ```sh
//! cargo run --release -p quadscan --example several_devices --features kernels
//! ```
//!
//! A folder of PTX may be named instead of the feature `kernels` (then `instances`), and behind it the
//! binary logarithm of the number of elements, 7 to 40: 32 on GPUs. Without a GPU two emulated devices have
//! 2^12 elements, and no times.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use quadscan::device::{Artifact, Buffer, Devices, Layout, Module, Partition, ShardedBuffer};
use quadscan::integrate::{
    Adaptive, Composite, Cubature, CubatureOptions, Formula, Items, Options, Outcome, Rule,
    ShardedComposite,
};
use quadscan::scan::{self, Plan, SegmentedPlan, ShardedPlan, ShardedSegmentedPlan, Sum};
use quadscan::select::{self, Compare, Condition};
use quadscan::{Error, reduce};
use quadscan_kernels::integrate::catalogue::Runge;

type Done = Result<(), Box<dyn std::error::Error>>;

/// Of the same work, before times are taken.
const WARM_UP: Duration = Duration::from_millis(60);

/// Every byte of every element.
const BYTE: u8 = 3;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Done {
    let mut arguments = std::env::args().skip(1);
    let artifact = match arguments.next() {
        // SAFETY: whoever names a folder says that its PTX is what its manifest says.
        Some(folder) => unsafe { Artifact::read(folder) }?,
        None => Artifact::embedded()?,
    };
    let (all, usual) = match Devices::all() {
        Ok(devices) => (devices, 32),
        Err(Error::NoDevice { .. }) => (Devices::emulated(2, None)?, 12),
        Err(error) => return Err(error.into()),
    };
    let exponent = arguments.next().map_or(Ok(usual), |text| text.parse())?;
    if !(7..=40).contains(&exponent) {
        let problem = format!("the binary logarithm is {exponent}, allowed are 7 to 40");
        return Err(problem.into());
    }
    let is_timed = all[0].properties().has_timer;
    let work = Work {
        n: 1 << exponent,
        is_timed,
        rounds: if is_timed { 15 } else { 1 },
    };
    for device in all.iter() {
        println!("{}, {:?}", device.properties().name, device.pci_bus_id());
    }
    println!("reach each other: {}", all.reach_each_other()?);
    let modules = all.load(&artifact)?;
    println!(
        "{} elements; ms, the least, the median and the most of {}",
        work.n, work.rounds
    );
    work.alone(&modules[0])?;
    let mut bits = None;
    for count in 1..=all.len() {
        let devices = Devices::new(all[..count].to_vec())?;
        for layout in [Layout::Contiguous, Layout::Dealt] {
            let parts = (&devices, &modules[..count]);
            match layout == Layout::Dealt && !devices.reach_each_other()? {
                true => println!("{count}: dealt arrays need devices that reach each other"),
                false => work.together(parts, layout, &mut bits)?,
            }
        }
        work.segments(&devices, &modules[..count])?;
        work.selection(&devices, &modules[..count])?;
        work.integrals(&devices, &modules[..count])?;
        work.integral(&devices, &modules[..count])?;
        work.cubature(&devices, &modules[..count])?;
    }
    Ok(())
}

/// The sum of numbers that are distributed to devices, and the sums up to each.
fn running_sums(
    devices: &Devices,
    modules: &[Module],
    numbers: &[f32],
    layout: Layout,
) -> quadscan::Result<(f32, Vec<f32>)> {
    let mut plan = ShardedPlan::<Sum<f32>>::new(devices, modules, numbers.len(), layout)?;
    let mut data = devices.upload(plan.partition(), numbers)?;
    let mut total = reduce::ShardedPlan::<Sum<f32>>::of(devices, modules, plan.partition())?;
    let sum = total.reduce(&data)?;
    plan.inclusive_in_place(&mut data)?;
    Ok((sum, data.to_vec()?))
}

/// Integrals from 0 to each limit, of which every device has some, and a plan.
fn from_zero(
    plans: &mut [Adaptive<f64>],
    limits: &ShardedBuffer<f64>,
    outcomes: &mut ShardedBuffer<Outcome<f64>>,
) -> quadscan::Result<()> {
    let shards = limits.shards().iter().zip(outcomes.shards_mut());
    for (plan, (to, outcomes)) in plans.iter_mut().zip(shards) {
        plan.integrate(&Items::between(0.0, 0.0).to_each(to), outcomes)?;
    }
    Ok(())
}

/// An array with [`BYTE`] in every byte.
fn filled(devices: &Devices, partition: &Partition) -> quadscan::Result<ShardedBuffer<u32>> {
    let mut array = devices.alloc(partition)?;
    let mut shards = array.shards_mut().iter_mut();
    shards.try_for_each(|shard| shard.fill_bytes(BYTE))?;
    Ok(array)
}

/// Fills the first half with numbers above 0, and the other with zeros.
fn halves(numbers: &mut Buffer<i32>) -> quadscan::Result<()> {
    let half = numbers.len() / 2;
    numbers.slice_mut(..half)?.fill_bytes(BYTE)?;
    numbers.slice_mut(half..)?.fill_bytes(0)
}

/// FNV-1a, over words: results of different machines are compared by it.
fn hash(words: &[u32]) -> u64 {
    let step = |hash: u64, &word: &u32| (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    words.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

struct Work {
    n: usize,
    is_timed: bool,
    rounds: usize,
}

impl Work {
    /// Prints how long something takes on the devices.
    fn time(&self, what: &str, devices: &Devices, mut work: impl FnMut() -> Done) -> Done {
        // The first one loads code; clocks take some milliseconds to rise.
        let warm_up = Instant::now();
        while {
            work()?;
            devices.synchronize()?;
            self.is_timed && warm_up.elapsed() < WARM_UP
        } {}
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            devices.synchronize()?;
            let start = Instant::now();
            work()?;
            devices.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let [first, .., last] = times[..] else {
            println!("{what}: {:.4}", times[0]);
            return Ok(());
        };
        println!("{what}: {first:.4} {:.4} {last:.4}", times[times.len() / 2]);
        Ok(())
    }

    /// The plans for one device.
    fn alone(&self, module: &Module) -> Done {
        let devices = Devices::new(vec![module.device().clone()])?;
        let mut input = devices[0].alloc::<u32>(self.n)?;
        input.fill_bytes(BYTE)?;
        let mut output = devices[0].alloc::<u32>(self.n)?;
        let mut scan = Plan::<Sum<u32>>::new(module, self.n as u64)?;
        self.time("one device, scan", &devices, || {
            Ok(scan.inclusive(&input, &mut output)?)
        })?;
        let mut total = devices[0].alloc::<u32>(1)?;
        let mut reduce = reduce::Plan::<Sum<u32>>::new(module, self.n)?;
        self.time("one device, reduce", &devices, || {
            Ok(reduce.reduce(&input, &mut total)?)
        })?;
        let options = scan::Options {
            algorithm: Some(scan::Algorithm::LookAhead),
            ..scan::Options::default()
        };
        let mut flags = devices[0].alloc::<u8>(self.n)?;
        flags.fill_bytes(0)?;
        let mut plan = SegmentedPlan::<Sum<u32>>::with(module, self.n as u64, options)?;
        self.time("one device, segments", &devices, || {
            Ok(plan.by_flags(&flags).inclusive(&input, &mut output)?)
        })?;
        drop((input, output));
        let (mut input, mut output) = (devices[0].alloc(self.n)?, devices[0].alloc(self.n)?);
        halves(&mut input)?;
        let mut plan = select::Plan::<Compare<i32>>::new(module, self.n)?;
        let mut count = devices[0].alloc::<u64>(1)?;
        self.time("one device, selection of a half", &devices, || {
            Ok(plan.select(Condition::greater(0), &input, &mut output, &mut count)?)
        })
    }

    /// The sum of all elements.
    fn reduction(
        &self,
        devices: &Devices,
        mut plan: reduce::ShardedPlan<Sum<u32>>,
        input: &ShardedBuffer<u32>,
        name: &str,
    ) -> Done {
        let mut total = 0;
        self.time(name, devices, || {
            total = plan.reduce(input)?;
            Ok(())
        })?;
        let element = u32::from_ne_bytes([BYTE; 4]);
        match total == element.wrapping_mul(self.n as u32) {
            true => Ok(()),
            false => Err(format!("{name}: the reduction gives {total}").into()),
        }
    }

    /// Scans the one segment of all elements, by flags.
    fn segments(&self, devices: &Devices, modules: &[Module]) -> Done {
        let name = format!("{} devices, Contiguous", devices.len());
        let mut plan = ShardedSegmentedPlan::<Sum<u32>>::new(devices, modules, self.n)?;
        let partition = *plan.partition();
        let input = filled(devices, &partition)?;
        let mut output = devices.alloc::<u32>(&partition)?;
        let mut flags = devices.alloc::<u8>(&partition)?;
        let mut shards = flags.shards_mut().iter_mut();
        shards.try_for_each(|flags| flags.fill_bytes(0))?;
        self.time(&format!("{name}, segments"), devices, || {
            Ok(plan.by_flags(&flags).inclusive(&input, &mut output)?)
        })?;
        self.expect_sums(&output, &name)
    }

    /// Selects a half of the elements of every device.
    fn selection(&self, devices: &Devices, modules: &[Module]) -> Done {
        let mut plan = select::ShardedPlan::<Compare<i32>>::new(devices, modules, self.n)?;
        let mut input = devices.alloc(plan.partition())?;
        let mut output = devices.alloc(plan.partition())?;
        input.shards_mut().iter_mut().try_for_each(halves)?;
        let name = format!("{} devices, selection of a half", devices.len());
        self.time(&name, devices, || {
            Ok(plan.select(Condition::greater(0), &input, &mut output)?)
        })?;
        for (shard, count) in input.shards().iter().zip(plan.counts()) {
            let (found, expected) = (count.to_vec()?[0], shard.len() as u64 / 2);
            if found != expected {
                return Err(format!("{name}: {found} of a shard, not {expected}").into());
            }
        }
        Ok(())
    }

    /// One integral by the trapezoid rule.
    fn integral(&self, devices: &Devices, modules: &[Module]) -> Done {
        let strips = if self.is_timed { 1 << 36 } else { 1 << 10 };
        let plans = modules
            .iter()
            .map(|one| Composite::<f64>::of::<Runge>(one, strips));
        let mut plan = ShardedComposite::new(plans.collect::<quadscan::Result<_>>()?)?;
        let name = format!("{} devices, {strips} strips", devices.len());
        let mut value = 0.0;
        self.time(&name, devices, || {
            value = plan.value(Rule::Trapezoid, strips, (-1.0, 2.0), &[])?;
            Ok(())
        })?;
        println!("{name}: {value:?}");
        Ok(())
    }

    /// An integral over a box of eight dimensions (two without a GPU), to 1e-8.
    fn cubature(&self, devices: &Devices, modules: &[Module]) -> Done {
        let dimensions = if self.is_timed { 8 } else { 2 };
        let names = &["x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"][..dimensions];
        let sum: String = names.iter().map(|x| format!("-abs({x} - 0.5)")).collect();
        let formula = Formula::of_variables(&format!("exp(10*({sum}))"), names)?;
        let options = CubatureOptions {
            relative: 1e-8,
            ..CubatureOptions::default()
        };
        let plans = modules
            .iter()
            .map(|one| Cubature::of_formula(one, &formula, options));
        let mut plan = Cubature::together(plans.collect::<quadscan::Result<_>>()?)?;
        let parameters = formula.parameters_by_name(&[])?;
        let name = format!(
            "{} devices, cubature of {} dimensions",
            devices.len(),
            names.len()
        );
        let mut value = None;
        self.time(&name, devices, || {
            value = Some(plan.integrate(&vec![(0.0, 1.0); dimensions], &parameters)?);
            Ok(())
        })?;
        println!("{name}: {value:?}");
        Ok(())
    }

    /// Err unless these are the sums up to each element, where a piece begins and where it ends.
    fn expect_sums(&self, output: &ShardedBuffer<u32>, name: &str) -> Done {
        let element = u32::from_ne_bytes([BYTE; 4]);
        for (number, shard) in output.shards().iter().enumerate() {
            let mut at = 0;
            for piece in output
                .partition()
                .pieces(number)
                .filter(|piece| !piece.is_empty())
            {
                for (place, index) in [(at, piece.start), (at + piece.len() - 1, piece.end - 1)] {
                    let found = shard.slice(place..place + 1)?.to_vec()?[0];
                    let expected = element.wrapping_mul((index + 1) as u32);
                    if found != expected {
                        return Err(format!("{name}: {found} at {index}, not {expected}").into());
                    }
                }
                at += piece.len();
            }
        }
        Ok(())
    }

    /// Scans and reduces on all of the devices, and compares the bits of sums of floats with those
    /// of earlier calls.
    fn together(
        &self,
        (devices, modules): (&Devices, &[Module]),
        layout: Layout,
        bits: &mut Option<Vec<u32>>,
    ) -> Done {
        let name = format!("{} devices, {layout:?}", devices.len());
        let mut plan = ShardedPlan::<Sum<u32>>::new(devices, modules, self.n, layout)?;
        let input = filled(devices, plan.partition())?;
        let mut output = devices.alloc::<u32>(plan.partition())?;
        self.time(&format!("{name}, scan"), devices, || {
            Ok(plan.inclusive(&input, &mut output)?)
        })?;
        self.expect_sums(&output, &name)?;
        drop(output);
        let sum = reduce::ShardedPlan::<Sum<u32>>::of(devices, modules, plan.partition())?;
        self.reduction(
            devices,
            sum,
            &input,
            &format!("{name}, reduce where it is scanned"),
        )?;
        drop(input);
        let sum = reduce::ShardedPlan::<Sum<u32>>::new(devices, modules, self.n, layout)?;
        let input = filled(devices, sum.partition())?;
        self.reduction(devices, sum, &input, &format!("{name}, reduce"))?;
        drop(input);
        let n = self.n.min(1 << 24) - 77;
        let elements: Vec<f32> = (0..n as u32)
            .map(|i| f32::from_bits(0x3f00_0000 | (i * 5)))
            .collect();
        let (sum, sums) = running_sums(devices, modules, &elements, layout)?;
        let mut found: Vec<u32> = sums.iter().map(|x| x.to_bits()).collect();
        found.push(sum.to_bits());
        let is_same = *bits.get_or_insert_with(|| found.clone()) == found;
        println!(
            "{name}, the same bits of f32: {is_same}, with the hash {:016x}",
            hash(&found)
        );
        match is_same {
            true => Ok(()),
            false => Err("other bits".into()),
        }
    }

    /// Integrates a batch: each device has neighbouring items.
    fn integrals(&self, devices: &Devices, modules: &[Module]) -> Done {
        // So many that GPUs have some milliseconds of work.
        let n = self.n.min(if self.is_timed { 1 << 23 } else { 1 << 6 });
        let partition = Partition::new(n, 1, devices.len(), Layout::Contiguous)?;
        let limits: Vec<f64> = (0..n).map(|i| (i % 1000) as f64 * 0.01).collect();
        let limits = devices.upload(&partition, &limits)?;
        let mut outcomes = devices.alloc::<Outcome<f64>>(&partition)?;
        let plans = modules
            .iter()
            .map(|one| Adaptive::<f64>::of::<Runge>(one, Options::default()));
        let mut plans = plans.collect::<quadscan::Result<Vec<_>>>()?;
        let name = format!("{} devices, {n} integrals", devices.len());
        self.time(&name, devices, || {
            Ok(from_zero(&mut plans, &limits, &mut outcomes)?)
        })
    }
}
