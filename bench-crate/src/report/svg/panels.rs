//! Panels beside each other with the same two axes, and points or lines in them: one panel
//! is a plot, several are small multiples.

use maud::{Markup, html};

use super::scale::{Kind, Scale, is_drawable};
use super::{Chart, Frame, Swatch, label, line, mark, rule};
use crate::grouping::distinct;

/// A point with what it says when it is pointed at.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Point {
    pub(in crate::report) x: f64,
    pub(in crate::report) y: f64,
    pub(in crate::report) note: String,
}

/// Points, a line through them, or both, as its look says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Series {
    /// In the legend; a series without a name is not in it.
    pub(in crate::report) name: String,
    pub(in crate::report) look: Swatch,
    pub(in crate::report) points: Vec<Point>,
}

/// What stands between two axes.
pub(in crate::report) struct Panel {
    /// Above it; empty of a plot alone.
    pub(in crate::report) title: String,
    pub(in crate::report) series: Vec<Series>,
}

impl Panel {
    /// Its title in lines.
    fn lines(&self, frame: Frame, width: f64) -> Vec<String> {
        let mut lines = frame.lines(&self.title, width / BOLD);
        lines.retain(|line| !line.is_empty());
        lines
    }
}

/// The width of bold text in that of other text.
const BOLD: f64 = 1.1;

/// An axis: what it says, with the unit, and its scale.
#[derive(Clone, Copy)]
pub(in crate::report) struct Axis(
    pub(in crate::report) &'static str,
    pub(in crate::report) Kind,
);

/// Panels with the same axes.
pub(in crate::report) struct Panels {
    pub(in crate::report) across: Axis,
    pub(in crate::report) up: Axis,
    pub(in crate::report) panels: Vec<Panel>,
}

/// Between panels.
const GAP: f64 = 12.0;

/// Where the panels are, and their scales.
struct Layout {
    columns: usize,
    left: f64,
    /// Of the first panel's title.
    top: f64,
    /// A panel's title, with what is below it.
    head: f64,
    width: f64,
    height: f64,
    x: Scale,
    y: Scale,
}

impl Layout {
    /// The left and the upper end of a panel's area.
    fn corner(&self, index: usize) -> (f64, f64) {
        let (column, row) = (index % self.columns, index / self.columns);
        (
            self.left + (self.width + GAP) * column as f64,
            self.top + self.head + (self.height + self.head + GAP) * row as f64,
        )
    }

    fn place(&self, (left, top): (f64, f64), point: &Point) -> (f64, f64) {
        (
            left + self.width * self.x.place(point.x),
            top + self.height * (1.0 - self.y.place(point.y)),
        )
    }
}

impl Panels {
    fn points(&self) -> impl Iterator<Item = &Point> {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let points = series.flat_map(|series| &series.points);
        points.filter(|point| is_drawable(point.x) && is_drawable(point.y))
    }

