//! A request on a device.

use super::batch::ROWS;
use super::integrand::{Integrand, Source};
use super::items::Items;
use super::method::{self, Method};
use super::number::Number;
use super::results::Row;
use super::transform::Transform;
use crate::columns;
use crate::error::Result;
use quadscan_kernels::monte_carlo::integrand::Parameters;

use quadscan::device::{Buffer, Device, Module};
use quadscan::integrate::formula::Limits;
use quadscan::integrate::{
    self, Adaptive, Composite, Cubature, CubedRegion, Estimate, Fourier, Lattice, Outcome, Real,
    Rule, Sobol, TanhSinh, Vegas,
};

/// What no outcome's bytes are.
const NOTHING: u8 = 0xff;

/// What computes items by a method, any number of times.
pub(super) struct Runner<R: Number> {
    device: Device,
    plan: Plan<R>,
    transform: Option<Transform<R>>,
    /// What gives the bound on the rounding that claims have,
    rounding: Option<Box<Self>>,
    /// and the tolerances that claims are for: the absolute one, and the relative one.
    tolerances: Option<(R, R)>,
}

/// The plan of a method.
enum Plan<R: Number> {
    Strips(Composite<R>, Rule, u64),
    Adaptive(Adaptive<R>),
    TanhSinh(TanhSinh<R>),
    Fourier(Fourier),
    Cubature(Box<Cubature>, Limits),
    Samples(Samples),
}

/// An integral over a box by points, of parameters.
type Samples = Box<dyn FnMut(&Parameters) -> quadscan::Result<Estimate> + Send>;

/// A plan of an integrand's kernels, or of its formula.
macro_rules! plan {
    ($plan:ident, $module:ident, $source:ident, $options:expr) => {
        match $source {
            Source::Kernels(of) => $plan::new($module, *of, $options)?,
            Source::Formula(of) | Source::Boxed(of, _) => $plan::of_formula($module, of, $options)?,
        }
    };
}

impl<R: Number> Runner<R> {
    /// With the integrand's kernels of a module.
    pub(super) fn new(module: &Module, of: &Integrand<R>, method: &Method<R>) -> Result<Self> {
        let plan = match (method, &of.source) {
            (Method::Composite { rule, strips }, source) => {
                Plan::Strips(plan!(Composite, module, source, *strips), *rule, *strips)
            }
            (Method::Adaptive(options), source) => {
                Plan::Adaptive(plan!(Adaptive, module, source, options.clone()))
            }
            (Method::TanhSinh(options), source) => {
                Plan::TanhSinh(plan!(TanhSinh, module, source, options.clone()))
            }
            (Method::Fourier(options), Source::Formula(of) | Source::Boxed(of, _)) => {
                Plan::Fourier(Fourier::of_formula(module, of, options.clone())?)
            }
            (Method::Fourier(_), Source::Kernels(_)) => return Err(method::without_formula()),
            (Method::Cubature(options), Source::Boxed(of, limits)) => {
                let plan = Cubature::of_formula(module, of, *options)?;
                Plan::Cubature(Box::new(plan), limits.clone())
            }
            (Method::Vegas(options), Source::Boxed(of, limits)) => {
                let mut plan = Vegas::of_formula(module, of, *options)?;
                let limits = limits.clone();
                Plan::Samples(Box::new(move |of| plan.integrate(&limits, of)))
            }
            (Method::Lattice(options), Source::Boxed(of, limits)) => {
                let mut plan = Lattice::of_formula(module, of, *options)?;
                let limits = limits.clone();
                Plan::Samples(Box::new(move |of| plan.integrate(&limits, of)))
            }
            (Method::Sobol(options), Source::Boxed(of, limits)) => {
                let mut plan = Sobol::of_formula(module, of, *options)?;
                let limits = limits.clone();
                Plan::Samples(Box::new(move |of| plan.integrate(&limits, of)))
            }
            (Method::Cubature(_) | Method::Vegas(_) | Method::Lattice(_) | Method::Sobol(_), _) => {
                return Err(method::without_box());
            }
        };
        let device = module.device().clone();
        let rounding = of.rounding.as_ref();
        let rounding = rounding.map(|bound| Self::new(module, bound, &method.roughly()));
        Ok(Self {
            device,
            plan,
            transform: of.transform.clone(),
            rounding: rounding.transpose()?.map(Box::new),
            tolerances: method.tolerances(),
        })
    }

