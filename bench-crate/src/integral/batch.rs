//! A file of items, `--batch`. It is read twice: to see that each row is an item, before anything is
//! computed, and to compute them, a block of rows at a time.

use super::given::Given;
use super::integrand::Integrand;
use super::items::{Items, Layout, column_names};
use super::method::Method;
use super::number::Number;
use crate::columns::{
    self, Block, Column, Heading, Problem, Reader, Source, Watch, number_of_rows,
};
use crate::error::Result;

/// The argument that names it.
pub(super) const BATCH: &str = "--batch";

/// The most items of a batch.
const MAX_ITEMS: u64 = 1 << 24;

/// Items that are computed at a time where it takes seconds.
pub(super) const ROWS: usize = 1 << 14;

/// What items are called in sentences.
const ITEMS: &str = "items";

/// A file of which each row is an item.
pub(super) struct Batch<'a, R> {
    source: &'a Source,
    layout: Layout<'a, R>,
    known: Vec<&'a str>,
    /// The columns that are passed on.
    pub(super) passed: Vec<Heading>,
    /// How many items.
    pub(super) rows: u64,
    /// What divides cells, where the file is text.
    pub(super) separator: u8,
}

impl<'a, R: Number> Batch<'a, R> {
    /// Reads a file of items. Err with the first row that is none.
    pub(super) fn new(
        source: &'a Source,
        of: &'a Integrand<R>,
        given: Given<R>,
        method: &'a Method<R>,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        Self::of_at_most(MAX_ITEMS, source, of, given, method, watch)
    }

    fn of_at_most(
        most: u64,
        source: &'a Source,
        of: &'a Integrand<R>,
        given: Given<R>,
        method: &'a Method<R>,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let refuse = |problem: String| source.refuse(Problem::Wrong(problem));
        let known = column_names(of);
        let mut reader = source.read(&known)?;
        if let Some(rows) = reader.rows().filter(|rows| !(1..=most).contains(rows)) {
            return Err(refuse(number_of_rows(&rows.to_string(), ITEMS, most)));
        }
        let headings = reader.headings();
        let layout = Layout::new(given, of, method, headings).map_err(refuse)?;
        let mut passed: Vec<Heading> = layout.passed().map(|k| headings[k].clone()).collect();
        let mut rows = 0;
        while let Some(block) = reader.block(columns::ROWS)? {
            layout
                .items(&block)
                .map_err(|problem| source.refuse(problem))?;
            rows += block.rows() as u64;
            if rows > most {
                let first = block.rows() - (rows - most) as usize;
                let problem = number_of_rows(&format!("more than {most}"), ITEMS, most);
                return Err(source.refuse(Problem::At(block.place(first), problem)));
            }
            for (heading, k) in passed.iter_mut().zip(layout.passed()) {
                heading.make_room(&block.columns[k]);
            }
            watch.checked(rows);
        }
        if rows == 0 {
            return Err(refuse(number_of_rows("no", ITEMS, most)));
        }
        let separator = reader.separator();
        Ok(Self {
            source,
            layout,
            known,
            passed,
            rows,
            separator,
        })
    }

