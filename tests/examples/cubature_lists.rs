//! Integrals over cubes in batches: how many a second a GPU computes, and how many claims hold.
//!
//! ```sh
//! cargo run --release -p quadscan-tests --example cubature_lists -- target/ptx/all
//! ```
//!
//! A second argument names a part: `batches`, `families`, `peaks` or `cones`.
//!
//! The folder has our own PTX (`cargo xtask ptx` makes it). Members are drawn by their number: the formula
//! itself makes it into difficulties and places, as equally spread numbers. The families are those of Genz
//! (Testing multidimensional integration routines, 1984), sums of peaks, and cones on a background.
//!
//! The emulator has no times, and gets a few members.

use std::f64::consts::{PI, TAU};
use std::process::ExitCode;
use std::time::Instant;

use quadscan::device::{Artifact, Device, DeviceChoice, Module};
use quadscan::integrate::{Cubature, CubatureOptions, Cubed, Formula, Status};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// Square roots of primes, whose multiples are equally spread.
const ROOTS: [f64; 20] = [
    std::f64::consts::SQRT_2,
    1.7320508075688772,
    2.23606797749979,
    2.6457513110645907,
    3.3166247903554,
    3.605551275463989,
    4.123105625617661,
    4.358898943540674,
    4.795831523312719,
    5.385164807134504,
    5.5677643628300215,
    6.082762530298219,
    6.4031242374328485,
    6.557438524302,
    6.855654600401044,
    7.280109889280518,
    7.681145747868608,
    7.810249675906654,
    8.18535277187245,
    8.426149773176359,
];

/// What closed forms may be off.
const ROUNDING: f64 = 1e-12;

/// The number of this place that a member draws, from 0 to 1.
fn drawn(place: usize, member: f64) -> f64 {
    let times = member * ROOTS[place];
    times - times.floor()
}

/// The same in a formula of the member `s`.
fn typed(place: usize) -> String {
    format!("fract(s*{:?})", ROOTS[place])
}

/// A kind of integrand over the unit cube.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    /// The sum of difficulties.
    hard: f64,
    /// Terms of an axis, of x, a and u, and what joins them; and the whole.
    term: &'static str,
    joint: &'static str,
    whole: &'static str,
    /// The integral, by difficulties and places.
    exact: fn(&[f64], &[f64]) -> f64,
}

fn of_axes(a: &[f64], u: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    a.iter().zip(u).map(|(&a, &u)| of(a, u)).product()
}

/// Genz's six families.
const GENZ: [Kind; 6] = [
    Kind {
        name: "oscillatory",
        hard: 9.0,
        term: "A*X",
        joint: " + ",
        whole: "cos(tau*U + T)",
        exact: |a, u| {
            let phase = TAU * u[0] + a.iter().sum::<f64>() / 2.0;
            phase.cos() * of_axes(a, u, |a, _| (a / 2.0).sin() / (a / 2.0))
        },
    },
    Kind {
        name: "product peak",
        hard: 29.0,
        term: "(1/(A*A) + (X - U)*(X - U))",
        joint: "*",
        whole: "1/(T)",
        exact: |a, u| of_axes(a, u, |a, u| a * ((a * (1.0 - u)).atan() + (a * u).atan())),
    },
    Kind {
        name: "corner peak",
        hard: 1.85,
        term: "A*X",
        joint: " + ",
        whole: "(1 + T)^-(D + 1)",
        exact: corner_peak,
    },
    Kind {
        name: "Gaussian",
        hard: 14.0,
        term: "(A*(X - U))^2",
        joint: " + ",
        whole: "exp(-(T))",
        exact: |a, u| of_axes(a, u, bell),
    },
    Kind {
        name: "continuous",
        hard: 20.4,
        term: "A*abs(X - U)",
        joint: " + ",
        whole: "exp(-(T))",
        exact: |a, u| {
            of_axes(a, u, |a, u| {
                -((-a * u).exp_m1() + (-a * (1.0 - u)).exp_m1()) / a
            })
        },
    },
    Kind {
        name: "discontinuous",
        hard: 4.3,
        term: "if(X < U, A*X, -inf)",
        joint: " + ",
        whole: "exp(T)",
        exact: |a, u| of_axes(a, u, |a, u| (a * u).exp_m1() / a),
    },
];

fn corner_peak(a: &[f64], _: &[f64]) -> f64 {
    let corner = |corner: usize| {
        let of = |k: &usize| corner >> k & 1 == 1;
        let sum: f64 = (0..a.len()).filter(of).map(|k| a[k]).sum();
        let sign = if corner.count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        sign / (1.0 + sum)
    };
    let scale: f64 = a
        .iter()
        .enumerate()
        .map(|(k, a)| (k + 1) as f64 * a)
        .product();
    (0..1_usize << a.len()).map(corner).sum::<f64>() / scale
}

