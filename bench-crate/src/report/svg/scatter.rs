//! Points and lines over two logarithmic axes.

use maud::{Markup, html};

use super::scale::{Log, is_drawable};
use super::{Chart, Frame, Swatch, label, mark, palette, px, rule};

/// A point with what it says when it is pointed at.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Point {
    pub(in crate::report) x: f64,
    pub(in crate::report) y: f64,
    pub(in crate::report) note: String,
}

impl Point {
    fn is_drawable(&self) -> bool {
        is_drawable(self.x) && is_drawable(self.y)
    }
}

/// Points, or a line through them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Series {
    /// In the legend; a series without a name is not in it.
    pub(in crate::report) name: String,
    /// A line where it is a line's swatch, else points.
    pub(in crate::report) look: Swatch,
    pub(in crate::report) points: Vec<Point>,
}

/// Two axes and what stands between them.
pub(in crate::report) struct Scatter {
    pub(in crate::report) across: &'static str,
    pub(in crate::report) up: &'static str,
    pub(in crate::report) series: Vec<Series>,
}

/// Marks of the upright axis, at most.
const MARKS_UP: usize = 8;

/// The area between the axes, and their scales.
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Log,
    y: Log,
}

impl Area {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + self.width * self.x.place(x),
            self.top + self.height * (1.0 - self.y.place(y)),
        )
    }
}

impl Scatter {
    fn points(&self) -> impl Iterator<Item = &Point> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.filter(|point| point.is_drawable())
    }

    /// Whether there is anything to draw.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.points().next().is_none()
    }

    fn area(&self, frame: Frame) -> Option<Area> {
        let y = Log::roomy(self.points().map(|point| point.y))?;
        let texts = y.decimal_marks(MARKS_UP).into_iter();
        let widest = texts.map(|(_, text)| frame.text_width(&text));
        let left = widest.fold(frame.font, f64::max) + 6.0;
        Some(Area {
            left,
            top: frame.font + 12.0,
            width: frame.width - left - 8.0,
            height: if frame.is_narrow() { 230.0 } else { 330.0 },
            x: Log::roomy(self.points().map(|point| point.x))?,
            y,
        })
    }

    fn axes(&self, frame: Frame, area: &Area) -> Markup {
        let (right, bottom) = (area.left + area.width, area.top + area.height);
        let marks = if frame.is_narrow() { 4 } else { 8 };
        html! {
            @for (value, text) in area.x.decimal_marks(marks) {
                @let x = area.place(value, 1.0).0;
                (rule("grid", x, area.top, x, bottom))
                (label(x, bottom + frame.font + 2.0, "middle", "tick", &text))
            }
            @for (value, text) in area.y.decimal_marks(MARKS_UP) {
                @let y = area.place(1.0, value).1;
                (rule("grid", area.left, y, right, y))
                (label(area.left - 5.0, y + frame.font * 0.35, "end", "tick", &text))
            }
            (rule("frame", area.left, bottom, right, bottom))
            (rule("frame", area.left, area.top, area.left, bottom))
            (label(0.0, frame.font, "start", "axis", self.up))
            (label(right, bottom + 2.0 * frame.font + 8.0, "end", "axis", self.across))
        }
    }
}

impl Series {
    fn draw(&self, frame: Frame, area: &Area) -> Markup {
        let points = self.points.iter().filter(|point| point.is_drawable());
        let size = if frame.is_narrow() { 3.0 } else { 4.0 };
        let class = match self.look {
            Swatch::Line(number) => format!("mark line s{}", number % palette::SERIES),
            Swatch::Plain => "mark line plain".to_owned(),
            _ => {
                return html! {
                    g {
                        @for point in points {
                            @let (x, y) = area.place(point.x, point.y);
                            (mark(&self.look, x, y, size, &point.note))
                        }
                    }
                };
            }
        };
        let places = points.map(|point| area.place(point.x, point.y));
        let corners: Vec<String> = places
            .map(|(x, y)| format!("{} {}", px(x), px(y)))
            .collect();
        html! {
            @if corners.len() > 1 {
                path class=(class) d={ "M" (corners.join("L")) } { title { (self.name) } }
            }
        }
    }
}

impl Chart for Scatter {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let Some(area) = self.area(frame) else {
            return (frame.font, html! {});
        };
        let is_line = |series: &&Series| matches!(series.look, Swatch::Line(_) | Swatch::Plain);
        let drawn = html! {
            (self.axes(frame, &area))
            @for series in self.series.iter().filter(is_line) { (series.draw(frame, &area)) }
            @for series in self.series.iter().filter(|series| !is_line(series)) { (series.draw(frame, &area)) }
        };
        (area.top + area.height + 2.0 * frame.font + 12.0, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        let named = self.series.iter().filter(|series| !series.name.is_empty());
        named
            .map(|series| (series.look.clone(), series.name.clone()))
            .collect()
    }
}
