//! Named values: a line each, on which a mark stands at the value of each series.

use maud::{Markup, html};

use super::super::words::short;
use super::scale::{Kind, Scale, extent, is_drawable};
use super::{Chart, Frame, Swatch, label, mark, rule};
use crate::grouping::groups;

/// A named value.
pub(in crate::report) struct Row {
    pub(in crate::report) name: String,
    /// Whose it is, in the legend; empty where there is but one.
    pub(in crate::report) whose: String,
    pub(in crate::report) value: f64,
    pub(in crate::report) look: Swatch,
}

impl Row {
    /// Its name and whose it is.
    pub(in crate::report) fn whole_name(&self) -> String {
        if self.whose.is_empty() {
            return self.name.clone();
        }
        format!("{}, {}", self.name, self.whose)
    }
}

/// Values of one unit. Those of one name are on one line.
pub(in crate::report) struct Rows {
    pub(in crate::report) unit: &'static str,
    pub(in crate::report) rows: Vec<Row>,
    /// What the looks mean.
    pub(in crate::report) legend: Vec<(Swatch, String)>,
}

/// From here on the smaller values could not be told apart on a scale from 0.
const TOO_FAR_APART: f64 = 30.0;

/// Where the parts of a line are: beside each other where there is room, else the
/// name in lines above the rest. No name is cut: two could become equal.
struct Layout {
    is_stacked: bool,
    left: f64,
    width: f64,
    /// From the top of a line to its marks.
    middle: f64,
    each: f64,
    top: f64,
    scale: Scale,
}

impl Layout {
    fn new(frame: Frame, lines: &[(&str, Vec<&Row>)], scale: Scale) -> Self {
        let names = || lines.iter().map(|line| line.0);
        let beside = names()
            .map(|name| frame.text_width(name))
            .fold(0.0, f64::max)
            + 10.0;
        let is_stacked = frame.is_narrow() || beside > 0.55 * frame.width;
        let above = names()
            .map(|name| frame.lines(name, frame.width).len())
            .max();
        let above = (frame.font + 2.0) * above.unwrap_or(1) as f64;
        let (left, middle, each) = match is_stacked {
            // Half of the first number of the axis stands before it.
            true => (5.0, above + 7.0, above + 20.0),
            false => (beside, 10.0, 21.0),
        };
        let values = lines.iter().flat_map(|line| text(&line.1));
        let widest = values.map(|text| frame.text_width(&text));
        Layout {
            is_stacked,
            left,
            width: frame.width - left - widest.fold(10.0, f64::max) - 10.0,
            middle,
            each,
            top: frame.font + 8.0,
            scale,
        }
    }
}

/// The text beside a mark; several marks on a line have no room for theirs.
fn text(rows: &[&Row]) -> Option<String> {
    match rows {
        [row] => Some(short(row.value)),
        _ => None,
    }
}

impl Rows {
    /// The lines by their names.
    fn lines(&self) -> Vec<(&str, Vec<&Row>)> {
        let drawable = self.rows.iter().filter(|row| is_drawable(row.value));
        groups(drawable, |row| &*row.name)
    }

    /// Whether a scale from 0 would hide the small values.
    pub(in crate::report) fn is_logarithmic(&self) -> bool {
        let (low, high) = extent(self.rows.iter().map(|row| row.value)).unwrap_or((1.0, 1.0));
        high / low > TOO_FAR_APART
    }

    fn axis(&self, frame: Frame, layout: &Layout, bottom: f64) -> Markup {
        let most = if frame.is_narrow() { 4 } else { 6 };
        html! {
            (label(layout.left, frame.font, "start", "axis", self.unit))
            @for (value, text) in layout.scale.marks(most) {
                @let x = layout.left + layout.width * layout.scale.place(value);
                (rule("grid", x, layout.top, x, bottom))
                (label(x, bottom + frame.font + 2.0, "middle", "tick", &text))
            }
            (rule("frame", layout.left, layout.top, layout.left, bottom))
        }
    }

    fn line(&self, frame: Frame, layout: &Layout, top: f64, name: &str, rows: &[&Row]) -> Markup {
        let middle = top + layout.middle;
        let beside = middle + frame.font * 0.35;
        let x = |row: &Row| layout.left + layout.width * layout.scale.place(row.value);
        let lines = frame.lines(name, frame.width);
        // The last line is next to the marks.
        let above =
            |line: usize| middle - 9.0 - (frame.font + 2.0) * (lines.len() - 1 - line) as f64;
        html! {
            @if layout.is_stacked {
                @for (line, text) in lines.iter().enumerate() {
                    (label(0.0, above(line), "start", "name", text))
                }
            } @else {
                (label(layout.left - 8.0, beside, "end", "name", name))
            }
            (rule("grid", layout.left, middle, layout.left + layout.width, middle))
            @for row in rows {
                (mark(&row.look, x(row), middle, 4.5, &format!("{}: {} {}", row.whole_name(), short(row.value), self.unit)))
                @if let Some(text) = text(rows) { (label(x(row) + 8.0, beside, "start", "value", &text)) }
            }
        }
    }
}

impl Chart for Rows {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let kind = if self.is_logarithmic() {
            Kind::Decades
        } else {
            Kind::FromZero
        };
        let Some(scale) = Scale::new(kind, self.rows.iter().map(|row| row.value)) else {
            return (frame.font, html! {});
        };
        let lines = self.lines();
        let layout = Layout::new(frame, &lines, scale);
        let bottom = layout.top + layout.each * lines.len() as f64 + 4.0;
        let drawn = html! {
            (self.axis(frame, &layout, bottom))
            @for (index, (name, rows)) in lines.iter().enumerate() {
                (self.line(frame, &layout, layout.top + layout.each * index as f64, name, rows))
            }
        };
        (bottom + frame.font + 8.0, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        self.legend.clone()
    }
}
