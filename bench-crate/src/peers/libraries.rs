//! The peers' libraries, each loaded once.

use std::path::{Path, PathBuf};
use std::result::Result;

/// Libraries that became `P`, or why one did not, in one sentence.
pub(crate) struct Libraries<P> {
    loaded: Vec<(PathBuf, Result<P, String>)>,
}

impl<P> Default for Libraries<P> {
    fn default() -> Self {
        Libraries { loaded: Vec::new() }
    }
}

impl<P> Libraries<P> {
    /// Those of these paths, in their order; `load` loads the ones that are not yet.
    pub(crate) fn of(
        &mut self,
        paths: &[PathBuf],
        load: impl Fn(&Path) -> Result<P, String>,
    ) -> Vec<&Result<P, String>> {
        for path in paths {
            if !self.loaded.iter().any(|(known, _)| known == path) {
                self.loaded.push((path.clone(), load(path)));
            }
        }
        let of = |path: &PathBuf| self.loaded.iter().find(|(known, _)| known == path);
        let found = paths.iter().filter_map(of);
        found.map(|(_, loaded)| loaded).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Libraries;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_library_is_loaded_once_and_what_cannot_be_is_a_reason() {
        let loads = std::cell::Cell::new(0);
        let load = |path: &Path| {
            loads.set(loads.get() + 1);
            match path.to_str() {
                Some("good") => Ok(loads.get()),
                _ => Err("bad".to_owned()),
            }
        };
        let mut libraries = Libraries::default();
        let paths = ["good", "none"].map(PathBuf::from);
        for _ in 0..2 {
            assert_eq!(libraries.of(&paths, load), [&Ok(1), &Err("bad".into())]);
        }
        assert_eq!(loads.get(), 2);
    }
}
