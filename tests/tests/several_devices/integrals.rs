//! Integrals that several devices share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quadscan::device::emulator::ptx_emulator::{Gpu, LaunchError, Report};
use quadscan::device::emulator::{Launch, Observation, Unobserved};
use quadscan::integrate::{Composite, Cubature, CubatureOptions, Formula, Rule, ShardedComposite};
use quadscan_bench::modules;
use quadscan_kernels::integrate::catalogue::QuarterCircle;

use crate::{devices, of_family};
#[test]
fn an_integral_has_the_same_bits_on_every_number_of_devices() {
    let artifact = modules::ours().expect("the artifact is whole");
    let strips = 2 << 22;
    let value = |count: usize| {
        let modules = devices(count).load(&artifact).expect("it loads");
        let plans = modules.iter();
        let plans = plans.map(|module| Composite::<f32>::of::<QuarterCircle>(module, strips));
        let plan = ShardedComposite::new(plans.collect::<quadscan::Result<_>>().expect("plans"));
        let mut plan = plan.expect("of one function");
        let value = plan.value(Rule::Midpoint, strips, (0.0, 1.0), &[]);
        value.expect("an integral")
    };
    let values = [1, 2].map(value);
    assert_eq!(values[0].to_bits(), values[1].to_bits());
    assert!((4.0 * f64::from(values[0]) - std::f64::consts::PI).abs() < 1e-6);
}

#[test]
fn plans_of_several_functions_are_refused() {
    let artifact = modules::ours().expect("the artifact is whole");
    let modules = devices(2).load(&artifact).expect("it loads");
    let plan = |of: usize, text: &str| {
        let formula = Formula::parse(text).expect("a formula");
        Composite::<f64>::of_formula(&modules[of], &formula, 8).expect("a plan")
    };
    let error = ShardedComposite::new(vec![plan(0, "x"), plan(1, "x*x")]).expect_err("two");
    assert!(
        error.to_string().contains("are of several functions"),
        "{error}"
    );
    let mut plan = ShardedComposite::new(vec![plan(0, "x"), plan(1, "x")]).expect("one");
    let error = plan
        .value(Rule::Trapezoid, 9, (0.0, 1.0), &[])
        .expect_err("too many");
    assert!(
        error.to_string().contains("is 9, allowed are 1 to 8"),
        "{error}"
    );
    let plan = |of: usize, text: &str| {
        let formula = Formula::of_variables(text, &["x", "y"]).expect("a formula");
        Cubature::of_formula(&modules[of], &formula, CubatureOptions::default()).expect("a plan")
    };
    let error = Cubature::together(vec![plan(0, "x+y"), plan(1, "x*y")]).expect_err("two");
    assert!(
        error.to_string().contains("are of several integrands"),
        "{error}"
    );
}

/// Counts the launches of a device.
struct Counting(Arc<AtomicUsize>);

impl Observation for Counting {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Unobserved.run(gpu, launch)
    }
}

#[test]
fn an_integral_over_a_box_is_the_same_on_every_number_of_devices_which_all_take_part() {
    let artifact = modules::ours().expect("the artifact is whole");
    let formula = Formula::of_variables("abs(x - y)", &["x", "y"]).expect("a formula");
    let options = CubatureOptions {
        relative: 1e-7,
        ..CubatureOptions::default()
    };
    let outcome = |count: usize| {
        let launches: Vec<_> = (0..count).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let counting = launches
            .iter()
            .map(|of| Box::new(Counting(of.clone())) as _);
        let modules = of_family(None, counting).load(&artifact).expect("it loads");
        let plans = modules.iter();
        let plans = plans.map(|module| Cubature::of_formula(module, &formula, options));
        let plans = plans.collect::<quadscan::Result<_>>().expect("plans");
        let mut plan = Cubature::together(plans).expect("of one integrand");
        let parameters = formula.parameters_by_name(&[]).expect("none");
        let outcome = plan
            .integrate(&[(0.0, 1.0); 2], &parameters)
            .expect("an integral");
        let each = plan.integrate_each(&[(0.0, 1.0); 2], &[parameters; 2]);
        assert_eq!(each.expect("integrals"), [outcome; 2]);
        let taken = launches.iter().map(|of| of.load(Ordering::Relaxed));
        (outcome, taken.collect::<Vec<_>>())
    };
    let (expected, _) = outcome(1);
    assert!((expected.value - 1.0 / 3.0).abs() <= expected.error);
    let (found, launches) = outcome(2);
    assert_eq!(found, expected);
    assert!(!launches.contains(&0), "{launches:?} of {found:?}");
}
