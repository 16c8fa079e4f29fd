//! From rustc's bitcode to PTX: what has to be said about a module of kernels
//! that rustc cannot say, in the order in which it is said.
//!
//! Everything up to [`kernels::publish`] happens once, to the whole module, and
//! before any optimisation; rustc itself runs none (see [`crate::flags`]). The
//! rest happens to each part ([`parts`]), without the kernels of the others.

mod address_space;
mod archive;
mod convergence;
mod kernels;
mod math;
mod metadata;
mod names;
mod parts;

use std::num::NonZero;
use std::thread;
use std::time::SystemTime;

use crate::built::Text;
use crate::cargo::Bitcode;
use crate::kernel_crate::Crate;
use crate::llvm::{Llvm, Machine, Module, fatal};
use crate::options::Options;
use crate::progress::{Count, Report};
use crate::store::{Key, Store};
use crate::{CudaBuilderError, NvvmArch, flags, short_locations};

use metadata::Found;
use parts::Spare;

pub(crate) use metadata::KernelMetadata;
pub(crate) use parts::Part;

/// A finished part, and its name in the store.
type Made = (Key, Text);

/// What the passes make of one part.
#[derive(Debug)]
pub(crate) struct Output {
    /// The part's name.
    pub(crate) part: String,
    pub(crate) ptx: String,
    /// What cuda_std said about each kernel, by its entry name.
    pub(crate) kernels: Vec<KernelMetadata>,
    /// The module before optimisation and before code generation, as text,
    /// where asked for.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// One build of one crate for one architecture.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'b> {
    /// What was built before, unless what is between is asked for.
    pub(crate) store: Option<&'b Store>,
    /// What is done with the PTX of each part, on many threads.
    pub(crate) finish: &'b (dyn Fn(Output) -> Result<Text, CudaBuilderError> + Sync),
    pub(crate) llvm: &'static Llvm,
    pub(crate) kernels: &'b Crate,
    pub(crate) options: &'b Options,
    pub(crate) arch: NvvmArch,
    pub(crate) report: &'b Report,
    /// When the build began.
    pub(crate) begin: SystemTime,
}

