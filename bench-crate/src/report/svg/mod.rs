//! Drawings as SVG, through the template crate, which escapes all text.
//!
//! The one chart code of all tables: [`panels`] for values over numbers, [`rows`] for named values
//! and [`heat`] for matrices. `docs/report.md` says which plotting crates were tried, and what
//! each does not do.
//!
//! A chart knows its values and draws them into a [`Frame`]; each is drawn twice,
//! wide and narrow, and the style sheet shows the one that fits. Elements that
//! carry data have the class `mark`.

pub(super) mod heat;
pub(super) mod palette;
pub(super) mod panels;
pub(super) mod rows;
pub(super) mod scale;

use maud::{Markup, html};

/// A canvas: its width in units of the drawing, and the size of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// Units of the drawing, about one pixel each.
    pub(super) width: f64,
    /// Height of the text, in those units.
    pub(super) font: f64,
}

/// For a column of a page.
pub(super) const WIDE: Frame = Frame {
    width: 640.0,
    font: 12.5,
};

/// For a telephone of 320 pixels, less its margins.
pub(super) const NARROW: Frame = Frame {
    width: 300.0,
    font: 10.5,
};

/// The width of a letter as a part of its height, in the wider ones of the fonts
/// that are likely.
const LETTER: f64 = 0.6;

/// The size of values in a drawing as a part of its text's; the style sheet has it
/// too.
const SMALLER: f64 = 0.86;

impl Frame {
    pub(super) fn is_narrow(&self) -> bool {
        self.width < 400.0
    }

    /// About the width of a text: no font is at hand.
    pub(super) fn text_width(&self, text: &str) -> f64 {
        text.chars().count() as f64 * self.font * LETTER
    }

    /// The text in lines of a width, broken at blanks, and within words that are
    /// wider than a line.
    pub(super) fn lines(&self, text: &str, width: f64) -> Vec<String> {
        let letters = ((width / (self.font * LETTER)) as usize).max(1);
        let mut lines: Vec<String> = vec![String::new()];
        for word in text.split_whitespace() {
            for part in word.chars().collect::<Vec<_>>().chunks(letters) {
                let last = lines.last().map_or(0, |line| line.chars().count());
                let room = last == 0 || last + 1 + part.len() <= letters;
                match lines.last_mut().filter(|_| room) {
                    Some(line) => {
                        line.push_str(if last == 0 { "" } else { " " });
                        line.extend(part);
                    }
                    None => lines.push(part.iter().collect()),
                }
            }
        }
        lines
    }
}

/// What can be drawn.
pub(super) trait Chart {
    /// The drawing's height in this frame, and what is in it.
    fn draw(&self, frame: Frame) -> (f64, Markup);

    /// What its marks mean, in the order of the series.
    fn legend(&self) -> Vec<(Swatch, String)>;
}

/// How a series looks, in a drawing and in its legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Swatch {
    /// Marks of a series: its number gives colour and shape.
    Series(usize),
    /// The same marks, and a line through them with a dash pattern of its own.
    Joined(usize),
    /// Marks of the scale, from 0 to 1, and of a series, whose number gives the shape.
    Scale(f64, usize),
    /// A published figure.
    Published,
    /// A line of a series.
    Line(usize),
    /// A line that belongs to no series.
    Plain,
}

/// A length or a place, to a tenth.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The mark of a series at a place: colour by class, shape by number.
pub(super) fn mark(swatch: &Swatch, x: f64, y: f64, size: f64, note: &str) -> Markup {
    let (class, shape, fill) = match swatch {
        Swatch::Series(n) | Swatch::Joined(n) => (series("mark", *n), *n, "currentColor".into()),
        Swatch::Published => ("mark published".into(), 4, "none".into()),
        // Of the shapes those that have an inside.
        Swatch::Scale(place, n) => ("mark rim".into(), n % 4, palette::scale(*place)),
        Swatch::Line(_) | Swatch::Plain => return html! {},
    };
    let place = format!("translate({} {}) scale({size})", px(x), px(y));
    html! {
        path class=(class) d=(SHAPES[shape % SHAPES.len()]) transform=(place) fill=(fill) {
            @if !note.is_empty() { title { (note) } }
        }
    }
}

/// The class of a series, which has its colour, after another.
fn series(class: &str, number: usize) -> String {
    format!("{class} s{}", number % palette::SERIES)
}

/// Dash patterns of lines through marks, by the number of the series: ours is solid.
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "8 3 2 3"];

/// A line through places.
fn line(look: &Swatch, places: impl Iterator<Item = (f64, f64)>, note: &str) -> Markup {
    let corners: Vec<String> = places
        .map(|(x, y)| format!("{} {}", px(x), px(y)))
        .collect();
    let (class, dashes) = match look {
        Swatch::Line(n) => (series("mark line", *n), "6 3"),
        Swatch::Joined(n) => (series("mark line", *n), DASHES[n % DASHES.len()]),
        _ => ("mark line plain".to_owned(), "none"),
    };
    html! {
        path class=(class) stroke-dasharray=(dashes) d={ "M" (corners.join("L")) } {
            @if !note.is_empty() { title { (note) } }
        }
    }
}

/// What stands in a legend, around a place.
pub(super) fn sample(swatch: &Swatch, x: f64, y: f64) -> Markup {
    let is_line = matches!(swatch, Swatch::Line(_) | Swatch::Plain | Swatch::Joined(_));
    html! {
        @if is_line { (line(swatch, [(x - 9.0, y), (x + 9.0, y)].into_iter(), "")) }
        (mark(swatch, x, y, 4.0, ""))
    }
}

/// Circle, square, diamond, triangle, plus and cross, of a radius of about 1.
const SHAPES: [&str; 6] = [
    "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0Z",
    "M-.9-.9H.9V.9H-.9Z",
    "M0-1.25L1.25 0L0 1.25L-1.25 0Z",
    "M0-1.2L1.1.9H-1.1Z",
    "M-1.2 0H1.2M0-1.2V1.2",
    "M-.9-.9L.9.9M-.9.9L.9-.9",
];

/// A text of a drawing. `anchor` is `start`, `middle` or `end`.
pub(super) fn label(x: f64, y: f64, anchor: &str, class: &str, text: &str) -> Markup {
    html! { text class=(class) x=(px(x)) y=(px(y)) text-anchor=(anchor) { (text) } }
}

/// A straight line from one place to another.
pub(super) fn rule(class: &str, x1: f64, y1: f64, x2: f64, y2: f64) -> Markup {
    html! { path class=(class) d={ "M" (px(x1)) " " (px(y1)) "L" (px(x2)) " " (px(y2)) } {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_wide_is_broken_at_blanks_and_within_words() {
        assert_eq!(WIDE.lines("short", 300.0), ["short"]);
        // 10 letters of 6.3 units.
        let lines = NARROW.lines("a scan of elements-without-blanks", 63.5);
        assert_eq!(lines, ["a scan of", "elements-w", "ithout-bla", "nks"]);
    }

    #[test]
    fn places_are_written_to_a_tenth() {
        assert_eq!(px(3.04), "3");
        assert_eq!(px(-0.25), "-0.2");
    }

    #[test]
    fn the_note_of_a_mark_is_escaped() {
        let drawn = mark(&Swatch::Series(0), 1.0, 1.0, 1.0, "<script>").into_string();
        assert!(drawn.contains("&lt;script&gt;") && !drawn.contains("<script>"));
    }
}
