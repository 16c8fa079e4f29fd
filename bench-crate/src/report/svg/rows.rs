//! Named values: a bar each from 0, or where they are too far apart for bars a mark each on a log
//! scale, those of one name on one line.

use maud::{Markup, html};

use super::super::words::short;
use super::scale::{Log, extent, is_drawable};
use super::{Chart, Frame, Swatch, label, mark, palette, px, rule};

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

/// Rows of one unit. Of rows after each other with one name the first has it
/// written beside it; behind each bar stands whose it is, where there is room.
pub(in crate::report) struct Rows {
    pub(in crate::report) unit: &'static str,
    pub(in crate::report) rows: Vec<Row>,
    /// What the looks mean.
    pub(in crate::report) legend: Vec<(Swatch, String)>,
}

/// From here on the smaller bars could not be told apart.
const TOO_FAR_APART: f64 = 30.0;

impl Rows {
    fn drawable(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| is_drawable(row.value))
    }

    /// The smallest and the largest value.
    fn extent(&self) -> (f64, f64) {
        let values = self.rows.iter().map(|row| row.value);
        extent(values).unwrap_or((1.0, 1.0))
    }

    /// Whether bars would hide the small ones.
    pub(in crate::report) fn is_logarithmic(&self) -> bool {
        let (low, high) = self.extent();
        high / low > TOO_FAR_APART
    }
}

/// The part of the width that may stand behind a bar.
const ROOM: f64 = 0.4;

/// Where the parts of a row are: beside each other where there is room, else the
/// name in lines above the rest. No name is cut: two could become equal.
struct Layout {
    is_stacked: bool,
    left: f64,
    width: f64,
    /// From the top of a row to its bar's middle.
    middle: f64,
    each: f64,
    top: f64,
}

impl Layout {
    fn new(frame: Frame, names: &[&str], widest_value: f64) -> Self {
        let widths = names.iter().map(|name| frame.text_width(name));
        let beside = widths.fold(0.0, f64::max) + 10.0;
        let is_stacked = frame.is_narrow() || beside > 0.55 * frame.width;
        let lines = names
            .iter()
            .map(|name| frame.lines(name, frame.width).len());
        let above = (frame.font + 2.0) * lines.max().unwrap_or(1) as f64;
        let (left, middle, each) = match is_stacked {
            true => (0.0, above + 7.0, above + 20.0),
            false => (beside, 10.0, 21.0),
        };
        Layout {
            is_stacked,
            left,
            width: frame.width - left - widest_value - 10.0,
            middle,
            each,
            top: frame.font + 8.0,
        }
    }
}

