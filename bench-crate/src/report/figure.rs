//! A figure: a drawing with its alternative text, caption, legend and data as a table, in the page
//! or in a file of its own.

use maud::{Markup, PreEscaped, html};

use super::svg::{self, Chart, Frame, NARROW, Swatch, WIDE, label, px};
use crate::export::Grid;

/// A table in a box that scrolls by itself. `name` says what it is.
pub(super) fn table(grid: &Grid, name: &str) -> Markup {
    let is_of_text = |column: usize| grid.rows.iter().all(|row| is_text(&row[column]));
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr { @for (index, name) in grid.header.iter().enumerate() {
                    th.text[is_of_text(index)] scope="col" { (name) }
                } } }
                tbody {
                    @for row in &grid.rows { tr { @for cell in row { td.text[is_text(cell)] { (cell) } } } }
                }
            }
        }
    }
}

/// Whether a cell is no number: it stands to the left then.
fn is_text(cell: &str) -> bool {
    cell.trim_end_matches(" %").parse::<f64>().is_err()
}

/// A figure.
pub(super) struct Figure {
    /// The name of its file, where it may stand alone; else empty.
    pub(super) file: &'static str,
    /// What it is, as its heading and the drawing's title.
    pub(super) title: String,
    /// What it shows, in words, for those who do not see it.
    pub(super) alt: String,
    /// What to see in it.
    pub(super) caption: String,
    /// The drawing.
    pub(super) chart: Box<dyn Chart>,
    /// What is drawn, in numbers.
    pub(super) data: Grid,
}

/// What a drawing that stands alone needs of a style sheet.
const STYLE: &str = include_str!("chart.css");

/// Around a drawing that stands alone.
const MARGIN: f64 = 12.0;

impl Figure {
    /// The figure as a part of the page; `id` is its own.
    pub(super) fn html(&self, id: &str) -> Markup {
        html! {
            figure id=(id) {
                h4 { (self.title) }
                (legend(&self.chart.legend()))
                (self.drawing(id, "wide", WIDE))
                (self.drawing(id, "narrow", NARROW))
                figcaption { (self.caption) }
                details {
                    summary { "Data: " (self.title) }
                    (table(&self.data, &self.title))
                }
            }
        }
    }

    /// The figure as a file: an SVG with its own colours for light and dark, and with words on
    /// where it is from.
    pub(super) fn alone(&self, origin: &str) -> String {
        let inner = Frame {
            width: WIDE.width - 2.0 * MARGIN,
            ..WIDE
        };
        let (legend, from) = self.legend_alone(inner);
        let (height, content) = self.chart.draw(inner);
        let lines = inner.lines(&format!("{} {origin}", self.caption), inner.width);
        let below = from + height + inner.font;
        let line = inner.font * 1.35;
        let whole = below + line * lines.len() as f64 + 2.0 * MARGIN;
        let drawn = html! {
            svg xmlns="http://www.w3.org/2000/svg" class="alone" viewBox={ "0 0 " (px(WIDE.width)) " " (px(whole)) } width=(px(WIDE.width)) height=(px(whole)) role="img" aria-labelledby="title" aria-describedby="text" font-size=(px(inner.font)) {
                title id="title" { (self.title) }
                desc id="text" { (self.alt) }
                style { (PreEscaped(STYLE)) }
                rect class="paper" width=(px(WIDE.width)) height=(px(whole)) {}
                g transform={ "translate(" (px(MARGIN)) " " (px(MARGIN)) ")" } {
                    (label(0.0, inner.font, "start", "title", &self.title))
                    (legend)
                    g transform={ "translate(0 " (px(from)) ")" } { (content) }
                    @for (index, text) in lines.iter().enumerate() {
                        (label(0.0, below + line * index as f64, "start", "tick", text))
                    }
                }
            }
        };
        format!("{}\n", drawn.into_string())
    }

    /// The legend as a part of the drawing, and where it ends.
    fn legend_alone(&self, frame: Frame) -> (Markup, f64) {
        let (row, mut x, mut y) = (1.5 * frame.font, 0.0, 2.7 * frame.font);
        let mut placed = Vec::new();
        for (swatch, name) in self.chart.legend() {
            let width = 24.0 + frame.text_width(&name);
            if x > 0.0 && x + width > frame.width {
                (x, y) = (0.0, y + row);
            }
            placed.push((x, y, swatch, name));
            x += width + 14.0;
        }
        let end = if placed.is_empty() {
            row
        } else {
            y + 0.6 * row
        };
        let drawn = html! {
            @for (x, y, swatch, name) in &placed {
                (svg::sample(swatch, x + 10.0, y - 0.35 * frame.font))
                (label(x + 24.0, *y, "start", "key", name))
            }
        };
        (drawn, end)
    }

    /// One of the two drawings; the style sheet shows the one that fits.
    fn drawing(&self, id: &str, class: &str, frame: Frame) -> Markup {
        let (height, content) = self.chart.draw(frame);
        let title = format!("{id}-{class}-title");
        let text = format!("{id}-{class}-text");
        html! {
            svg class=(class) viewBox={ "0 0 " (px(frame.width)) " " (px(height)) } role="img" aria-labelledby=(title) aria-describedby=(text) font-size=(px(frame.font)) {
                title id=(title) { (self.title) }
                desc id=(text) { (self.alt) }
                (content)
            }
        }
    }
}

/// What the marks mean: text that wraps, and so no part of the drawing.
fn legend(entries: &[(Swatch, String)]) -> Markup {
    html! {
        @if !entries.is_empty() {
            ul class="legend" {
                @for (swatch, name) in entries {
                    li {
                        svg class="swatch" viewBox="0 0 20 12" aria-hidden="true" { (svg::sample(swatch, 10.0, 6.0)) }
                        (name)
                    }
                }
            }
        }
    }
}
