//! Time against blocks * threads on logarithmic axes, with the published series
//! and the model's line.

use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::published::PublishedSweep;
use super::svg::Swatch;
use super::svg::scatter::{Point, Scatter, Series};
use super::sweep::{Clock, SPAN, Subject, distinct, no_times, place, scale_of_threads, shape};
use super::words::{grouped, list, short};
use crate::model::{self, Fit};
use crate::number;
use crate::record::Record;

/// A machine's rows of one number of strips, and its model where there is one.
pub(super) struct Measured<'a> {
    pub(super) machine: &'a Machine,
    pub(super) rows: &'a [Record],
    pub(super) model: Option<&'a Fit>,
}

impl<'a> Measured<'a> {
    fn points(&self, clock: Clock, chosen: impl Fn(u32) -> bool) -> Vec<Point> {
        let point = |row: &Record| {
            let (blocks, threads) = shape(row)?;
            let ms = clock.ms(row)?;
            chosen(threads).then(|| Point {
                x: f64::from(blocks) * f64::from(threads),
                y: ms,
                note: format!(
                    "{}, {}: {} ms",
                    self.machine.name,
                    place(row),
                    number::milliseconds(ms)
                ),
            })
        };
        self.rows.iter().filter_map(point).collect()
    }

    fn shapes(&self) -> Vec<(u32, u32)> {
        self.rows.iter().filter_map(shape).collect()
    }

    /// The model's line for a number of threads: over all its blocks, and the
    /// powers of two between them.
    fn line_of_threads(&self, fit: &Fit, threads: u32) -> Vec<Point> {
        let shapes = self.shapes();
        let blocks = shapes.iter().filter(|shape| shape.1 == threads);
        let blocks = distinct(blocks.map(|shape| shape.0));
        let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else {
            return Vec::new();
        };
        let doubled = (0..32).map(|power| 1_u32 << power);
        distinct(blocks.into_iter().chain(doubled))
            .into_iter()
            .filter(|blocks| (first..=last).contains(blocks))
            .map(|blocks| predicted(fit, blocks, threads))
            .collect()
    }

    /// The model's least time for every product of blocks and threads.
    fn line_of_least(&self, fit: &Fit) -> Vec<Point> {
        least(
            self.shapes()
                .into_iter()
                .map(|(blocks, threads)| predicted(fit, blocks, threads)),
        )
    }
}

fn predicted(fit: &Fit, blocks: u32, threads: u32) -> Point {
    Point {
        x: f64::from(blocks) * f64::from(threads),
        y: fit.predict(blocks, threads),
        note: String::new(),
    }
}

/// Of the points over one place the lowest, in order of place.
fn least(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup_by(|later, earlier| later.x == earlier.x);
    points
}