    /// How many items are computed at a time: who waits is told how far it is. No result depends on
    /// it.
    pub(super) fn most(&self) -> usize {
        match &self.plan {
            Plan::Samples(_) => 1,
            // The emulator.
            Plan::Cubature(..) if !self.device.properties().has_timer => 1,
            Plan::Strips(..) | Plan::Cubature(..) => ROWS,
            _ if self.device.properties().has_timer => columns::ROWS,
            _ => ROWS,
        }
    }

    /// What comes of the items.
    pub(super) fn rows(&mut self, items: &Items<R>) -> Result<Vec<Row<R>>> {
        let mut rows = self.without_rounding(items)?;
        if let (Some(rounding), Some(tolerances)) = (&mut self.rounding, self.tolerances) {
            for (row, bound) in rows.iter_mut().zip(rounding.rows(items)?) {
                row.add_rounding(&bound, tolerances);
            }
        }
        Ok(rows)
    }

    /// The same, with the claims of the rule.
    fn without_rounding(&mut self, items: &Items<R>) -> Result<Vec<Row<R>>> {
        let Some(transform) = self.transform.clone() else {
            return self.planned(items);
        };
        let mut rows = self.planned(&items.transformed(&transform)?)?;
        for (item, row) in rows.iter_mut().enumerate() {
            let limits = (items.from[item], items.to[item]);
            let place = |at| transform.place(at, limits, items.parameters_of(item));
            row.at = row.at.and_then(place);
        }
        Ok(rows)
    }

    /// The regions at the end of the integral of the first item, where there are any.
    pub(super) fn regions(&mut self, items: &Items<R>) -> Result<Vec<CubedRegion>> {
        match &mut self.plan {
            Plan::Cubature(plan, limits) => {
                Ok(plan.integrate_with_regions(limits, &given(items, 0))?.1)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What the plan gives.
    fn planned(&mut self, items: &Items<R>) -> Result<Vec<Row<R>>> {
        let device = &self.device;
        match &mut self.plan {
            Plan::Strips(plan, rule, strips) => strip_by_strip(device, plan, *rule, *strips, items),
            Plan::Adaptive(plan) => batch(device, items, |items, outcomes| {
                plan.integrate(items, outcomes)
            }),
            Plan::TanhSinh(plan) => batch(device, items, |items, outcomes| {
                plan.integrate(items, outcomes)
            }),
            Plan::Fourier(plan) => {
                let rows = batch(device, &items.to_f64(), |items, outcomes| {
                    plan.integrate(items, outcomes)
                });
                Ok(rows?.iter().map(Row::rounded).collect())
            }
            Plan::Cubature(plan, limits) => {
                let parameters: Vec<_> = (0..items.len()).map(|item| given(items, item)).collect();
                let found = plan.integrate_each(limits, &parameters)?;
                Ok(found.iter().map(Row::cubed).collect())
            }
            Plan::Samples(integrate) => {
                let item = |item| Ok(Row::sampled(&integrate(&given(items, item))?));
                (0..items.len()).map(item).collect()
            }
        }
    }
}

/// The parameters of an item over a box.
fn given<R: Number, const AXES: usize>(items: &Items<R>, item: usize) -> [[f64; AXES]; 2] {
    let mut given = [[0.0; AXES]; 2];
    for (to, parameter) in given[0].iter_mut().zip(items.parameters_of(item)) {
        *to = parameter.to_f64();
    }
    given
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
    device: &Device,
    plan: &mut Composite<R>,
    rule: Rule,
    strips: u64,
    items: &Items<R>,
) -> Result<Vec<Row<R>>> {
    let mut values = device.alloc::<R>(items.len())?;
    values.fill_bytes(NOTHING)?;
    let has_limits = |item: usize| {
        ![items.from[item], items.to[item]]
            .map(Real::is_nan)
            .contains(&true)
    };
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
