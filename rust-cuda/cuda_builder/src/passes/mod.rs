//! From rustc's bitcode to PTX: what has to be said about a module of kernels
//! that rustc cannot say, in the order in which it is said.
//!
//! Everything up to [`kernels::publish`] happens before any optimisation;
//! rustc itself runs none (see [`crate::flags`]).

mod address_space;
mod archive;
mod convergence;
mod kernels;
mod math;
mod metadata;
mod names;

use crate::builder::Options;
use crate::cargo::Bitcode;
use crate::llvm::{Llvm, Machine, Module};
use crate::{CudaBuilderError, NvvmArch, flags};

pub(crate) use metadata::KernelMetadata;

/// What the passes make of a module.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) ptx: String,
    /// What cuda_std said about each kernel, by its entry name.
    pub(crate) kernels: Vec<KernelMetadata>,
    /// The module before optimisation and before code generation, as text,
    /// where asked for.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Turns bitcode into the PTX of one architecture.
pub(crate) fn run(
    llvm: &'static Llvm,
    bitcode: &Bitcode,
    crate_name: &str,
    options: &Options,
    arch: NvvmArch,
) -> Result<Output, CudaBuilderError> {
    let module = Module::parse(llvm, &bitcode.module, crate_name)?;
    module.set_name(crate_name);
    let found = metadata::take(&module)?;

    let version = options.ptx_version.unwrap_or(arch.ptx_version());
    let machine = Machine::new(llvm, arch, version, options.nvvm_opts)?;
    machine.set_comments(options.emit_comments);

    kernels::publish(&module, &found)?;
    machine.run(&module, "globaldce")?;
    archive::link_missing(&module, &bitcode.archives)?;
    kernels::publish(&module, &found)?;
    machine.run(&module, "globaldce")?;
    address_space::assign(&module)?;
    if options.mark_convergent {
        convergence::mark(&module);
    } else {
        convergence::unmark(&module);
    }
    math::apply(&module, options);
    module.verify()?;
    let before = options.keep_ir.then(|| module.print());

    machine.run(&module, flags::pipeline(options))?;
    if options.nvvm_opts && address_space::globalise_aggregate_pointers(&module, &found.kernels) {
        machine.run(
            &module,
            "function(infer-address-spaces,instcombine,early-cse)",
        )?;
    }
    names::settle(&module);
    module.verify()?;
    let after = options.keep_ir.then(|| module.print());
    let ptx = machine.emit(&module)?;
    Ok(Output {
        ptx,
        kernels: found.kernels,
        before,
        after,
    })
}
