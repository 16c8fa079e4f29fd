//! A request on a device.

use super::items::Items;
use super::method::Method;
use super::number::{Number, is_nan};
use super::results::Row;
use crate::error::Result;
use quadscan::device::{Buffer, Device, DeviceChoice, Module};
use quadscan::integrate::{self, Adaptive, Composite, Kernels, Outcome, Rule, TanhSinh};

/// What no outcome's bytes are.
const NOTHING: u8 = 0xff;

/// The device that was asked for, and a sentence that names it.
pub(super) fn open(choice: DeviceChoice) -> Result<(Device, String)> {
    let (device, no_gpu) = match choice {
        DeviceChoice::Auto => Device::open_best()?,
        named => match Device::open(named) {
            Err(quadscan::Error::NoDevice { reason }) => {
                let instead = "--device auto uses the emulator instead";
                let problem = format!("{named} is not available: {reason}; {instead}");
                return Err(super::refused("--device", problem));
            }
            other => (other?, None),
        },
    };
    let name = &device.properties().name;
    let notice = match no_gpu {
        None => format!("device: {name}"),
        Some(reason) => format!("device: {name}, since there is no GPU ({reason})"),
    };
    Ok((device, notice))
}

/// What comes of the items.
pub(super) fn rows<R: Number>(
    module: &Module,
    of: &Kernels<R>,
    method: &Method<R>,
    items: &Items<R>,
) -> Result<Vec<Row<R>>> {
    let device = module.device();
    match method {
        Method::Composite { rule, strips } => strip_by_strip(module, of, *rule, *strips, items),
        Method::Adaptive(options) => {
            let mut plan = Adaptive::new(module, *of, options.clone())?;
            batch(device, items, |items, outcomes| {
                plan.integrate(items, outcomes)
            })
        }
        Method::TanhSinh(options) => {
            let mut plan = TanhSinh::new(module, *of, options.clone())?;
            batch(device, items, |items, outcomes| {
                plan.integrate(items, outcomes)
            })
        }
    }
}

/// All items in one launch.
fn batch<R: Number>(
    device: &Device,
    items: &Items<R>,
    launch: impl FnOnce(&integrate::Items<'_, R>, &mut Buffer<Outcome<R>>) -> quadscan::Result<()>,
) -> Result<Vec<Row<R>>> {
    let (from, to) = (device.upload(&items.from)?, device.upload(&items.to)?);
    let parameters = device.upload(&items.parameters)?;
    let mut outcomes = device.alloc::<Outcome<R>>(items.len())?;
    outcomes.fill_bytes(NOTHING)?;
    let mut request = integrate::Items::between(R::ZERO, R::ZERO)
        .from_each(&from)
        .to_each(&to);
    if !items.parameters.is_empty() {
        request = request.with_each(&parameters);
    }
    launch(&request, &mut outcomes)?;
    Ok(outcomes.to_vec()?.iter().map(Row::of).collect())
}

/// One item after the other.
fn strip_by_strip<R: Number>(
    module: &Module,
    of: &Kernels<R>,
    rule: Rule,
    strips: u64,
    items: &Items<R>,
) -> Result<Vec<Row<R>>> {
    let mut plan = Composite::new(module, *of, strips)?;
    let mut values = module.device().alloc::<R>(items.len())?;
    values.fill_bytes(NOTHING)?;
    let has_limits = |item: usize| !is_nan(items.from[item]) && !is_nan(items.to[item]);
    for item in (0..items.len()).filter(|&item| has_limits(item)) {
        let limits = (items.from[item], items.to[item]);
        let (parameters, value) = (items.parameters_of(item), values.slice_mut(item..=item)?);
        plan.integrate(rule, strips, limits, parameters, value)?;
    }
    let values = values.to_vec()?;
    let row = |(item, &value): (usize, &R)| {
        if !has_limits(item) {
            return Row::without_limits();
        }
        let is_empty = items.from[item] == items.to[item];
        let evaluations = Method::<R>::evaluations(rule, strips);
        Row::computed(value, if is_empty { 0 } else { evaluations })
    };
    Ok(values.iter().enumerate().map(row).collect())
}
