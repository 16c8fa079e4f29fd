//! The first reading of a file: whether each row has a number, and how large the results will be.

use super::blocks::{self, Blocks};
use super::kernels::Element;
use super::operation::Form;
use super::pieces::starts;
use super::request::{Chosen, Request};
use crate::columns::number::shown;
use crate::columns::{Block, Column, Heading, Kind, Problem, Source, Watch};
use crate::error::Result;
use crate::ranks::Ranks;

/// What is known of a file and of its results before anything is computed.
pub(super) struct Survey {
    pub(super) form: Form,
    /// The columns of results.
    pub(super) headings: Vec<Heading>,
    /// Those of the file's columns that stand before each result.
    pub(super) beside: Vec<usize>,
    /// Rows of the file,
    pub(super) read: u64,
    /// and of the results.
    pub(super) rows: u64,
    /// What divides cells, where the file is text.
    pub(super) separator: u8,
    /// The names of the columns of numbers,
    names: Vec<String>,
    /// of which this is the first.
    column: usize,
}

impl Survey {
    /// Reads a file. Err with the first row without such a number.
    pub(super) fn new<T: Element>(
        request: &Request,
        source: &Source,
        chosen: Chosen,
        ranks: &Ranks,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let refuse = |problem: String| source.refuse(Problem::Wrong(problem));
        let reader = source.read(&[])?;
        let of_file = reader.headings().to_vec();
        let is_scan = matches!(request.form, Form::Scan | Form::ScanByKey);
        // The results of an array are an array.
        let is_beside = is_scan && request.axis.is_none() && !reader.is_array();
        let beside: Vec<usize> = match is_beside {
            true => (0..of_file.len()).collect(),
            false => Vec::new(),
        };
        let copied = match (is_scan, chosen.key) {
            (true, _) => beside.clone(),
            (false, key) => key.into_iter().collect(),
        };
        let mut headings: Vec<Heading> = copied.iter().map(|&k| of_file[k].clone()).collect();
        if headings
            .iter()
            .any(|heading| heading.name == request.result)
        {
            let name = shown(&request.result);
            let other = "as the results are called, allowed is another name by --as";
            return Err(refuse(format!("has a column `{name}`, {other}")));
        }
        // Where the file says how many rows it has, and nothing depends on the rows of others, each
        // process reads its own.
        let is_of_numbers = |heading: &Heading| matches!(heading.kind, Kind::Numbers(_));
        let all = reader.rows().filter(|_| chosen.key.is_none());
        let all = all.filter(|_| of_file.iter().all(is_of_numbers));
        let own = all.map_or(0..u64::MAX, |all| blocks::rows(all, chosen.rows(), ranks));
        let mut survey = Self {
            form: request.form,
            headings: Vec::new(),
            beside,
            read: 0,
            rows: 0,
            separator: reader.separator(),
            names: of_file[chosen.column..][..chosen.width]
                .iter()
                .map(|heading| heading.name.clone())
                .collect(),
            column: chosen.column,
        };
        let mut last: Option<Column> = None;
        let mut blocks = Blocks::new(source, own, chosen.rows())?;
        while let Some(block) = blocks.next()? {
            survey.numbers::<T>(source, &block)?;
            survey.read += block.rows() as u64;
            watch.checked(survey.read);
            for (heading, k) in headings.iter_mut().zip(&copied) {
                heading.make_room(&block.columns[*k]);
            }
            if let Some(key) = chosen.key.map(|key| &block.columns[key]) {
                let goes_on = last.is_some_and(|last| last.bytes(0) == key.bytes(0));
                survey.rows += (starts(key, block.rows()).len() - usize::from(goes_on)) as u64;
                last = Some(key.pick(&[block.rows() - 1]));
            }
        }
        survey.read = all.unwrap_or(survey.read);
        if survey.read == 0 {
            return Err(refuse("has no rows, allowed are 1 and more".to_owned()));
        }
        survey.rows = match request.form {
            Form::Scan | Form::ScanByKey => survey.read,
            Form::Reduce => 1,
            Form::ReduceByKey => survey.rows,
        };
        let results = match request.axis {
            Some(_) => &survey.names[..],
            None => std::slice::from_ref(&request.result),
        };
        headings.extend(results.iter().map(|name| Heading::numbers(name, T::SCALAR)));
        Ok(Self { headings, ..survey })
    }

    /// The numbers of rows, row by row. Err with the first row without one.
    pub(super) fn numbers<T: Element>(&self, source: &Source, block: &Block) -> Result<Vec<T>> {
        let (mut columns, mut problems) = (Vec::new(), Vec::new());
        for (k, name) in self.names.iter().enumerate() {
            match block.numbers(self.column + k, &shown(name)) {
                Ok(numbers) => columns.push(numbers),
                Err(problem) => problems.push(problem),
            }
        }
        if let Some(first) = problems.into_iter().min_by_key(Problem::place) {
            return Err(source.refuse(first));
        }
        if let [_] = columns[..] {
            return Ok(columns.remove(0));
        }
        let row = |row: usize| columns.iter().map(move |column| column[row]);
        Ok((0..block.rows()).flat_map(row).collect())
    }
}