    /// Whether there is anything to draw.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.points().next().is_none()
    }

    /// Panels beside each other, and the height of one.
    fn shape(&self, frame: Frame) -> (usize, f64) {
        let (columns, narrow, wide) = match self.panels.len() {
            ..=1 => ((1, 1), 230.0, 330.0),
            2 | 4 => ((1, 2), 130.0, 170.0),
            _ => ((2, 3), 95.0, 130.0),
        };
        match frame.is_narrow() {
            true => (columns.0, narrow),
            false => (columns.1, wide),
        }
    }

    fn layout(&self, frame: Frame) -> Option<Layout> {
        let x = Scale::new(self.across.1, self.points().map(|point| point.x))?;
        let y = Scale::new(self.up.1, self.points().map(|point| point.y))?;
        let (columns, height) = self.shape(frame);
        let texts = y.marks(marks_up(height)).into_iter();
        let widest = texts.map(|(_, text)| frame.text_width(&text));
        let left = widest.fold(frame.font, f64::max) + 9.0;
        let gaps = GAP * (columns - 1) as f64;
        let width = (frame.width - left - gaps - 8.0) / columns as f64;
        let titles = self
            .panels
            .iter()
            .map(|panel| panel.lines(frame, width).len());
        let titles = (frame.font + 2.0) * titles.max().unwrap_or_default() as f64;
        Some(Layout {
            columns,
            left,
            top: frame.font + 10.0,
            head: titles + 6.0,
            width,
            height,
            x,
            y,
        })
    }

    /// The grid of a panel, with the numbers of the axes where no other panel has them.
    fn axes(&self, frame: Frame, layout: &Layout, index: usize) -> Markup {
        let (left, top) = layout.corner(index);
        let (right, bottom) = (left + layout.width, top + layout.height);
        let is_lowest = index + layout.columns >= self.panels.len();
        let most = (layout.width / (4.5 * frame.font)).max(2.0) as usize;
        html! {
            @for (value, text) in layout.x.marks(most) {
                @let x = left + layout.width * layout.x.place(value);
                (rule("grid", x, top, x, bottom))
                @if is_lowest {
                    (label(x, bottom + frame.font + 2.0, "middle", "tick", &text))
                }
            }
            @for (value, text) in layout.y.marks(marks_up(layout.height)) {
                @let y = bottom - layout.height * layout.y.place(value);
                (rule("grid", left, y, right, y))
                @if index.is_multiple_of(layout.columns) {
                    (label(left - 5.0, y + frame.font * 0.35, "end", "tick", &text))
                }
            }
            (rule("frame", left, bottom, right, bottom))
            (rule("frame", left, top, left, bottom))
        }
    }

    fn panel(&self, frame: Frame, layout: &Layout, index: usize) -> Markup {
        let corner = layout.corner(index);
        let panel = &self.panels[index];
        let is_line = |series: &&Series| matches!(series.look, Swatch::Line(_) | Swatch::Plain);
        let (series, lines) = (|| panel.series.iter(), panel.lines(frame, layout.width));
        html! {
            @for (line, text) in lines.iter().enumerate() {
                @let y = corner.1 - layout.head + (frame.font + 2.0) * (line + 1) as f64 - 2.0;
                (label(corner.0, y, "start", "head", text))
            }
            (self.axes(frame, layout, index))
            @for series in series().filter(is_line) { (series.draw(frame, layout, corner)) }
            // What is ours comes first, and stands above the rest.
            @for series in series().filter(|one| !is_line(one)).rev() { (series.draw(frame, layout, corner)) }
        }
    }
}

/// Marks of the upright axis, at most.
fn marks_up(height: f64) -> usize {
    (height / 32.0).clamp(3.0, 8.0) as usize
}

impl Series {
    fn draw(&self, frame: Frame, layout: &Layout, corner: (f64, f64)) -> Markup {
        let drawable = |point: &&Point| is_drawable(point.x) && is_drawable(point.y);
        let points: Vec<(&Point, (f64, f64))> = self
            .points
            .iter()
            .filter(drawable)
            .map(|point| (point, layout.place(corner, point)))
            .collect();
        let size = if frame.is_narrow() || layout.columns > 1 {
            2.8
        } else {
            4.0
        };
        let has_line = matches!(
            self.look,
            Swatch::Line(_) | Swatch::Plain | Swatch::Joined(_)
        );
        html! {
            g {
                @if has_line && points.len() > 1 {
                    (line(&self.look, points.iter().map(|point| point.1), &self.name))
                }
                @match self.look {
                    Swatch::Line(_) | Swatch::Plain => {}
                    _ => {
                        @for (point, (x, y)) in &points { (mark(&self.look, *x, *y, size, &point.note)) }
                    }
                }
            }
        }
    }
}

impl Chart for Panels {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let Some(layout) = self.layout(frame) else {
            return (frame.font, html! {});
        };
        let last = layout.corner(self.panels.len().saturating_sub(1));
        let bottom = last.1 + layout.height + 2.0 * frame.font + 8.0;
        let right = layout.left + (layout.width + GAP) * layout.columns as f64 - GAP;
        let drawn = html! {
            (label(0.0, frame.font, "start", "axis", self.up.0))
            @for index in 0..self.panels.len() { (self.panel(frame, &layout, index)) }
            (label(right, bottom, "end", "axis", self.across.0))
        };
        (bottom + 5.0, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let named = series.filter(|series| !series.name.is_empty());
        distinct(named.map(|series| (series.look.clone(), series.name.clone())))
    }
}
