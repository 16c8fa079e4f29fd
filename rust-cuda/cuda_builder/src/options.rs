//! The options that decide the code.

/// How much about the source the PTX tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DebugInfo {
    /// What [`CudaBuilder::generate_line_info`](crate::CudaBuilder::generate_line_info) says.
    #[default]
    None,
    /// The file and line of each instruction, and the functions that it was
    /// inlined from in the words of the PTX ISA (`function_name`, `inlined_at`),
    /// names included, which `nvdisasm -gi` shows; twice as many bytes of PTX.
    LineTables,
    /// Types and variables too, for an emulator alone: LLVM then writes `.target ..., debug`,
    /// which `ptxas` does not accept in optimised code. The instructions are the same. A warning
    /// says so, except with [`crate::CudaBuilder::for_emulators`].
    Full,
}

/// What can be written beside the PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmitOption {
    /// [`CudaBuilder::emit_llvm_ir`](crate::CudaBuilder::emit_llvm_ir)
    LlvmIr,
    /// [`CudaBuilder::emit_llvm_bitcode`](crate::CudaBuilder::emit_llvm_bitcode)
    Bitcode,
}

/// The options that decide the code.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) release: bool,
    pub(crate) nvvm_opts: bool,
    pub(crate) generate_line_info: bool,
    pub(crate) debug: DebugInfo,
    pub(crate) ftz: bool,
    pub(crate) fast_sqrt: bool,
    pub(crate) fast_div: bool,
    pub(crate) fma_contraction: bool,
    pub(crate) emit_comments: bool,
    pub(crate) ptx_version: Option<(u32, u32)>,
    pub(crate) build_args: Vec<String>,
    pub(crate) mark_convergent: bool,
    pub(crate) kernels_of_dependencies: bool,
    /// Names of kernels; none where everything is built.
    pub(crate) only: Vec<String>,
    pub(crate) keep_ir: bool,
    /// Whether a name may stand for kernels of another architecture alone.
    pub(crate) several: bool,
}

impl Options {
    /// In words, without what decides only which kernels there are.
    pub(crate) fn of_code(&self) -> String {
        let options = Options {
            only: Vec::new(),
            keep_ir: false,
            several: false,
            ..self.clone()
        };
        format!("{options:?}")
    }
}
