//! Upright bars from 0, in panels one above the other with one scale.

use maud::{Markup, html};

use super::scale::linear_marks;
use super::{Chart, Frame, SMALLER, Swatch, label, palette, px, rule};

/// Bars beside each other.
pub(in crate::report) struct Panel {
    pub(in crate::report) title: String,
    /// The series that gives it its colour.
    pub(in crate::report) series: usize,
    /// The name under each bar, its height, and what it says when pointed at.
    pub(in crate::report) bars: Vec<(String, f64, String)>,
}

/// Panels with one scale.
pub(in crate::report) struct Bars {
    pub(in crate::report) panels: Vec<Panel>,
}

impl Bars {
    fn highest(&self) -> f64 {
        let bars = self.panels.iter().flat_map(|panel| &panel.bars);
        bars.map(|bar| bar.1).fold(0.0, f64::max)
    }

    /// Whether there is a bar of any height.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.highest() <= 0.0
    }

    fn panel(&self, frame: Frame, top: f64, tall: f64, panel: &Panel) -> Markup {
        let highest = self.highest();
        let left = frame.font * 2.2;
        let width = frame.width - left - 2.0;
        let base = top + 2.0 * frame.font + 12.0 + tall;
        let band = width / panel.bars.len().max(1) as f64;
        let gap = (band * 0.2).min(6.0);
        let every = panel.bars.iter().map(|bar| frame.text_width(&bar.0) + 3.0);
        let stride = (every.fold(0.0, f64::max) / band).ceil().max(1.0) as usize;
        html! {
            (label(0.0, top + frame.font, "start", "axis", &frame.fit(&panel.title, frame.width)))
            @for value in linear_marks(highest, 3) {
                @let y = base - tall * value / highest;
                (rule("grid", left, y, left + width, y))
                (label(left - 4.0, y + frame.font * 0.35, "end", "tick", &value.to_string()))
            }
            @for (index, (name, value, note)) in panel.bars.iter().enumerate() {
                @let height = tall * value.max(0.0) / highest;
                @let x = left + band * index as f64 + gap / 2.0;
                rect class={ "mark s" (panel.series % palette::SERIES) } x=(px(x)) y=(px(base - height)) width=(px(band - gap)) height=(px(height)) fill="currentColor" {
                    title { (note) }
                }
                @if frame.text_width(&value.to_string()) * SMALLER <= band {
                    (label(x + (band - gap) / 2.0, base - height - 2.5, "middle", "value", &value.to_string()))
                }
                @if index % stride == 0 {
                    (label(x + (band - gap) / 2.0, base + frame.font, "middle", "tick", name))
                }
            }
        }
    }
}

impl Chart for Bars {
    fn draw(&self, frame: Frame) -> (f64, Markup) {
        let tall = if frame.is_narrow() { 70.0 } else { 100.0 };
        let each = tall + 3.0 * frame.font + 26.0;
        let drawn = html! {
            @for (index, panel) in self.panels.iter().enumerate() {
                (self.panel(frame, each * index as f64, tall, panel))
            }
        };
        (each * self.panels.len() as f64, drawn)
    }

    fn legend(&self) -> Vec<(Swatch, String)> {
        Vec::new()
    }
}
