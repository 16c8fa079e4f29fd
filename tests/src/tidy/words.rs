//! The words that are not said any more, in names, comments, messages and docs.
//!
//! The table stands in CONTRIBUTING.md, below [`HEAD`], so that who reads it reads the rule: what
//! not to say, what to say, and where the old word is right. A form of plain words is found however
//! it is written (`look-out` is `look_out`, `LookOut` and "look out" too); one that begins with `-`,
//! or has a `_` or a `:`, as it stands.

use super::{File, Finding};

/// The heading above the table.
const HEAD: &str = "## Words";

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What not to say, in one or several forms,
    not: Vec<String>,
    /// and what to say.
    but: String,
    /// Where it is right: files whose paths begin so, and longer texts that contain it.
    except: Vec<String>,
}

impl Word {
    /// Its first form, by which a list names it.
    pub fn name(&self) -> &str {
        self.not.first().map_or("", String::as_str)
    }

    /// Where a text says it.
    pub fn said(&self, Text { file, words }: &Text<'_>) -> Vec<Finding> {
        let (paths, texts): (Vec<&String>, Vec<&String>) =
            self.except.iter().partition(|except| except.contains('/'));
        let is_excepted = paths.iter().any(|path| file.path.starts_with(*path));
        // Most files do not say it, which is quick to see of the whole text.
        let may_say = self.not.iter().any(|not| is_in(not, &file.text, words));
        if is_of_others(&file.path) || is_excepted || !may_say {
            return Vec::new();
        }
        let finding = |(number, line): (usize, &str)| {
            let own = own_words(file, line);
            let line = texts
                .iter()
                .fold(own, |line, text| line.replace(*text, "."));
            let words = split(&line);
            let not = self.not.iter().find(|not| is_in(not, &line, &words))?;
            let message = format!("`{not}`: say {} (CONTRIBUTING.md, Words)", self.but);
            Some(file.finding(number + 1, message))
        };
        file.text.lines().enumerate().filter_map(finding).collect()
    }
}

/// A line without the words that it is about: in the table all, and in the changelog code, which
/// may be what something was called before.
fn own_words(file: &File, line: &str) -> String {
    match file.path.as_str() {
        "CONTRIBUTING.md" if line.starts_with("| `") => String::new(),
        "CHANGELOG.md" => line.split('`').step_by(2).collect(),
        _ => line.to_owned(),
    }
}

/// A file, and its words.
#[derive(Debug)]
pub struct Text<'f> {
    file: &'f File,
    words: String,
}

impl<'f> Text<'f> {
    /// Of a file.
    pub fn of(file: &'f File) -> Self {
        Text {
            file,
            words: split(&file.text),
        }
    }
}

/// Whether a text of these words says one in this form.
fn is_in(form: &str, text: &str, words: &str) -> bool {
    match form.starts_with('-') || form.contains(['_', ':']) {
        true => text.contains(form),
        false => words.contains(&split(form)),
    }
}

/// Whether the words of a file are not the project's of today: what was recorded, what others
/// wrote, and what is about these words.
fn is_of_others(path: &str) -> bool {
    const PATHS: &[&str] = &[
        "docs/records/",
        "tests/fixtures/",
        "tests/src/tidy/words.rs",
        "tests/tests/tidy.rs",
    ];
    let is = |start: &&str| path.starts_with(*start);
    PATHS.iter().any(is) || path.contains("LICENSE") || path.ends_with("Cargo.lock")
}

/// The words of a text in lower case, each between two spaces: of names those that they are made
/// of.
fn split(text: &str) -> String {
    let mut found = String::from(" ");
    let mut before = ' ';
    for c in text.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            found.push(' ');
        }
        if c.is_alphanumeric() {
            found.extend(c.to_lowercase());
        } else if !found.ends_with(' ') {
            found.push(' ');
        }
        before = c;
    }
    if !found.ends_with(' ') {
        found.push(' ');
    }
    found
}

/// The table of CONTRIBUTING.md.
pub fn words(contributing: &str) -> Vec<Word> {
    let section = contributing.split_once(HEAD).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let quoted = |cell: &str| {
        let pieces = cell.split('`').skip(1).step_by(2);
        pieces.map(str::to_owned).collect::<Vec<_>>()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        Some(Word {
            not: quoted(cells.get(1)?),
            but: cells.get(2)?.trim().to_owned(),
            except: quoted(cells.get(3)?),
        })
    };
    rows.filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# A\n\n## Words\n\n| not | but | right |\n| --- | --- | --- |\n\
        | `look-out` | lookahead warp | `p/`: its word; `look-outs of ships` |\n\
        | `befores`, `--all-before`, `before_all` | exclusive prefixes | |\n\n## More\n\n| `warp` | x | |\n";

    #[test]
    fn a_word_is_found_however_it_is_written() {
        let table = words(TABLE);
        assert_eq!(table.len(), 2);
        let said = |path: &str, text: &str| table[0].said(&Text::of(&File::new(path, text))).len();
        for text in ["a look-out", "fn look_out() {}", "LookOut", "a Look\tout."] {
            assert_eq!(said("a.rs", text), 1, "{text}");
        }
        for text in ["outlook", "look outside", "overlook out", "look; fly out"] {
            assert_eq!(said("a.rs", text), 0, "{text}");
        }
        let said = |text: &str| table[1].said(&Text::of(&File::new("a.rs", text))).len();
        assert_eq!([said("--all-before"), said("fn is_before_all()")], [1, 1]);
        assert_eq!([said("all before"), said("before all")], [0, 0]);
        let found = table[1].said(&Text::of(&File::new("a.md", "a\nthe befores")));
        let expected = "a.md:2: `befores`: say exclusive prefixes (CONTRIBUTING.md, Words)";
        assert_eq!(found[0].to_string(), expected);
    }

    #[test]
    fn where_it_is_right_nothing_is_found() {
        let word = &words(TABLE)[0];
        for (path, text) in [
            ("p/a.rs", "a look-out"),
            ("a.md", "the look-outs of ships"),
            ("docs/records/a.md", "a look-out"),
            ("CHANGELOG.md", "- `look_out` is `lookahead` now"),
        ] {
            assert_eq!(
                word.said(&Text::of(&File::new(path, text))),
                [],
                "{path}: {text}"
            );
        }
        let both = File::new("a.md", "the look-outs of ships have a look-out");
        assert_eq!(word.said(&Text::of(&both)).len(), 1);
        let changed = File::new("CHANGELOG.md", "- The look-out waits less.");
        assert_eq!(word.said(&Text::of(&changed)).len(), 1);
    }
}
