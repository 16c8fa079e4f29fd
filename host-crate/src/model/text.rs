//! words
use super::Fit;
use super::page::Page;
pub(super) fn paragraphs(_k: Option<&Fit>, _s: Option<&Fit>, _p: &Page) -> Vec<String> {
    Vec::new()
}