/// A machine's points, a series a number of threads.
fn by_threads(measured: &Measured<'_>, clock: Clock) -> Vec<Series> {
    let threads = distinct(measured.shapes().into_iter().map(|shape| shape.1));
    let scale = scale_of_threads(&threads);
    let mut series: Vec<Series> = threads
        .iter()
        .map(|&t| Series {
            name: match t {
                1 => "1 thread".to_owned(),
                _ => format!("{t} threads"),
            },
            look: Swatch::Scale(scale(t)),
            points: measured.points(clock, |other| other == t),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let Some(fit) = measured.model else {
        return series;
    };
    let lines: Vec<Series> = threads
        .iter()
        .map(|&t| measured.line_of_threads(fit, t))
        .filter(|points| points.len() > 1)
        .enumerate()
        .map(|(index, points)| Series {
            name: if index == 0 {
                "the model, a line for each number of threads".to_owned()
            } else {
                String::new()
            },
            look: Swatch::Plain,
            points,
        })
        .collect();
    series.extend(lines);
    series
}

/// All machines' points, a series a machine.
fn by_machine(measured: &[Measured<'_>], clock: Clock) -> Vec<Series> {
    let mut series = Vec::new();
    for (index, one) in measured.iter().enumerate() {
        let points = one.points(clock, |_| true);
        if points.is_empty() {
            continue;
        }
        series.push(Series {
            name: one.machine.name.clone(),
            look: Swatch::Series(index),
            points,
        });
        series.extend(one.model.map(|fit| Series {
            name: format!("{}: the model's least time", one.machine.name),
            look: Swatch::Line(index),
            points: one.line_of_least(fit),
        }));
    }
    series
}

/// The published span as a series, and its model's line.
fn published(sweep: &PublishedSweep, model: Option<&Fit>) -> Vec<Series> {
    let points = sweep.cells.iter().map(|&cell| Point {
        x: f64::from(cell.0) * f64::from(cell.1),
        y: cell.2,
        note: sweep.note(cell),
    });
    let mut series = vec![Series {
        name: format!("{}, published", sweep.device),
        look: Swatch::Published(0),
        points: points.collect(),
    }];
    series.extend(model.map(|fit| {
        Series {
            name: format!("{}: the model's least time", sweep.device),
            look: Swatch::Plain,
            points: least(
                sweep
                    .cells
                    .iter()
                    .map(|&(blocks, threads, _)| predicted(fit, blocks, threads)),
            ),
        }
    }));
    series
}

fn data(measured: &[Measured<'_>], clock: Clock, reference: Option<&PublishedSweep>) -> Grid {
    let mut grid = Grid::new(&[
        "machine",
        "blocks",
        "threads",
        "blocks × threads",
        "ms",
        "model, ms",
        "model's error",
    ]);
    for one in measured {
        for row in one.rows {
            let (Some((blocks, threads)), Some(ms)) = (shape(row), clock.ms(row)) else {
                continue;
            };
            let model = one.model.map(|fit| fit.predict(blocks, threads));
            grid.rows.push(vec![
                one.machine.name.clone(),
                blocks.to_string(),
                threads.to_string(),
                (u64::from(blocks) * u64::from(threads)).to_string(),
                number::milliseconds(ms),
                model.map(number::milliseconds).unwrap_or_default(),
                model
                    .map(|model| format!("{:+.1} %", 100.0 * (model / ms - 1.0)))
                    .unwrap_or_default(),
            ]);
        }
    }
    for &(blocks, threads, ms) in reference.iter().flat_map(|sweep| &sweep.cells) {
        grid.rows.push(vec![
            reference.map_or("", |sweep| sweep.device).to_owned(),
            blocks.to_string(),
            threads.to_string(),
            (u64::from(blocks) * u64::from(threads)).to_string(),
            number::milliseconds(ms),
            String::new(),
            String::new(),
        ]);
    }
    grid
}

/// Time against blocks * threads: of one machine by threads, of several by
/// machine. The span stands beside the published one and its model.
pub(super) fn figure(subject: &Subject<'_>, clock: Clock, measured: &[Measured<'_>]) -> Figure {
    let title = format!("{}: {} against blocks × threads", subject.name, clock.name);
    let absent: Vec<String> = measured
        .iter()
        .filter_map(|one| no_times(one.machine, one.rows))
        .collect();
    let mut series = match measured {
        [one] => by_threads(one, clock),
        several => by_machine(several, clock),
    };
    if series.is_empty() {
        let reason = if absent.is_empty() {
            "No row has this time.".to_owned()
        } else {
            absent.join(" ")
        };
        return Figure::absent(title, reason);
    }
    let is_span = clock.metric == SPAN.metric;
    let beside = subject.published().filter(|_| is_span);
    if let Some(sweep) = &beside {
        series.extend(published(sweep, model::published(subject.table)));
    }
    let names: Vec<&str> = measured.iter().map(|one| &*one.machine.name).collect();
    let said: Vec<String> = measured
        .iter()
        .filter_map(|one| {
            let (ms, row) = clock.best(one.rows)?;
            Some(format!(
                "{}: the least is {} ms at {}",
                one.machine.name,
                short(ms),
                place(row)
            ))
        })
        .collect();
    Figure {
        alt: format!(
            "The {} of {} against blocks × threads, both axes logarithmic. {}.",
            clock.name,
            list(&names),
            said.join("; ")
        ),
        caption: format!(
            "{} strips; both axes are logarithmic. {}.{}{}",
            grouped(subject.strips),
            said.join("; "),
            clock.note,
            absent
                .iter()
                .map(|reason| format!(" {reason}"))
                .collect::<String>()
        ),
        data: data(measured, clock, beside.as_ref()),
        body: Ok(Box::new(Scatter {
            across: "blocks × threads".into(),
            up: "ms".into(),
            series,
        })),
        title,
    }
}
