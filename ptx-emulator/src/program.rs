//! A loaded module: its kernels, and where its instructions come from.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ptx_syntax::{ParseError, parse};

use crate::error::{LoadError, Refusal};
use crate::exec;
use crate::lower::{
    self, Function, LoadOptions,
    layout::{self, SharedLayout},
};
use crate::observe::NamedRegister;

/// Refusals of one module that are listed.
const MOST_REFUSALS: usize = 1000;

/// Everything that `Program::load` refuses in a module, in the order of the
/// text, up to 1000: empty when it loads. A declaration that is refused ends
/// the list, because what follows may use it.
///
/// # Errors
///
/// The first place at which the text is not PTX.
pub fn refusals(ptx: &str) -> Result<Vec<Refusal>, ParseError> {
    let module = parse(ptx)?;
    Ok(lower::refusals(
        &module,
        ptx,
        MOST_REFUSALS,
        &exec::INSTRUCTIONS,
    ))
}

/// Shared memory of a block, as far as the module says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// Static, bytes.
    pub bytes: u32,
    /// Whether a launch may add dynamic shared memory: the kernel names an
    /// `.extern .shared` array.
    pub dynamic: bool,
}

/// A loaded PTX module.
#[derive(Debug)]
pub struct Program {
    pub(crate) code: Arc<lower::Code>,
    /// The numbers of the kernels' functions, by their names.
    entries: HashMap<String, usize>,
    /// Tells programs apart in a GPU's memory.
    pub(crate) id: u64,
}

fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A program of the same code, whose variables are its own.
impl Clone for Program {
    fn clone(&self) -> Self {
        Self {
            code: Arc::clone(&self.code),
            entries: self.entries.clone(),
            id: new_id(),
        }
    }
}

/// What each instruction does with registers: found out from the texts when it is first asked.
pub(crate) fn uses(code: &lower::Code) -> &[lower::Uses] {
    code.uses.get_or_init(|| {
        let texts = code.sources.iter().map(|source| source.text.as_str());
        let modules = texts.filter_map(|text| Some((parse(text).ok()?, text)));
        lower::uses(&modules.collect::<Vec<_>>(), &exec::INSTRUCTIONS)
    })
}

fn is_kernel(function: &Function) -> bool {
    function.entry && function.defined
}

impl Program {
    /// Parses and decodes a module: afterwards, all of it can run.
    ///
    /// # Errors
    ///
    /// `LoadError::Parse` when the text is not PTX, `LoadError::Refused` for
    /// the first instruction, modifier or name that is not supported.
    pub fn load(ptx: &str) -> Result<Program, LoadError> {
        Program::load_with(ptx, &LoadOptions::default())
    }

    /// As `load`, with options.
    ///
    /// # Errors
    ///
    /// As `load`.
    pub fn load_with(ptx: &str, options: &LoadOptions) -> Result<Program, LoadError> {
        Program::link(&[ptx], options).map_err(|(_, error)| error)
    }

    /// Loads several modules as one program: what one declares `.extern`, another defines. Names
    /// without a linkage are their own module's. What is `.weak` may be defined in one of them.
    ///
    /// # Errors
    ///
    /// As `load`, and the index of the text that is to blame.
    pub fn link(texts: &[&str], options: &LoadOptions) -> Result<Program, (usize, LoadError)> {
        let modules = texts.iter().enumerate().map(|(index, text)| {
            let module = parse(text).map_err(|error| (index, error.into()))?;
            Ok((module, *text))
        });
        let modules: Vec<_> = modules.collect::<Result<_, (usize, LoadError)>>()?;
        let code = lower::lower(&modules, options, &exec::INSTRUCTIONS)?;
        let functions = code.functions.iter().enumerate();
        let kernels = functions.filter(|(_, function)| is_kernel(function));
        Ok(Program {
            entries: kernels.map(|(n, f)| (f.name.clone(), n)).collect(),
            code: Arc::new(code),
            id: new_id(),
        })
    }

    /// The names of the kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let kernels = self.code.functions.iter().filter(|f| is_kernel(f));
        kernels.map(|f| f.name.as_str())
    }

    /// The number of a kernel's function.
    pub(crate) fn entry(&self, kernel: &str) -> Option<usize> {
        self.entries.get(kernel).copied()
    }

    /// Where a kernel's shared variables lie; `None` when 4 GiB are too few.
    pub(crate) fn layout(&self, kernel: usize) -> Option<SharedLayout> {
        layout::shared(&self.code.functions, &self.code.variables, kernel as u32)
    }

    /// The sizes in bytes of a kernel's parameters; `None` when there is no
    /// such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let function = &self.code.functions[self.entry(kernel)?];
        Some(function.parameters.iter().map(|f| f.bytes).collect())
    }

    /// The shared memory of a kernel and of what it calls; `None` when there
    /// is no such kernel, or 4 GiB are too few.
    pub fn shared(&self, kernel: &str) -> Option<SharedMemory> {
        let code = &self.code;
        let layout = self.layout(self.entry(kernel)?)?;
        let is_dynamic = |&(variable, _): &(u32, u32)| {
            let placed = code.variables.get(variable as usize);
            placed.is_some_and(|placed| placed.dynamic)
        };
        Some(SharedMemory {
            bytes: layout.fixed,
            dynamic: layout.places.iter().any(is_dynamic),
        })
    }

    /// `file:line` of the source of an instruction, when the PTX has `.loc`:
    /// the innermost one, which may be in a library.
    pub fn source(&self, pc: u32) -> Option<String> {
        self.code.source_stack(pc).into_iter().next()
    }

    /// `file:line` of an instruction and of the calls that it was inlined by,
    /// the innermost first; empty when the PTX has no `.loc`.
    pub fn source_stack(&self, pc: u32) -> Vec<String> {
        self.code.source_stack(pc)
    }

    /// The line of `source_stack` that the kernel's author wrote: the
    /// innermost one in the source folder (up to `src/`) of the outermost
    /// one, so neither the toolchain's library nor another crate's wrapper.
    pub fn authors_line(&self, pc: u32) -> Option<String> {
        self.code.authors_line(pc)
    }

    /// The PTX text of an instruction.
    pub fn statement(&self, pc: u32) -> String {
        self.code.statement(pc)
    }

    /// The registers that an instruction writes, as the text names them.
    pub fn written(&self, pc: u32) -> &[NamedRegister] {
        let uses = uses(&self.code).get(pc as usize);
        uses.map_or(&[], |uses| &uses.written)
    }

    /// The kernel or function that an instruction stands in; empty when there
    /// is no such instruction.
    pub fn function(&self, pc: u32) -> &str {
        self.code.function_of(pc)
    }

    /// The line in the PTX text of an instruction; 0 when there is none.
    pub fn line(&self, pc: u32) -> u32 {
        self.code.line(pc)
    }
}
