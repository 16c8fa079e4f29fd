use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::select::{AnyBit, Compare, Condition, Plan, Predicate, SelectKernels};
use std::time::Instant;

fn mixed(i: usize) -> u32 {
    let mut x = (i as u32).wrapping_mul(0x9e37_79b9);
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

fn times<P: SelectKernels>(module: &Module, name: &str, parameter: P::Parameter, of: impl Fn(u32) -> P::Item, most: u32)
where P::Item: PartialEq {
    if let Err(e) = inner::<P>(module, name, parameter, of, most) { println!("{name}: {e}"); }
}
fn inner<P: SelectKernels>(module: &Module, name: &str, parameter: P::Parameter, of: impl Fn(u32) -> P::Item, most: u32) -> quadscan::Result<()>
where P::Item: PartialEq {
    let device = module.device();
    let all = 1usize << most;
    let pattern: Vec<P::Item> = (0..all.min(1 << 22)).map(|i| of(mixed(i))).collect();
    let mut input = device.alloc::<P::Item>(all)?;
    let mut at = 0;
    while at < all {
        let n = pattern.len().min(all - at);
        input.slice_mut(at..at + n)?.copy_from(&pattern[..n])?;
        at += n;
    }
    let flags: Vec<u8> = (0..all.min(1 << 22)).map(|i| (mixed(i) >> 31) as u8).collect();
    let mut marks = device.alloc::<u8>(all)?;
    let mut at = 0;
    while at < all {
        let n = flags.len().min(all - at);
        marks.slice_mut(at..at + n)?.copy_from(&flags[..n])?;
        at += n;
    }
    let mut output = device.alloc::<P::Item>(all)?;
    let mut count = device.alloc::<u64>(1)?;
    let mut plan = Plan::<P>::new(module, all)?;
    let sizes: Vec<u32> = (10..=most).collect();
    for way in ["if", "flags", "unique", "partition"] {
        let mut line = format!("{name} {way}:");
        for &power in &sizes {
            let n = 1usize << power;
            let calls = if power < 20 { 50 } else if power < 25 { 20 } else { 5 };
            // Rotates through the memory, so that the cache does not have the elements.
            let places = (all / n).min(calls);
            let graph = device.capture(|| {
                for call in 0..calls {
                    let begin = call % places * n;
                    let input = input.slice(begin..begin + n)?;
                    let out = output.slice_mut(begin..begin + n)?;
                    match way {
                        "if" => plan.select(parameter, input, out, &mut count)?,
                        "flags" => plan.by_flags(marks.slice(begin..begin + n)?, input, out, &mut count)?,
                        "unique" => plan.unique(input, out, &mut count)?,
                        _ => plan.partition(parameter, input, out, &mut count)?,
                    }
                }
                Ok(())
            })?;
            graph.launch()?;
            device.synchronize()?;
            let mut best = f64::MAX;
            for _ in 0..15 {
                let start = Instant::now();
                graph.launch()?;
                graph.launch()?;
                device.synchronize()?;
                best = best.min(start.elapsed().as_secs_f64() * 1e6 / (2 * calls) as f64);
            }
            line += &format!(" 2^{power} {best:.2}");
            // The last call's result.
            if n <= 1 << 24 {
                let begin = (calls - 1) % places * n;
                let is = |i: usize| match way {
                    "flags" => flags[i % flags.len()] != 0,
                    "unique" => i % n == 0 || !P::repeats(pattern[i % pattern.len()], pattern[(i - 1) % pattern.len()], P::of_runs()),
                    _ => P::selects(pattern[i % pattern.len()], parameter),
                };
                let expected: Vec<P::Item> = (begin..begin + n).filter(|&i| is(i)).map(|i| pattern[i % pattern.len()]).collect();
                let found = count.to_vec()?[0] as usize;
                let got = output.slice(begin..begin + n)?.to_vec()?;
                if found != expected.len() || got[..found] != expected[..] {
                    line += " WRONG";
                }
            }
        }
        println!("{line}");
    }
    Ok(())
}

fn main() -> quadscan::Result<()> {
    let device = Device::open(DeviceChoice::Cuda(None))?;
    let folder = std::env::var("QUADSCAN_ARTIFACT").expect("a folder");
    let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    for entry in std::env::args().skip(1) {
        for (threads, shared) in [(256, 8208), (320, 227_000)] {
            println!("{entry} {threads} {shared}: {:?}", module.resident_blocks(&entry, threads, shared));
        }
    }
    times::<Compare<i32>>(&module, "i32", Condition::greater(0), |x| x as i32, 28);
    times::<Compare<u8>>(&module, "u8", Condition::greater(127), |x| x as u8, 28);
    times::<Compare<f64>>(&module, "f64", Condition::greater(0.0), |x| f64::from(x as i32), 27);
    times::<Compare<i16>>(&module, "i16", Condition::greater(0), |x| x as i16, 28);
    times::<AnyBit<[u32; 4]>>(&module, "16 bytes", (), |x| [x & 1, 0, 0, 0], 26);
    Ok(())
}
