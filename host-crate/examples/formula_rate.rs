//! Whether a formula is as fast as the same function in Rust, and how long its first result takes.
//!
//! ```sh
//! cargo run --release -p quadscan --example formula_rate --features integrate
//! ```
//!
//! A folder of PTX may be named instead of the feature `integrate` (then `instances`). On a GPU,
//! 2^28 strips and 2^20 items, or what is named after the folder; each time is the least of nine,
//! the two in turns. The emulator has no times: it compares bits, of 2^12 strips and 64 items.

use std::process::ExitCode;
use std::time::Instant;

use quadscan::device::{Artifact, Device, DeviceChoice, Event, Module};
use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    Adaptive, Composite, Formula, IntegrandKernels, Items, Options, Outcome, Real, Rule, TanhSinh,
    TanhSinhOptions,
};
use quadscan_kernels::integrate::catalogue::{
    Gaussian, GenzCornerPeak, GenzOscillatory, QuarterCircle, Runge,
};

/// Times of each, of which the least counts.
const ROUNDS: usize = 9;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Whether all bits are the same.
fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let artifact = match arguments.next() {
        // SAFETY: whoever names a folder says that its PTX is what its manifest says.
        Some(folder) => unsafe { Artifact::read(folder) }?,
        None => Artifact::embedded()?,
    };
    let device = Device::open(DeviceChoice::Auto)?;
    let module = device.load(&artifact)?;
    let is_timed = device.properties().has_timer;
    let (strips, items) = if is_timed { (28, 20) } else { (12, 6) };
    let mut exponent = |usual: u32| arguments.next().map_or(Ok(usual), |text| text.parse());
    let mut rates = Rates {
        strips: 1 << exponent(strips)?,
        items: 1 << exponent(items)?,
        module,
        is_same: true,
    };
    println!("first results, in ms: of the text, of the text again, of the plan again");
    rates.first::<f64>("exp(-0.5*x*x)")?;
    rates.first::<f64>("cos(3*x)*exp(-x) + root(fma(x, -x, 1))")?;
    rates.first::<f32>("exp(-0.5*x*x)")?;

    let rules = [Rule::Trapezoid, Rule::Midpoint, Rule::GaussLegendre(5)];
    println!(
        "{} strips: Rust, formula, in ms; Rust's time / the formula's",
        rates.strips
    );
    for rule in rules {
        let circle = "root(fma(x, -x, 1))";
        rates.strips::<f64, QuarterCircle>(circle, rule, &[])?;
        rates.strips::<f32, QuarterCircle>(circle, rule, &[])?;
    }
    let (normal, runge) = ("exp(-0.5*x*x)", "reciprocal(fma(x, x, 1))");
    let (corner, wave) = ("reciprocal(fma(a, x, 1)^2)", "cos(fma(a, x, tau*u))");
    rates.strips::<f64, Runge>(runge, Rule::Midpoint, &[])?;
    rates.strips::<f64, Gaussian>(normal, Rule::Midpoint, &[])?;
    rates.strips::<f32, Gaussian>(normal, Rule::Midpoint, &[])?;
    rates.strips::<f64, GenzOscillatory>(wave, Rule::Midpoint, &[2.0, 0.5])?;

    println!(
        "{} items: Rust, formula, in ms; Rust's time / the formula's",
        rates.items
    );
    rates.items::<f64, GenzCornerPeak>(corner, &[1.5])?;
    rates.items::<f32, GenzCornerPeak>(corner, &[1.5])?;
    rates.items::<f64, GenzOscillatory>(wave, &[2.0, 0.5])?;
    rates.items::<f32, GenzOscillatory>(wave, &[2.0, 0.5])?;
    Ok(rates.is_same)
}

struct Rates {
    module: Module,
    strips: u64,
    items: usize,
    /// Whether all bits were the same so far.
    is_same: bool,
}

impl Rates {
    /// How long results take of a text from 0 to 1, by each rule.
    fn first<R: Number>(&self, text: &str) -> quadscan::Result<()> {
        let (module, strips) = (&self.module, self.strips.min(1 << 16));
        let items = Items::between(R::ZERO, R::from_f64(1.0));
        let limits = (R::ZERO, R::from_f64(1.0));
        delays::<R, _>(text, "midpoint", |formula| {
            let mut plan = Composite::<R>::of_formula(module, formula, strips)?;
            Ok(move || plan.value(Rule::Midpoint, strips, limits, &[]).map(drop))
        })?;
        delays::<R, _>(text, "g10k21", |formula| {
            let mut plan = Adaptive::<R>::of_formula(module, formula, Options::default())?;
            let items = &items;
            Ok(move || plan.outcomes(items).map(drop))
        })?;
        delays::<R, _>(text, "tanh-sinh", |formula| {
            let options = TanhSinhOptions::default();
            let mut plan = TanhSinh::<R>::of_formula(module, formula, options)?;
            let items = &items;
            Ok(move || plan.outcomes(items).map(drop))
        })
    }

