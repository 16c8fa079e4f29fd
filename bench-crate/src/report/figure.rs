//! A figure of the page: a drawing with its alternative text, caption, legend and data as a
//! table; or the sentence that stands where there is nothing to draw.

use maud::{Markup, html};

use super::svg::{self, Chart, Frame, NARROW, Swatch, WIDE, px};
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
    /// What it is, as its heading and the drawing's title.
    pub(super) title: String,
    /// What it shows, in words, for those who do not see it.
    pub(super) alt: String,
    /// What to know when looking at it.
    pub(super) caption: String,
    /// The drawing, or why there is none.
    pub(super) body: Result<Box<dyn Chart>, String>,
    /// What is drawn, in numbers.
    pub(super) data: Grid,
}

impl Figure {
    /// A sentence in a figure's place.
    pub(super) fn absent(title: impl Into<String>, reason: impl Into<String>) -> Self {
        Figure {
            title: title.into(),
            alt: String::new(),
            caption: String::new(),
            body: Err(reason.into()),
            data: Grid::default(),
        }
    }

    /// The figure as a part of the page; `id` is its own.
    pub(super) fn html(&self, id: &str) -> Markup {
        match &self.body {
            Ok(chart) => self.drawn(id, chart.as_ref()),
            Err(reason) => html! {
                div class="absent" id=(id) { h4 { (self.title) } p { (reason) } }
            },
        }
    }

    fn drawn(&self, id: &str, chart: &dyn Chart) -> Markup {
        html! {
            figure id=(id) {
                h4 { (self.title) }
                (legend(&chart.legend()))
                (self.drawing(id, "wide", WIDE, chart))
                (self.drawing(id, "narrow", NARROW, chart))
                figcaption { (self.caption) }
                details {
                    summary { "Data: " (self.title) }
                    (table(&self.data, &self.title))
                }
            }
        }
    }

    /// One of the two drawings; the style sheet shows the one that fits.
    fn drawing(&self, id: &str, class: &str, frame: Frame, chart: &dyn Chart) -> Markup {
        let (height, content) = chart.draw(frame);
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
                        svg class="swatch" viewBox="0 0 20 12" aria-hidden="true" { (svg::mark(swatch, 10.0, 6.0, 4.0, "")) }
                        (name)
                    }
                }
            }
        }
    }
}
