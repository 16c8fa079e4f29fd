//! A time against blocks * threads on logarithmic axes, with the published series and the lines
//! of the model.

use super::figure::Figure;
use super::machines::Measured;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::panels::{Axis, Panel, Panels, Point, Series};
use super::svg::scale::{Kind, Scale};
use super::words::{list, note, place, shape, short};
use crate::export::Grid;
use crate::grouping::rising;
use crate::model::{self, Fit};
use crate::number;
use crate::table::figure::{KERNEL, SPAN, Time};
use crate::table::published::Published;

/// Blocks and threads.
type Shape = (u32, u32);

fn point(shape: Shape, ms: f64, note: String) -> Point {
    Point {
        x: f64::from(shape.0) * f64::from(shape.1),
        y: ms,
        note,
    }
}

fn predicted(fit: &Fit, shape: Shape) -> Point {
    point(shape, fit.predict(shape.0, shape.1), String::new())
}

/// The model's least time for every product of blocks and threads.
fn least(fit: &Fit, shapes: impl Iterator<Item = Shape>) -> Vec<Point> {
    let mut points: Vec<Point> = shapes.map(|shape| predicted(fit, shape)).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup_by(|later, earlier| later.x == earlier.x);
    points
}

/// The model's line for a number of threads: over all its blocks, and the powers of two between
/// them.
fn line(fit: &Fit, shapes: &[Shape], threads: u32) -> Vec<Point> {
    let blocks = shapes.iter().filter(|shape| shape.1 == threads);
    let blocks = rising(blocks.map(|shape| shape.0));
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else {
        return Vec::new();
    };
    let doubled = (0..32).map(|power| 1_u32 << power);
    let doubled = doubled.filter(|blocks| (first..=last).contains(blocks));
    let all = rising(blocks.into_iter().chain(doubled)).into_iter();
    all.map(|blocks| predicted(fit, (blocks, threads)))
        .collect()
}

/// The rows of a machine with the time, and the model of it.
struct Timed<'a> {
    of: &'a Measured<'a>,
    time: Time,
    fit: Option<&'a Fit>,
}

impl<'a> Timed<'a> {
    fn new(of: &'a Measured<'a>, time: Time) -> Self {
        let explanation = of.explanation.as_ref();
        let fit = explanation.and_then(|model| match time.metric {
            metric if metric == KERNEL.metric => model.kernel.as_ref(),
            _ => model.span.as_ref(),
        });
        Timed { of, time, fit }
    }

    fn shapes(&self) -> Vec<Shape> {
        self.of.rows.iter().filter_map(shape).collect()
    }

    fn points(&self, is_chosen: impl Fn(Shape) -> bool) -> Vec<Point> {
        let point = |row| {
            let (shape, ms) = (shape(row)?, self.time.ms(row)?);
            let told = number::milliseconds(ms);
            let note = format!("{}, {}: {told} ms", self.of.name(), place(row));
            is_chosen(shape).then(|| point(shape, ms, note))
        };
        self.of.rows.iter().filter_map(point).collect()
    }

    /// The points, a series a number of threads, and lines of the model for each.
    fn by_threads(&self) -> Vec<Series> {
        let shapes = self.shapes();
        let threads = rising(shapes.iter().map(|shape| shape.1));
        let scale = Scale::exact(Kind::Decades, threads.iter().map(|&t| f64::from(t)));
        let of_threads = |(number, &t): (usize, &u32)| Series {
            name: match t {
                1 => "1 thread".to_owned(),
                _ => format!("{t} threads"),
            },
            look: Swatch::Scale(scale.map_or(0.0, |scale| scale.place(f64::from(t))), number),
            points: self.points(|shape| shape.1 == t),
        };
        let series = threads.iter().enumerate().map(of_threads);
        let mut series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        let lines = self.fit.into_iter().flat_map(|fit| {
            let lines = threads.iter().map(|&t| line(fit, &shapes, t));
            lines.filter(|points| points.len() > 1).collect::<Vec<_>>()
        });
        let mut name = Some("the model, a line for each number of threads");
        series.extend(lines.map(|points| Series {
            name: name.take().unwrap_or_default().to_owned(),
            look: Swatch::Plain,
            points,
        }));
        series
    }

    /// All points as one series, and the model's least times.
    fn as_one(&self, index: usize) -> Vec<Series> {
        let points = self.points(|_| true);
        if points.is_empty() {
            return Vec::new();
        }
        let series = Series {
            name: self.of.name().to_owned(),
            look: Swatch::Series(index),
            points,
        };
        let model = self.fit.map(|fit| Series {
            name: format!("{}: the model's least time", self.of.name()),
            look: Swatch::Line(index),
            points: least(fit, self.shapes().into_iter()),
        });
        [Some(series), model].into_iter().flatten().collect()
    }

