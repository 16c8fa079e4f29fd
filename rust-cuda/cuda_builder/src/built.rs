//! One module as far as it is built: its parts, those that are there, and what the lints find
//! in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::lint::{Finding, Levels, LintLevel};
use crate::manifest::{Kernel, MAIN, Module, Part};
use crate::{CudaBuilderError, names};

/// A module, and what the lints find in its parts, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    pub(crate) module: Module,
    findings: BTreeMap<String, Vec<Finding>>,
}

/// A part with its PTX.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) part: Part,
    pub(crate) findings: Vec<Finding>,
    pub(crate) ptx: String,
    /// The module before optimisation and before code generation, as text,
    /// where asked for.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl Built {
    /// Makes what the PTX says known, and takes the parts that it lacks from an earlier build.
    pub(crate) fn new(mut module: Module, texts: &[Text], before: Option<&Built>) -> Self {
        let mut findings = BTreeMap::new();
        for part in &mut module.parts {
            if let Some(text) = texts.iter().find(|text| text.part.name == part.name) {
                part.sha256.clone_from(&text.part.sha256);
                for kernel in &mut part.kernels {
                    let mut compiled = text.part.kernels.iter();
                    let compiled = compiled.find(|compiled| compiled.entry == kernel.entry);
                    kernel.compiled = compiled.and_then(|kernel| kernel.compiled.clone());
                }
                findings.insert(part.name.clone(), text.findings.clone());
            } else if let Some(before) = before
                && let Some(kept) = before
                    .module
                    .parts
                    .iter()
                    .find(|kept| kept.name == part.name)
            {
                part.clone_from(kept);
                if let Some(kept) = before.findings.get(&part.name) {
                    findings.insert(part.name.clone(), kept.clone());
                }
            }
        }
        Built { module, findings }
    }

    /// Takes the parts with such a file for not built.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        for part in &mut self.module.parts {
            if part.sha256.is_some() && is_gone(&part.file) {
                part.sha256 = None;
                for kernel in &mut part.kernels {
                    kernel.compiled = None;
                }
            }
        }
    }

    /// The names of entries and parts among `only` that are not there; all parts count where
    /// none is named. A name of nothing is an error, unless it may be another architecture's.
    pub(crate) fn lacking(
        &self,
        only: &[String],
        several: bool,
    ) -> Result<Vec<String>, CudaBuilderError> {
        let parts = &self.module.parts;
        if only.is_empty() {
            let lacking = parts.iter().filter(|part| !part.is_complete());
            return Ok(lacking.map(|part| part.name.clone()).collect());
        }
        let is_there = |entry: &str| {
            let kernel = self.module.kernel(entry);
            kernel.is_some_and(|kernel| kernel.compiled.is_some())
        };
        let mut lacking = Vec::new();
        for name in only {
            match names::entries(name, parts) {
                Ok(entries) if entries.iter().all(|entry| is_there(entry)) => {}
                Ok(_) => lacking.push(name.clone()),
                Err(_) if several => {}
                Err(unknown) => return Err(unknown.into()),
            }
        }
        Ok(lacking)
    }

    /// The parts that these names stand for, all where there is none.
    pub(crate) fn asked<'b>(&'b self, only: &'b [String]) -> impl Iterator<Item = &'b Part> {
        let parts = &self.module.parts;
        // Names of nothing were refused.
        let asked = only
            .iter()
            .filter_map(|name| names::entries(name, parts).ok());
        let asked: BTreeSet<&str> = asked.flatten().collect();
        let is_asked = move |kernel: &Kernel| asked.contains(kernel.entry.as_str());
        let is_any = move |part: &&Part| only.is_empty() || part.kernels.iter().any(&is_asked);
        parts.iter().filter(is_any)
    }

    /// The findings of the parts that were asked for, each with where it is: `sm_90`, or
    /// `sm_90, part scans`.
    fn findings<'b>(
        &'b self,
        only: &'b [String],
    ) -> impl Iterator<Item = (&'b str, String, &'b Finding)> {
        self.asked(only).flat_map(|part| {
            let place = match part.name.as_str() {
                MAIN => self.module.arch.clone(),
                name => format!("{}, part {name}", self.module.arch),
            };
            let findings = self.findings.get(&part.name).into_iter().flatten();
            findings.map(move |finding| (part.name.as_str(), place.clone(), finding))
        })
    }
}

/// Err for a name that stands for a kernel of no architecture.
pub(crate) fn expect_names(built: &[Built], only: &[String]) -> Result<(), CudaBuilderError> {
    let parts = || built.iter().flat_map(|built| &built.module.parts);
    for name in only {
        names::entries(name, parts())?;
    }
    Ok(())
}

/// Does with the findings what the levels say; warnings are added to `warnings`.
pub(crate) fn judge(
    built: &[Built],
    only: &[String],
    levels: &Levels,
    warnings: &mut Vec<String>,
) -> Result<(), CudaBuilderError> {
    let mut denied = Vec::new();
    for (part, place, finding) in built.iter().flat_map(|built| built.findings(only)) {
        let line = format!("{place}: {finding}");
        match levels.get(part, finding.lint) {
            LintLevel::Allow => {}
            LintLevel::Warn => warnings.push(line),
            LintLevel::Deny => denied.push(line),
        }
    }
    if denied.is_empty() {
        return Ok(());
    }
    Err(CudaBuilderError::Lints(denied.join("\n")))
}
