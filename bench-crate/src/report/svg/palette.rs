//! Colours. A series has a class, whose colour the style sheet decides for light
//! and dark, and a mark of its own shape; a scale has colours that people with
//! any colour vision order in the same way, and that get lighter all along.
//!
//! The scale is cividis: J. R. Nuñez, C. R. Anderton, R. S. Renslow, "Optimizing
//! colormaps with consideration for color vision deficiency", 2018.

/// Series that the style sheet has a colour for: `.s0` to `.s7`.
pub(in crate::report) const SERIES: usize = 8;

/// Cividis at ten places, evenly apart.
const STOPS: [[u8; 3]; 10] = [
    [0x00, 0x22, 0x4e],
    [0x12, 0x35, 0x70],
    [0x3b, 0x49, 0x6c],
    [0x57, 0x5d, 0x6d],
    [0x70, 0x71, 0x73],
    [0x8a, 0x86, 0x78],
    [0xa5, 0x9c, 0x74],
    [0xc3, 0xb3, 0x69],
    [0xe1, 0xcc, 0x55],
    [0xfe, 0xe8, 0x38],
];

fn mixed(place: f64) -> [f64; 3] {
    let along = place.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (along.floor() as usize).min(STOPS.len() - 2);
    let part = along - below as f64;
    [0, 1, 2].map(|channel| {
        let from = f64::from(STOPS[below][channel]);
        let to = f64::from(STOPS[below + 1][channel]);
        from + (to - from) * part
    })
}

/// The colour of the scale at a place from 0 (dark) to 1 (light).
pub(in crate::report) fn scale(place: f64) -> String {
    let [red, green, blue] = mixed(place).map(|channel| channel.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// From here on black stands out more from the scale than white does.
const BLACK_FROM: f64 = 0.468;

/// The ink that stands out more from the scale at a place: black or white.
pub(in crate::report) fn ink_on(place: f64) -> &'static str {
    if place > BLACK_FROM { "#000" } else { "#fff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance by WCAG 2.
    fn luminance(colour: [f64; 3]) -> f64 {
        let [red, green, blue] = colour.map(|channel| {
            let part = channel / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn the_scale_gets_lighter_all_along() {
        let lights: Vec<f64> = (0..=100)
            .map(|step| luminance(mixed(f64::from(step) / 100.0)))
            .collect();
        assert!(lights.is_sorted(), "{lights:?}");
        assert_eq!(scale(0.0), "#00224e");
        assert_eq!(scale(1.0), "#fee838");
    }

    #[test]
    fn text_on_the_scale_has_a_contrast_of_at_least_4_5() {
        for step in 0..=100 {
            let place = f64::from(step) / 100.0;
            let behind = luminance(mixed(place));
            let (white, black) = (1.05 / (behind + 0.05), (behind + 0.05) / 0.05);
            let contrast = match ink_on(place) {
                "#fff" => white,
                _ => black,
            };
            assert!(contrast >= 4.5, "{contrast} at {place}");
            assert_eq!(contrast, white.max(black), "at {place}");
        }
    }
}
