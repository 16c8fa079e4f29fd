//! A screenshot, and what can be counted in it.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use libtest_mimic::Failed;

/// Pixels of red, green and blue.
pub(crate) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn read(path: &Path) -> Result<Self, Failed> {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let size = reader.output_buffer_size().ok_or("a picture too large")?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes)?;
        let samples = info.color_type.samples();
        if samples < 3 {
            return Err("a picture without colours".into());
        }
        let pixels = bytes[..info.buffer_size()]
            .chunks_exact(samples)
            .map(|pixel| [pixel[0], pixel[1], pixel[2]])
            .collect();
        Ok(Picture {
            width: info.width as usize,
            height: info.height as usize,
            pixels,
        })
    }

    /// From 0, black, to 1, white; 0 outside of the picture.
    pub(crate) fn luminance(&self, x: usize, y: usize) -> f64 {
        let pixel = self.pixels.get(y * self.width + x);
        pixel.map_or(0.0, |&[red, green, blue]| {
            (0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)) / 255.0
        })
    }

    /// Different colours in a box, as far as it is in the picture.
    pub(crate) fn colours(&self, x: f64, y: f64, width: f64, height: f64) -> usize {
        let clip = |value: f64, most: usize| (value.max(0.0) as usize).min(most);
        let (left, right) = (clip(x, self.width), clip(x + width, self.width));
        let (top, bottom) = (clip(y, self.height), clip(y + height, self.height));
        let rows = (top..bottom).flat_map(|y| &self.pixels[y * self.width..][left..right]);
        rows.collect::<HashSet<_>>().len()
    }
}