impl Rows {
    /// The rows with their lines, and whether a row is the first of its name. Bars have a line
    /// each, marks of one name one together.
    fn places<'a>(&'a self) -> Vec<(usize, &'a Row, bool)> {
        let is_shared = self.is_logarithmic();
        let mut before: Option<(&str, usize)> = None;
        let place = |row: &'a Row| {
            let is_first = before.is_none_or(|(name, _)| name != row.name);
            let line = match before {
                None => 0,
                Some((_, line)) => line + usize::from(is_first || !is_shared),
            };
            before = Some((&row.name, line));
            (line, row, is_first)
        };
        self.drawable().map(place).collect()
    }

    /// What stands behind a row: its value and whose it is, if `room` is enough for that.
    fn behind(&self, frame: Frame, row: &Row, room: f64) -> String {
        let value = short(row.value);
        let whole = format!("{value}  {}", row.whose);
        match frame.text_width(&whole) <= room {
            true => whole.trim_end().to_owned(),
            false => value,
        }
    }

    /// Whether several marks stand on one line, so that their values have no room.
    fn is_crowded(&self) -> bool {
        let mut places = self.places().into_iter();
        self.is_logarithmic() && places.any(|(_, _, is_first)| !is_first)
    }

    fn axis(&self, frame: Frame, layout: &Layout, scale: Option<Log>, bottom: f64) -> Markup {
        let marks = scale.map(|scale| scale.decimal_marks(if frame.is_narrow() { 4 } else { 6 }));
        html! {
            @for (value, text) in marks.into_iter().flatten() {
                @let place = scale.map_or(0.0, |scale| scale.place(value));
                @let x = layout.left + layout.width * place;
                (rule("grid", x, layout.top, x, bottom))
                (label(x, bottom + frame.font + 2.0, "middle", "tick", &text))
            }
            (rule("frame", layout.left, layout.top, layout.left, bottom))
        }
    }

    fn row(
        &self,
        frame: Frame,
        layout: &Layout,
        scale: Option<Log>,
        (index, row, is_first): (usize, &Row, bool),
    ) -> Markup {
        let y = layout.top + layout.each * index as f64;
        let note = format!("{}: {} {}", row.whole_name(), short(row.value), self.unit);
        let middle = y + layout.middle;
        let part = match scale {
            Some(scale) => scale.place(row.value),
            None => row.value / self.extent().1,
        };
        let end = layout.left + layout.width * part;
        let beside = middle + frame.font * 0.35;
        let lines = match layout.is_stacked {
            true => frame.lines(&row.name, frame.width),
            false => vec![row.name.clone()],
        };
        // The last line is next to its bar.
        let line_y = |line: usize| {
            let below = (lines.len() - 1 - line) as f64;
            middle - 9.0 - (frame.font + 2.0) * below
        };
        let class = match row.look {
            Swatch::Series(n) => format!("mark s{}", n % palette::SERIES),
            _ => "mark published".to_owned(),
        };
        html! {
            @if is_first {
                @if layout.is_stacked {
                    @for (line, text) in lines.iter().enumerate() {
                        (label(0.0, line_y(line), "start", "name", text))
                    }
                } @else {
                    (label(layout.left - 8.0, beside, "end", "name", &row.name))
                }
            }
            @if scale.is_some() {
                @if is_first { (rule("grid", layout.left, middle, layout.left + layout.width, middle)) }
                @if !self.is_crowded() { (rule("stem", layout.left, middle, end, middle)) }
                (mark(&row.look, end, middle, 4.5, &note))
            } @else {
                rect class=(class) x=(px(layout.left)) y=(px(middle - 5.0)) width=(px((end - layout.left).max(1.0))) height="10" fill="currentColor" {
                    title { (note) }
                }
            }
            @if !self.is_crowded() {
                (label(end + 8.0, beside, "start", "value", &self.behind(frame, row, ROOM * frame.width)))
            }
        }
    }
}

impl Chart for Rows {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let room = ROOM * frame.width;
        let behind = self.drawable().map(|row| self.behind(frame, row, room));
        let widest = behind
            .map(|text| frame.text_width(&text))
            .fold(0.0, f64::max);
        let widest = if self.is_crowded() { 0.0 } else { widest };
        let names: Vec<&str> = self.drawable().map(|row| &*row.name).collect();
        let layout = Layout::new(frame, &names, widest);
        let values = self.drawable().map(|row| row.value);
        let places = self.places();
        let scale = Log::roomy(values).filter(|_| self.is_logarithmic());
        let lines = places.last().map_or(0, |place| place.0 + 1);
        let bottom = layout.top + layout.each * lines as f64 + 4.0;
        let drawn = html! {
            (label(layout.left, frame.font, "start", "axis", self.unit))
            (self.axis(frame, &layout, scale, bottom))
            @for place in places { (self.row(frame, &layout, scale, place)) }
        };
        let marks = scale.map_or(4.0, |_| frame.font + 8.0);
        (bottom + marks, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        let sample = |look: &Swatch| match look {
            Swatch::Series(n) if !self.is_logarithmic() => Swatch::Bar(*n),
            other => other.clone(),
        };
        let legend = self.legend.iter();
        legend
            .map(|(look, name)| (sample(look), name.clone()))
            .collect()
    }
}
