//! A page of Markdown: what its reader sees, and its tables.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A cell of a table as a reader sees it, and what stands out in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) bold: String,
    pub(crate) link: String,
}

/// What a reader sees of a page.
#[derive(Default)]
pub(crate) struct Page {
    /// Without blocks of code and tables.
    pub(crate) prose: String,
    /// By the heading above each: its rows, the first of which is its own heading.
    pub(crate) tables: Vec<(String, Vec<Vec<Cell>>)>,
}

impl Page {
    pub(crate) fn of(markdown: &str) -> Self {
        let mut page = Page::default();
        let (mut heading, mut in_heading) = (String::new(), false);
        let (mut code, mut bold, mut cell) = (false, false, None::<Cell>);
        for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => code = true,
                Event::End(TagEnd::CodeBlock) => code = false,
                Event::Start(Tag::Heading { .. }) => (heading, in_heading) = (String::new(), true),
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                Event::Start(Tag::Table(_)) => page.tables.push((heading.clone(), Vec::new())),
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    let (_, rows) = page.tables.last_mut().expect("a row is of a table");
                    rows.push(Vec::new());
                }
                Event::Start(Tag::TableCell) => cell = Some(Cell::default()),
                Event::End(TagEnd::TableCell) => {
                    let (_, rows) = page.tables.last_mut().expect("a cell is of a table");
                    let row = rows.last_mut().expect("and of a row");
                    row.extend(cell.take());
                }
                Event::Start(Tag::Strong) => bold = true,
                Event::End(TagEnd::Strong) => bold = false,
                Event::Start(Tag::Link { dest_url, .. }) => {
                    if let Some(cell) = &mut cell {
                        cell.link = dest_url.into_string();
                    }
                }
                // A command or a value, and no claim.
                Event::Code(piece) if cell.is_none() && piece.contains(' ') => {}
                Event::Text(piece) | Event::Code(piece) if !code => match &mut cell {
                    Some(cell) => {
                        cell.text.push_str(&piece);
                        if bold {
                            cell.bold.push_str(&piece);
                        }
                    }
                    None if in_heading => heading.push_str(&piece),
                    None => page.prose.push_str(&piece),
                },
                Event::SoftBreak
                | Event::HardBreak
                | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                    page.prose.push(' ');
                }
                _ => {}
            }
        }
        page
    }

    /// The table below this heading, without its own.
    pub(crate) fn table(&self, heading: &str) -> &[Vec<Cell>] {
        let found = self.tables.iter().find(|(above, _)| above == heading);
        let (_, rows) = found.unwrap_or_else(|| panic!("no table below `{heading}`"));
        &rows[1..]
    }
}

/// The words of a text that begin as a number does.
pub(crate) fn numbers(text: &str) -> Vec<&str> {
    let words = text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| "()[],.:;\"".contains(c)));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}