/// The integral of exp(-(a (x - u))^2) from 0 to 1.
fn bell(a: f64, u: f64) -> f64 {
    PI.sqrt() / (2.0 * a) * (erf(a * (1.0 - u)) + erf(a * u))
}

/// A series of positive terms, to where it is 1 to the last digit.
fn erf(x: f64) -> f64 {
    if x > 6.0 {
        return 1.0;
    }
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    2.0 * x / PI.sqrt() * (-x * x).exp() * sum
}

/// A formula of the member `s` in so many dimensions, and its integral.
struct List {
    name: String,
    dimensions: usize,
    formula: String,
    /// Parameters of the formula that are not drawn in it, by the member.
    given: Box<dyn Fn(f64) -> Vec<(String, f64)>>,
    exact: Box<dyn Fn(f64) -> f64>,
}

/// The member itself.
fn number(s: f64) -> Vec<(String, f64)> {
    vec![("s".to_owned(), s)]
}

/// Difficulties and places are drawn in the formula or, up to four dimensions, are its parameters.
fn genz(kind: Kind, d: usize, are_given: bool) -> List {
    let share = kind.hard / d as f64;
    let difficulty = move |k: usize, s: f64| share * (0.2 + 1.6 * drawn(k, s));
    let place = |k: usize, s: f64| 0.1 + 0.8 * drawn(10 + k, s);
    let place_of = |k: usize| match are_given {
        true => format!("u{k}"),
        false => format!("(0.1 + 0.8*{})", typed(10 + k)),
    };
    let term = |k: usize| {
        let a = match are_given {
            true => format!("a{k}"),
            false => format!("({share:?}*(0.2 + 1.6*{}))", typed(k)),
        };
        let u = place_of(k);
        let term = kind.term.replace('A', &a).replace('U', &u);
        term.replace('X', &format!("x{k}"))
    };
    let terms: Vec<String> = (0..d).rev().map(term).collect();
    let whole = kind.whole.replace('U', &place_of(0));
    let whole = whole.replace('D', &d.to_string());
    let formula = whole.replace('T', &terms.join(kind.joint));
    let typed = formula.clone();
    let by_name = move |s: f64| {
        let of = (0..d).flat_map(|k| {
            [
                (format!("a{k}"), difficulty(k, s)),
                (format!("u{k}"), place(k, s)),
            ]
        });
        of.filter(|(name, _)| typed.contains(name)).collect()
    };
    List {
        name: kind.name.to_owned(),
        dimensions: d,
        formula,
        given: if are_given {
            Box::new(by_name)
        } else {
            Box::new(number)
        },
        exact: Box::new(move |s| {
            let a: Vec<f64> = (0..d).map(|k| difficulty(k, s)).collect();
            let u: Vec<f64> = (0..d).map(|k| place(k, s)).collect();
            (kind.exact)(&a, &u)
        }),
    }
}

/// Three Gaussian peaks, of a width of 0.02 to 0.1.
fn peaks(d: usize) -> List {
    let peak = |j: usize| {
        let square = |k: usize| format!("(x{k} - (0.1 + 0.8*{}))^2", typed(6 * j + k));
        let squares: Vec<String> = (0..d).rev().map(square).collect();
        format!(
            "exp(-(10 + 40*{})^2*({}))",
            typed(6 * j + 5),
            squares.join(" + ")
        )
    };
    List {
        name: "three peaks".to_owned(),
        dimensions: d,
        formula: format!("{} + {} + {}", peak(0), peak(1), peak(2)),
        given: Box::new(number),
        exact: Box::new(move |s| {
            let of = |j: usize| {
                let a = 10.0 + 40.0 * drawn(6 * j + 5, s);
                let axes = (0..d).map(|k| bell(a, 0.1 + 0.8 * drawn(6 * j + k, s)));
                axes.product::<f64>()
            };
            of(0) + of(1) + of(2)
        }),
    }
}