    /// The rates by a rule of equal strips, from 0 to 1.
    fn strips<R: Number, I: IntegrandKernels<R>>(
        &mut self,
        text: &str,
        rule: Rule,
        parameters: &[f64],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let strips = self.strips;
        let formula = Formula::with_parameters(text, I::KERNELS.parameters)?;
        let mut ours = Composite::<R>::of::<I>(&self.module, strips)?;
        let mut its = Composite::<R>::of_formula(&self.module, &formula, strips)?;
        let parameters: Vec<R> = parameters.iter().map(|&each| R::from_f64(each)).collect();
        let limits = (R::ZERO, R::from_f64(1.0));
        let device = self.module.device().clone();
        let (mut first, mut second) = (device.alloc::<R>(1)?, device.alloc::<R>(1)?);
        let times = times(
            &device,
            10,
            &mut [
                &mut || ours.integrate(rule, strips, limits, &parameters, &mut first),
                &mut || its.integrate(rule, strips, limits, &parameters, &mut second),
            ],
        )?;
        let bits = |of: &R| of.to_f64().to_bits();
        let is_same = first
            .to_vec()?
            .iter()
            .map(bits)
            .eq(second.to_vec()?.iter().map(bits));
        self.row::<R>(text, &format!("{rule:?}"), times, is_same);
        Ok(())
    }

    /// The rates of batches by the adaptive and the tanh-sinh rules, from 0 to 1 and more.
    fn items<R: Number, I: IntegrandKernels<R>>(
        &mut self,
        text: &str,
        parameters: &[f64],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let n = self.items;
        let formula = Formula::with_parameters(text, I::KERNELS.parameters)?;
        let device = self.module.device().clone();
        let more = |k: usize| 1.0 + k as f64 / n as f64;
        let to: Vec<R> = (0..n).map(|k| R::from_f64(more(k))).collect();
        let each = |k| {
            parameters
                .iter()
                .map(move |&each| R::from_f64(each * more(k)))
        };
        let each: Vec<R> = (0..n).flat_map(each).collect();
        let (to, each) = (device.upload(&to)?, device.upload(&each)?);
        let items = Items::between(R::ZERO, R::ZERO).to_each(&to);
        let items = match parameters.is_empty() {
            true => items,
            false => items.with_each(&each),
        };
        let mut first = device.alloc_zeroed::<Outcome<R>>(n)?;
        let mut second = device.alloc_zeroed::<Outcome<R>>(n)?;
        let options = Options::default();
        let mut ours = Adaptive::<R>::of::<I>(&self.module, options.clone())?;
        let mut its = Adaptive::<R>::of_formula(&self.module, &formula, options)?;
        let adaptive = times(
            &device,
            3,
            &mut [&mut || ours.integrate(&items, &mut first), &mut || {
                its.integrate(&items, &mut second)
            }],
        )?;
        let is_same = first.to_vec()? == second.to_vec()?;
        self.row::<R>(text, "g10k21", adaptive, is_same);
        let options = TanhSinhOptions::default();
        let mut ours = TanhSinh::<R>::of::<I>(&self.module, options.clone())?;
        let mut its = TanhSinh::<R>::of_formula(&self.module, &formula, options)?;
        let tanh_sinh = times(
            &device,
            3,
            &mut [&mut || ours.integrate(&items, &mut first), &mut || {
                its.integrate(&items, &mut second)
            }],
        )?;
        let is_same = first.to_vec()? == second.to_vec()?;
        self.row::<R>(text, "tanh-sinh", tanh_sinh, is_same);
        Ok(())
    }

    fn row<R: Real>(&mut self, text: &str, rule: &str, times: [Option<f64>; 2], is_same: bool) {
        let bits = if is_same { "same bits" } else { "OTHER BITS" };
        self.is_same &= is_same;
        let times = match times {
            [Some(ours), Some(its)] => format!("{ours:9.4} {its:9.4} {:6.3}", ours / its),
            _ => "untimed".to_owned(),
        };
        println!("{:4} {rule:16} {times}  {bits}  {text}", R::TYPE_NAME);
    }
}

/// Prints how long results take whose plan is made by `plan`, on the host's clock.
fn delays<R: Real, P: FnMut() -> quadscan::Result<()>>(
    text: &str,
    rule: &str,
    plan: impl Fn(&Formula) -> quadscan::Result<P>,
) -> quadscan::Result<()> {
    let ms = |start: Instant| 1e3 * start.elapsed().as_secs_f64();
    let from_text = || {
        let start = Instant::now();
        let mut plan = plan(&Formula::parse(text)?)?;
        plan()?;
        quadscan::Result::Ok((ms(start), plan))
    };
    let (first, mut plan) = from_text()?;
    let again = from_text()?.0;
    let start = Instant::now();
    plan()?;
    let second = ms(start);
    println!(
        "{:4} {rule:10} {first:9.3} {again:9.3} {second:9.3}  {text}",
        R::TYPE_NAME
    );
    Ok(())
}

/// The least time in ms of each of two kinds of launches, `launches` at once; without a timer,
/// launches each once.
fn times(
    device: &Device,
    launches: u32,
    both: &mut [&mut dyn FnMut() -> quadscan::Result<()>; 2],
) -> quadscan::Result<[Option<f64>; 2]> {
    let mut least = [None; 2];
    for launch in both.iter_mut() {
        launch()?;
    }
    if !device.properties().has_timer {
        return Ok(least);
    }
    for _ in 0..ROUNDS {
        for (launch, least) in both.iter_mut().zip(&mut least) {
            let (start, end) = (device.event()?, device.event()?);
            launch()?;
            start.record()?;
            for _ in 0..launches {
                launch()?;
            }
            end.record()?;
            end.synchronize()?;
            let time = Event::elapsed_ms(&start, &end)? / f64::from(launches);
            *least = Some(least.map_or(time, |least: f64| least.min(time)));
        }
    }
    Ok(least)
}
