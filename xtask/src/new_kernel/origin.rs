//! The templates, and what each of them adds to which file.

use clap::ValueEnum;

use super::{File, edit};

/// What a kernel begins as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Origin {
    /// Each result from one element
    Map,
    /// One result from all elements
    Reduce,
    /// The running sums of tiles
    Scan,
    /// A function of one variable, by every rule of the catalogue
    Integrand,
}

/// The name in a template, and as a type.
const NAME: &str = "@name@";
const TYPE: &str = "@Type@";

/// Files that lines are added to.
const LIBRARY: &str = "kernels-crate/src/lib.rs";
pub(crate) const CATALOGUE: &str = "kernels-crate/src/integrate/catalogue.rs";
const CLOSED_FORMS: &str = "tests/src/integrals.rs";
const KERNELS: &str = "bench-crate/src/kernels/mod.rs";
const SUITE: &str = "tests/tests/conformance/main.rs";

/// What a kernel has of its own: the kernel or the entry of the catalogue, the launch, the
/// conformance tests.
struct Template {
    kernel: &'static str,
    host: &'static str,
    tests: &'static str,
}

macro_rules! template {
    ($origin:literal, $kernel:literal) => {
        Template {
            kernel: include_str!(concat!($origin, "/", $kernel, ".rs.template")),
            host: include_str!(concat!($origin, "/host.rs.template")),
            tests: include_str!(concat!($origin, "/conformance.rs.template")),
        }
    };
}

const MAP: Template = template!("map", "kernel");
const REDUCE: Template = template!("reduce", "kernel");
const SCAN: Template = template!("scan", "kernel");
const INTEGRAND: Template = template!("integrand", "entry");

impl Origin {
    fn template(self) -> &'static Template {
        match self {
            Origin::Map => &MAP,
            Origin::Reduce => &REDUCE,
            Origin::Scan => &SCAN,
            Origin::Integrand => &INTEGRAND,
        }
    }

    /// All files of a kernel as they are to be. Err in one sentence when a file cannot be
    /// read or has not the place for a line.
    pub(crate) fn files(
        self,
        name: &str,
        read: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Vec<File>, String> {
        let Template {
            kernel,
            host,
            tests,
        } = self.template();
        let filled = |text: &str| text.replace(NAME, name).replace(TYPE, &type_name(name));
        let file = |path: &str, text: String| File {
            path: path.to_owned(),
            text,
        };
        let mut files = if self == Origin::Integrand {
            let entry = filled(kernel);
            let end = "}\n\nformulas! {";
            let catalogue = edit::insert_before(CATALOGUE, &read(CATALOGUE)?, end, &entry)?;
            let form =
                format!("        \"{name}\" => quadscan_bench::kernels::{name}::expected(),\n");
            let mark = "        _ => return None,\n    })";
            let forms = edit::insert_before(CLOSED_FORMS, &read(CLOSED_FORMS)?, mark, &form)?;
            vec![file(CATALOGUE, catalogue), file(CLOSED_FORMS, forms)]
        } else {
            let library = edit::add_module(LIBRARY, &read(LIBRARY)?, "pub mod", name)?;
            let library = edit::add_layer(LIBRARY, &library, name)?;
            let path = format!("kernels-crate/src/{name}.rs");
            vec![file(&path, filled(kernel)), file(LIBRARY, library)]
        };
        let list = edit::add_module(KERNELS, &read(KERNELS)?, "pub mod", name)?;
        let (mark, item) = ("pub const ALL: &[Kernel] = &[", format!("{name}::KERNEL"));
        let list = edit::add_item(KERNELS, &list, mark, &item)?;
        files.push(file(
            &format!("bench-crate/src/kernels/{name}.rs"),
            filled(host),
        ));
        files.push(file(KERNELS, list));
        let suite = edit::add_module(SUITE, &read(SUITE)?, "mod", name)?;
        let own: String = functions(tests)
            .map(|function| format!("        {name}::{function},\n"))
            .collect();
        let suite = edit::insert_before(SUITE, &suite, "    ]\n    .into()\n", &own)?;
        let path = format!("tests/tests/conformance/{name}.rs");
        files.push(file(&path, filled(tests)));
        files.push(file(SUITE, suite));
        Ok(files)
    }
}

/// The tests of a module of the suite.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub(crate) fn "));
    lines.filter_map(|line| line.split('(').next())
}

/// `damped_sine` as `DampedSine`.
fn type_name(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The words of the templates that a kernel's name would hide: not those of comments and
/// texts, nor the names of methods and fields.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    let templates = [&MAP, &REDUCE, &SCAN, &INTEGRAND].into_iter();
    let texts = templates.flat_map(|of| [of.kernel, of.host, of.tests]);
    let lines = texts.flat_map(str::lines);
    let code = lines.filter_map(|line| line.split("//").next());
    code.flat_map(|line| {
        let outside = line.split('"').step_by(2);
        outside.flat_map(|text| {
            text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .scan(false, |behind_a_dot, word| {
                    let is_member = std::mem::replace(behind_a_dot, word.ends_with('.'));
                    let word =
                        word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    Some((!is_member).then_some(word))
                })
                .flatten()
        })
    })
    .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_after_the_words_of_their_integrand() {
        assert_eq!(type_name("damped_sine"), "DampedSine");
        assert_eq!(type_name("x2"), "X2");
    }

    #[test]
    fn methods_comments_and_texts_are_no_words_that_a_name_would_hide() {
        let words: Vec<&str> = words().collect();
        for word in [
            "input", "thread", "warp", "launch", "sum", "partials", "module",
        ] {
            assert!(words.contains(&word), "{word}");
        }
        for word in ["iter", "map", "Multiplies", "elements behind"] {
            assert!(!words.contains(&word), "{word}");
        }
    }

    #[test]
    fn every_template_has_tests_and_a_row() {
        for origin in Origin::value_variants() {
            let Template { host, tests, .. } = origin.template();
            assert!(functions(tests).count() >= 2, "{origin:?}");
            assert!(host.contains("pub const KERNEL: Kernel"), "{origin:?}");
        }
    }
}