/// A cone of a radius of 0.03 to 0.3 on a constant, or on nothing.
fn cone(d: usize, background: f64) -> List {
    let radius = "0.03*10^(R)".replace('R', &typed(9));
    let square = |k: usize| format!("(x{k} - (r + (1 - 2*r)*{}))^2", typed(k));
    let squares: Vec<String> = (0..d).rev().map(square).collect();
    let distance = format!("sqrt({})", squares.join(" + "));
    List {
        name: format!("cone on {background}"),
        dimensions: d,
        formula: format!("let r = {radius}; {background:?} + 100*max(0, r - {distance})"),
        given: Box::new(number),
        exact: Box::new(move |s| {
            let r = 0.03 * 10_f64.powf(drawn(9, s));
            let ball = [0.0, 2.0, PI, 4.0 / 3.0 * PI, PI * PI / 2.0][d];
            background + 100.0 * ball * r.powi(d as i32 + 1) / (d + 1) as f64
        }),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Done<()> {
    let folder = std::env::args().nth(1).ok_or("no folder of PTX is named")?;
    let device = Device::open(DeviceChoice::Auto)?;
    // SAFETY: whoever names a folder says that its PTX is what its manifest says.
    let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    println!("{}", device.properties().name);
    let is_timed = device.properties().has_timer;
    let (many, most, few) = if is_timed {
        (100_000, 8, 120)
    } else {
        (4, 2, 1)
    };
    let part = std::env::args().nth(2);
    let is_asked = |name: &str| part.as_deref().is_none_or(|part| part == name);
    if is_asked("batches") {
        println!("batches of {many} in 3 dimensions to 1e-6");
        for kind in GENZ {
            hold(&module, &genz(kind, 3, true), many, 1e-6, true)?;
        }
    }
    let dimensions = |last: usize| 2..=most.min(last);
    let families = dimensions(8).flat_map(|d| GENZ.map(|kind| genz(kind, d, false)));
    let cones = dimensions(4).flat_map(|d| [0.0, 1.0].map(|background| cone(d, background)));
    let lists: [(&str, Vec<List>, usize, &[f64]); 3] = [
        ("families", families.collect(), few, &[1e-3, 1e-6]),
        (
            "peaks",
            dimensions(4).map(peaks).collect(),
            3 * few / 2,
            &[1e-3, 1e-6],
        ),
        ("cones", cones.collect(), 10 * few, &[1e-2]),
    ];
    for (name, lists, count, tolerances) in lists {
        if !is_asked(name) {
            continue;
        }
        println!("{name}");
        let mut all = [0; 4];
        for list in lists {
            for &relative in tolerances {
                let of = hold(&module, &list, count, relative, false)?;
                all.iter_mut().zip(of).for_each(|(all, of)| *all += of);
            }
        }
        let [all, converged, claim, tolerance] = all;
        println!(
            "of {all} {converged} converged, {claim} off by more than they claim, {tolerance} by more than \
             the tolerance"
        );
    }
    Ok(())
}

/// How many members there are, converged, are off by more than they claim, and by more than the tolerance.
fn hold(
    module: &Module,
    list: &List,
    count: usize,
    relative: f64,
    is_alone: bool,
) -> Done<[usize; 4]> {
    let names: Vec<String> = (0..list.dimensions).map(|k| format!("x{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = Formula::of_variables(&list.formula, &names)?;
    let options = CubatureOptions {
        relative,
        evaluations: 1 << 28,
        ..CubatureOptions::default()
    };
    let mut plan = Cubature::of_formula(module, &formula, options)?;
    let cube = vec![(0.0, 1.0); list.dimensions];
    let members = (1..=count).map(|s| {
        let given = (list.given)(s as f64);
        let given: Vec<_> = given.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        formula.parameters_by_name(&given)
    });
    let members = members.collect::<quadscan::Result<Vec<_>>>()?;
    plan.integrate(&cube, &members[0])?;
    let (mut found, mut seconds) = (Vec::new(), f64::INFINITY);
    for _ in 0..if is_alone { 2 } else { 1 } {
        let start = Instant::now();
        found = plan.integrate_each(&cube, &members)?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let mut of = [count, 0, 0, 0];
    for (k, found) in found.iter().enumerate() {
        let (exact, Cubed { value, error, .. }) = ((list.exact)((k + 1) as f64), *found);
        let off = (value - exact).abs();
        if found.status == Status::Converged {
            of[1] += 1;
            of[2] += usize::from(off > error + ROUNDING * exact.abs());
            of[3] += usize::from(off > (relative + ROUNDING) * exact.abs());
        }
        if off > error + ROUNDING * exact.abs() {
            println!(
                "    {} {}: {found:?}, off by {off:.1e} of {exact:e}",
                list.name,
                k + 1
            );
        }
    }
    let evaluations: u64 = found.iter().map(|of| of.evaluations).sum();
    let rounds = found.iter().map(|of| of.rounds).max().unwrap_or(0);
    println!(
        "  {}, {}-D, to {relative:e}: {} of {count} converged, {} and {} off; {seconds:.4} s, {:.0} a second, \
         {:.0} evaluations each, up to {rounds} rounds",
        list.name,
        list.dimensions,
        of[1],
        of[2],
        of[3],
        count as f64 / seconds,
        evaluations as f64 / count as f64
    );
    if is_alone {
        let alone = count.min(200);
        let start = Instant::now();
        for (member, found) in members.iter().zip(&found).take(alone) {
            if plan.integrate(&cube, member)? != *found {
                return Err(format!("{}: a batch has other bits", list.name).into());
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "    one after the other {:.0} a second, the same bits",
            alone as f64 / seconds
        );
    }
    Ok(of)
}