    /// The least time, in words.
    fn best(&self) -> Option<String> {
        let (ms, row) = self.time.best(&self.of.rows)?;
        let (name, at) = (self.of.name(), place(row));
        Some(format!("{name}: the least is {} ms at {at}", short(ms)))
    }
}

/// The published span as a series, and its model's line.
fn published(sweep: &Published, model: Option<&Fit>) -> Vec<Series> {
    let spans = sweep.spans();
    let points = spans
        .iter()
        .map(|&(shape, ms)| point(shape, ms, note(sweep, shape, ms)));
    let series = Series {
        name: format!("{}, published", sweep.device),
        look: Swatch::Published,
        points: points.collect(),
    };
    let model = model.map(|fit| Series {
        name: format!("{}: the model's least time", sweep.device),
        look: Swatch::Plain,
        points: least(fit, spans.iter().map(|span| span.0)),
    });
    [Some(series), model].into_iter().flatten().collect()
}

fn data(timed: &[Timed<'_>], published: Option<&Published>) -> Grid {
    let row = |name: &str, (blocks, threads): Shape, ms: f64, model: Option<f64>| {
        let error = model.map(|model| format!("{:+.1} %", 100.0 * (model / ms - 1.0)));
        vec![
            name.to_owned(),
            blocks.to_string(),
            threads.to_string(),
            (u64::from(blocks) * u64::from(threads)).to_string(),
            number::milliseconds(ms),
            model.map(number::milliseconds).unwrap_or_default(),
            error.unwrap_or_default(),
        ]
    };
    let of_machine = |one: &Timed<'_>| {
        let row = |of| {
            let (shape, ms) = (shape(of)?, one.time.ms(of)?);
            let model = one.fit.map(|fit| fit.predict(shape.0, shape.1));
            Some(row(one.of.name(), shape, ms, model))
        };
        one.of.rows.iter().filter_map(row).collect::<Vec<_>>()
    };
    let of_page = published.into_iter().flat_map(|sweep| {
        let spans = sweep.spans().into_iter();
        spans.map(|(shape, ms)| row(sweep.device, shape, ms, None))
    });
    let rows = timed.iter().flat_map(of_machine).chain(of_page).collect();
    let header = [
        "machine",
        "blocks",
        "threads",
        "blocks × threads",
        "ms",
        "model, ms",
    ];
    Grid::new(&[&header[..], &["model's error"]].concat(), rows)
}

/// Time against blocks * threads: of one machine by threads, of several by machine. The span
/// stands beside the published one and its model.
pub(super) fn figure(subject: &Subject<'_>, time: Time) -> Option<Figure> {
    let title = format!("{}: {} against blocks × threads", subject.name, time.name);
    let measured = subject.measured.iter();
    let absent: Vec<String> = measured.clone().filter_map(Measured::no_times).collect();
    let timed: Vec<Timed<'_>> = measured.map(|one| Timed::new(one, time)).collect();
    let mut series = match &timed[..] {
        [one] => one.by_threads(),
        several => several
            .iter()
            .enumerate()
            .flat_map(|(index, one)| one.as_one(index))
            .collect(),
    };
    if series.is_empty() {
        return None;
    }
    let sweep = subject.published().filter(|_| time.metric == SPAN.metric);
    if let Some(sweep) = sweep {
        series.extend(published(sweep, model::published(subject.table.name)));
    }
    let names: Vec<&str> = timed.iter().map(|one| one.of.name()).collect();
    let best: Vec<String> = timed.iter().filter_map(Timed::best).collect();
    let (names, best) = (list(&names), best.join("; "));
    let absent: String = absent.iter().map(|reason| format!(" {reason}")).collect();
    let strips = number::grouped(subject.strips().unwrap_or_default());
    Some(Figure {
        file: "",
        alt: format!(
            "The {} of {names} against blocks × threads, both axes logarithmic. {best}.",
            time.name
        ),
        caption: format!(
            "{strips} strips; both axes are logarithmic. {best}.{}{absent}",
            time.note
        ),
        data: data(&timed, sweep),
        chart: Box::new(Panels {
            across: Axis("blocks × threads", Kind::Decades),
            up: Axis("ms", Kind::Decades),
            panels: vec![Panel {
                title: String::new(),
                series,
            }],
        }),
        title,
    })
}