    /// Begins to read the file again.
    pub(super) fn read(&self) -> Result<Reader<'a>> {
        self.source.read(&self.known)
    }

    /// The items of rows. Err where the file has changed, and is none of items.
    pub(super) fn items(&self, block: &Block) -> Result<Items<R>> {
        let items = self.layout.items(block);
        items.map_err(|problem| self.source.refuse(problem))
    }

    /// The columns of rows that are passed on.
    pub(super) fn passed_of<'b>(&self, block: &'b Block) -> Vec<&'b Column> {
        self.layout.passed().map(|k| &block.columns[k]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan::integrate::Options;

    fn of() -> Integrand<f64> {
        let known = super::super::catalogue::by_name(Some("genz_gaussian"));
        known.and_then(Integrand::of).expect("it is there")
    }

    /// Hears nothing.
    struct Deaf;

    impl Watch for Deaf {
        fn say(&mut self, _: &str) {}
        fn checked(&mut self, _: u64) {}
        fn progress(&mut self, _: u64, _: u64) {}
    }

    /// The items of a file with this text, and where each is; or what is wrong with it.
    fn items(text: &str, most: u64) -> std::result::Result<(Items<f64>, Vec<String>), String> {
        let said = |error: crate::Error| {
            let sentence = error.to_string();
            sentence
                .trim_start_matches("--batch standard input")
                .trim_start_matches([',', ' '])
                .to_owned()
        };
        let source = Source::open(BATCH, "-".as_ref(), &mut text.as_bytes()).map_err(said)?;
        let method = Method::Adaptive(Options::default());
        let of = of();
        let batch = Batch::of_at_most(most, &source, &of, Given::none(&of), &method, &mut Deaf);
        let batch = batch.map_err(said)?;
        let block = batch
            .read()
            .and_then(|mut reader| reader.block(ROWS))
            .map_err(said)?;
        let block = block.ok_or("no rows")?;
        let places = (0..block.rows()).map(|row| block.place(row).to_string());
        Ok((batch.items(&block).map_err(said)?, places.collect()))
    }

    #[test]
    fn lines_are_counted_as_an_editor_does_whatever_ends_them() {
        for text in [
            "a,u\n1,2\n\n\n3,x\n",
            "a,u\r\n1,2\r\n\r\n\r\n3,x\r\n",
            "\u{feff}a,u\n1,2\n\n\n3,x",
            "\n\na,u\n1,2\n3,x",
            "a , u\n 1 , 2 \n  \n\n3, x",
            "# of\na,u\n#\n1,2\n3,x",
            "#\r\na;u\r\n# a\r\n\r\n3;x\r\n",
            "a\tu\n1\t2\n\n# 3\n3\tx",
            "name,a,u\n\"two\nlines\",1,2\n# 4\n\"3\",3,x",
        ] {
            let sentence = "line 5: `x` is not a number, allowed in u are numbers, inf and -inf";
            assert_eq!(items(text, 9).err().as_deref(), Some(sentence), "{text:?}");
        }
        let (found, places) = items("u,a\n2,1\n\n4,3\r\n6,5", 9).expect("three items");
        assert_eq!(found.parameters, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(places, ["line 2", "line 4", "line 5"]);
    }

    #[test]
    fn a_line_has_as_many_fields_as_the_header() {
        for (line, count) in [("1", 1), ("1,2,", 3), ("1,2,3,4", 4)] {
            let sentence = format!("line 3: there are {count} fields, allowed are 2: a,u");
            assert_eq!(
                items(&format!("a,u\n0,0\n{line}\n"), 9).err(),
                Some(sentence)
            );
        }
        let sentence = "line 2: `` is not a number, allowed in u are numbers, inf and -inf";
        assert_eq!(items("a,u\n1,\n", 9).err().as_deref(), Some(sentence));
    }

    /// The third line has no number, and the fourth no field.
    #[test]
    fn the_first_row_that_is_wrong_is_named() {
        let found = items("a,u\n1,2\n3,x\n5\n", 9).err().unwrap_or_default();
        assert!(found.starts_with("line 3: `x` is not a number"), "{found}");
        let found = items("a,u\n1,2\n3,4\n5\n6,x\n", 9)
            .err()
            .unwrap_or_default();
        assert!(found.starts_with("line 4: there are 1 fields"), "{found}");
        // Of more than a core reads.
        let text = [
            "a,u\n",
            &"1,2\n".repeat(9000),
            "3,x\n",
            &"1,2\n".repeat(9000),
            "5\n",
        ]
        .concat();
        let found = items(&text, 20_000).err().unwrap_or_default();
        assert!(found.starts_with("line 9002: `x` is"), "{found}");
        let found = items(&text.replace('x', "4"), 20_000).err();
        let found = found.unwrap_or_default();
        assert!(found.starts_with("line 18003: there are 1"), "{found}");
    }

    #[test]
    fn a_file_has_at_most_so_many_items() {
        let of = |text: &str| items(text, 2).map(|(items, _)| items.len());
        assert_eq!(of("a,u\n1,2\n3,4\n"), Ok(2));
        let sentence = "line 4: has more than 2 items, allowed are 1 to 2";
        assert_eq!(of("a,u\n1,2\n3,4\n5,6\n").err().as_deref(), Some(sentence));
    }
}