impl Passes<'_> {
    /// Turns bitcode into the PTX of each part that is asked for, `main` first; with the names
    /// and kernels of all parts that there are.
    pub(crate) fn run(self, bitcode: &Bitcode) -> Result<(Vec<Part>, Vec<Text>), CudaBuilderError> {
        let module = self.read(&bitcode.module)?;
        module.set_name(&self.kernels.identifier());
        let mut found = metadata::take(&module)?;
        if !self.options.kernels_of_dependencies {
            // The others are functions like any other from here on, and go
            // unless a kernel calls them.
            found
                .kernels
                .retain(|kernel| kernel.is_of(&self.kernels.library));
        }
        let all = parts::split(&found)?;
        metadata::select(&mut found, &self.options.only, self.options.several)?;
        self.whole(&module, &found, bitcode)?;
        let mut parts = parts::split(&found)?;
        if !self.options.only.is_empty() {
            parts.retain(|part| !part.kernels.is_empty());
            if parts.is_empty() {
                return Ok((all, Vec::new()));
            }
            parts::keep(&module, &self.machine()?, &found, &parts)?;
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let count = self.report.count(self.arch, self.begin, parts.len());
        let made = self.each(module, &found, parts, &Spare::new(threads - 1), &count)?;
        Ok((all, made.into_iter().map(|(_, text)| text).collect()))
    }

    fn read(self, bitcode: &[u8]) -> Result<Module, CudaBuilderError> {
        let name = self.kernels.identifier();
        Module::parse(self.llvm, bitcode, &name, self.options.keep_ir)
    }

    /// Makes the entries and drops what no kernel needs.
    fn whole(
        self,
        module: &Module,
        found: &Found,
        bitcode: &Bitcode,
    ) -> Result<(), CudaBuilderError> {
        let machine = self.machine()?;
        kernels::publish(module, found)?;
        machine.run(module, "globaldce")?;
        archive::link_missing(module, &bitcode.archives)?;
        kernels::publish(module, found)?;
        machine.run(module, "globaldce")?;
        address_space::refuse_thread_local(module)
    }

    /// The PTX of each of the parts in a module, halved until it holds one.
    fn each(
        self,
        module: Module,
        found: &Found,
        mut parts: Vec<Part>,
        spare: &Spare,
        count: &Count<'_>,
    ) -> Result<Vec<Made>, CudaBuilderError> {
        if parts.len() == 1 {
            let part = parts.pop().into_iter();
            let made = part.map(|part| {
                let made = self.one(&module, part)?;
                count.done(&made.1.part.name);
                Ok(made)
            });
            return made.collect();
        }
        // A context works on one thread at a time, so each half is read into its own.
        let bitcode = module.bitcode();
        drop(module);
        let stored = self
            .store
            .map(|store| (store, store.key(&bitcode, &format!("{parts:?}"))));
        if let Some((store, key)) = &stored
            && let Some(made) = store.group(key)
        {
            made.iter()
                .for_each(|(_, text)| count.done(&text.part.name));
            return Ok(made);
        }
        let made = parts::halves(parts, spare, |half| {
            let module = self.read(&bitcode)?;
            parts::keep(&module, &self.machine()?, found, &half)?;
            self.each(module, found, half, spare, count)
        })?;
        if let Some((store, key)) = &stored {
            store.keep_group(key, &made);
        }
        Ok(made)
    }

    /// The one part that a module holds, from the store where it has it.
    fn one(self, module: &Module, part: Part) -> Result<Made, CudaBuilderError> {
        let Some(store) = self.store else {
            let text = (self.finish)(self.part(module, part)?)?;
            return Ok((Key::default(), text));
        };
        names::forget_build(module);
        // As text: LLVM's bitcode holds numbers that it gave globals by names that they had.
        let key = store.key(module.print().as_bytes(), &format!("{part:?}"));
        if let Some(text) = store.part(&key) {
            return Ok((key, text));
        }
        // Read again: the order of uses in memory tells what the module was a part of, and
        // bitcode, like the text, does not.
        let module = &self.read(&module.bitcode())?;
        let text = (self.finish)(self.part(module, part)?)?;
        store.keep_part(&key, &text);
        Ok((key, text))
    }

    /// The PTX of the one part that a module holds.
    fn part(self, module: &Module, part: Part) -> Result<Output, CudaBuilderError> {
        let options = self.options;
        fatal::about(self.describe(&part));
        let machine = self.machine()?;
        address_space::assign(module)?;
        if options.mark_convergent {
            convergence::mark(module);
        } else {
            convergence::unmark(module);
        }
        math::apply(module, options);
        module.verify()?;
        let before = options.keep_ir.then(|| module.print());

        machine.run(module, flags::pipeline(options))?;
        if options.nvvm_opts && address_space::globalise_aggregate_pointers(module, &part.kernels) {
            machine.run(
                module,
                "function(infer-address-spaces,instcombine,early-cse)",
            )?;
        }
        names::settle(module);
        module.verify()?;
        let after = options.keep_ir.then(|| module.print());
        let mut ptx = machine.emit(module)?;
        if options.short_locations() {
            ptx = short_locations::shorten(&ptx);
        }
        Ok(Output {
            part: part.name,
            ptx,
            kernels: part.kernels,
            before,
            after,
        })
    }

    /// The kernels of a part in words, for what is said if LLVM gives up on them.
    fn describe(self, part: &Part) -> String {
        const NAMED: usize = 8;
        let named = part.kernels.iter().take(NAMED);
        let mut names: Vec<_> = named.map(|kernel| format!("`{}`", kernel.entry)).collect();
        if part.kernels.len() > NAMED {
            names.push(format!("{} more", part.kernels.len() - NAMED));
        }
        format!("{} ({})", names.join(", "), self.arch)
    }

    fn machine(self) -> Result<Machine, CudaBuilderError> {
        let options = self.options;
        let version = options.ptx_version.unwrap_or(self.arch.ptx_version());
        let machine = Machine::new(self.llvm, self.arch, version, options.nvvm_opts)?;
        machine.set_comments(options.emit_comments);
        Ok(machine)
    }
}
