//! Instructions by what executes them, of PTX and of the machine code (SASS).
//!
//! The opcodes are those of NVIDIA's "PTX ISA" 9.0 and of "CUDA Binary Utilities",
//! section "Instruction Set Reference", for Turing to Blackwell (read 2026-11). One that is
//! in neither list is [`Class::Other`], never an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident $name:literal;)*) => {
        /// What executes an instruction, or where its memory is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// Every class, in the order in which tables show them.
            pub const ALL: [Class; [$($name),*].len()] = [$(Class::$class),*];

            /// The name in tables.
            pub fn name(self) -> &'static str {
                match self {
                    $(Class::$class => $name,)*
                }
            }
        }
    };
}

classes! {
    /// Arithmetic and comparisons of f64.
    Fp64 "fp64";
    /// Arithmetic and comparisons of f32.
    Fp32 "fp32";
    /// Arithmetic and comparisons of f16 and bf16, two at a time too.
    Fp16 "fp16";
    /// Arithmetic, logic and comparisons of integers, addresses and predicates.
    Int "int";
    /// Accesses to global memory, atomic and bulk ones too.
    Global "global memory";
    /// Accesses to shared memory.
    Shared "shared memory";
    /// Accesses to a thread's own memory: arrays and spilled registers.
    Local "local memory";
    /// Loads of constants and parameters.
    Constant "constants and parameters";
    /// Accesses by addresses whose space only the hardware finds out.
    Generic "generic memory";
    /// Branches, calls, reconvergence, traps and sleeping.
    Control "control";
    /// Barriers, fences and waits for copies.
    Barrier "barriers and fences";
    /// Shuffles, votes and other exchanges within a warp.
    Warp "warp collectives";
    /// Conversions between types or address spaces.
    Conversion "conversion";
    /// Roots, reciprocals, sines and powers.
    Special "special function";
    /// Products of matrices.
    Tensor "tensor";
    /// Moves between registers, and reads of special registers.
    Move "move";
    /// Everything else.
    Other "other";
}

impl Class {
    /// The class of an instruction of PTX by its opcode with all suffixes:
    /// `ld.shared.b32`.
    pub fn of_ptx(opcode: &str) -> Class {
        let words: Vec<&str> = opcode.split('.').collect();
        let second = words.get(1).copied().unwrap_or("");
        match words[0] {
            "bar"
            | "barrier"
            | "mbarrier"
            | "membar"
            | "fence"
            | "griddepcontrol"
            | "clusterlaunchcontrol" => match second {
                // Of a warp: `bar.warp.sync`.
                "warp" => Class::Warp,
                _ => Class::Barrier,
            },
            "cp" if words
                .iter()
                .any(|word| word.contains("wait") || word.contains("commit")) =>
            {
                Class::Barrier
            }
            "cp" | "prefetch" | "prefetchu" | "multimem" | "createpolicy" | "applypriority"
            | "discard" => Class::Global,
            "ld" | "ldu" | "st" | "atom" | "red" => space(&words),
            "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => Class::Warp,
            "cvt" | "cvta" | "mapa" | "getctarank" | "isspacep" => Class::Conversion,
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" | "nanosleep"
            | "pmevent" | "setmaxnreg" => Class::Control,
            "wmma" | "mma" | "wgmma" | "tcgen05" => Class::Tensor,
            "ldmatrix" | "stmatrix" | "movmatrix" => Class::Shared,
            "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => Class::Special,
            "mov" | "pack" | "unpack" => Class::Move,
            "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" | "stackrestore"
            | "stacksave" | "alloca" => Class::Other,
            _ => arithmetic(&words),
        }
    }

    /// The class of an instruction of machine code by its opcode with all suffixes:
    /// `LDG.E.64`.
    pub fn of_sass(opcode: &str) -> Class {
        let base = opcode.split('.').next().unwrap_or(opcode);
        if opcode.starts_with("IMAD.MOV") || opcode.starts_with("HFMA2.MMA") {
            // Both are how a constant or a register gets into another one: the
            // assembler takes whichever pipe is free.
            return Class::Move;
        }
        memory_of_sass(base)
            .or_else(|| flow_of_sass(base))
            .unwrap_or_else(|| arithmetic_of_sass(base))
    }
}

/// The state space that an access names; none is a generic one.
fn space(words: &[&str]) -> Class {
    let spaces = words
        .iter()
        .map(|word| word.split("::").next().unwrap_or(word));
    let named = spaces.into_iter().find_map(|word| match word {
        "global" => Some(Class::Global),
        "shared" => Some(Class::Shared),
        "local" => Some(Class::Local),
        "const" | "param" => Some(Class::Constant),
        _ => None,
    });
    named.unwrap_or(Class::Generic)
}

/// By the last type: `setp.lt.f32`, `set.gt.u32.f32`, `add.f16x2`.
fn arithmetic(words: &[&str]) -> Class {
    let types = words.iter().rev().find_map(|word| match *word {
        "f64" => Some(Class::Fp64),
        "f32" | "tf32" | "f32x2" => Some(Class::Fp32),
        "f16" | "f16x2" | "bf16" | "bf16x2" => Some(Class::Fp16),
        "pred" => Some(Class::Int),
        word if is_integer(word) => Some(Class::Int),
        _ => None,
    });
    types.unwrap_or(Class::Other)
}

fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix(['b', 's', 'u']).unwrap_or("");
    digits.starts_with(|first: char| first.is_ascii_digit())
}

fn memory_of_sass(base: &str) -> Option<Class> {
    Some(match base {
        "LDG" | "STG" | "ATOMG" | "RED" | "REDG" | "LDGSTS" | "LDGMC" | "UBLKCP" | "UBLKPF"
        | "UBLKRED" | "UTMALDG" | "UTMASTG" | "UTMAREDG" | "UTMAPF" | "UTMACCTL" | "CCTL"
        | "CCTLT" => Class::Global,
        "LDS" | "STS" | "ATOMS" | "LDSM" | "STSM" | "STAS" | "REDAS" | "MOVM" => Class::Shared,
        "LDL" | "STL" | "CCTLL" => Class::Local,
        "LDC" | "ULDC" | "LDCU" => Class::Constant,
        "LD" | "ST" | "ATOM" | "QSPC" => Class::Generic,
        _ => return None,
    })
}

fn flow_of_sass(base: &str) -> Option<Class> {
    Some(match base {
        "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "CALL" | "RET" | "EXIT" | "BSSY"
        | "BSYNC" | "BREAK" | "KILL" | "NANOSLEEP" | "YIELD" | "BPT" | "RTT" | "BMOV"
        | "RPCMOV" | "LEPC" | "PMTRIG" | "USETMAXREG" => Class::Control,
        "BAR" | "DEPBAR" | "LDGDEPBAR" | "MEMBAR" | "ERRBAR" | "FENCE" | "SYNCS" | "ARRIVES"
        | "ACQBULK" | "PREEXIT" | "UTMACMDFLUSH" | "UCGABAR_ARV" | "UCGABAR_WAIT" | "CGAERRBAR"
        | "ACQSHMINIT" => Class::Barrier,
        "SHFL" | "VOTE" | "VOTEU" | "MATCH" | "REDUX" | "CREDUX" | "ELECT" | "WARPSYNC"
        | "ENDCOLLECTIVE" => Class::Warp,
        "MUFU" => Class::Special,
        "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" | "OMMA" | "HGMMA" | "IGMMA" | "QGMMA"
        | "BGMMA" | "WARPGROUP" | "WARPGROUPSET" | "UTCHMMA" | "UTCIMMA" | "UTCQMMA"
        | "UTCOMMA" | "UTCCP" | "UTCBAR" | "LDTM" | "STTM" => Class::Tensor,
        "MOV" | "MOV32I" | "UMOV" | "S2R" | "S2UR" | "CS2R" | "R2P" | "P2R" | "R2UR" | "R2B"
        | "B2R" | "UP2UR" | "UR2UP" | "UR2R" | "CS2UR" => Class::Move,
        "NOP" | "TEX" | "TLD" | "TLD4" | "TMML" | "TXD" | "TXQ" | "SULD" | "SUST" | "SURED"
        | "SUATOM" => Class::Other,
        _ => return None,
    })
}

/// By the letters that opcodes begin with, as NVIDIA forms them.
fn arithmetic_of_sass(base: &str) -> Class {
    match base {
        "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX" | "DSET" => Class::Fp64,
        "FADD" | "FADD32I" | "FADD2" | "FMUL" | "FMUL32I" | "FMUL2" | "FFMA" | "FFMA32I"
        | "FFMA2" | "FMNMX" | "FMNMX3" | "FSEL" | "FSET" | "FSETP" | "FCHK" | "FSWZADD"
        | "UFADD" | "UFMUL" | "UFFMA" | "UFSEL" | "UFSETP" | "UFMNMX" => Class::Fp32,
        "HADD2" | "HADD2_32I" | "HMUL2" | "HMUL2_32I" | "HFMA2" | "HFMA2_32I" | "HMNMX2"
        | "HSET2" | "HSETP2" | "VHMNMX" => Class::Fp16,
        "F2F" | "F2I" | "F2IP" | "F2FP" | "I2F" | "I2FP" | "I2I" | "I2IP" | "FRND" | "UF2F"
        | "UF2I" | "UF2FP" | "UI2F" | "UI2FP" | "UFRND" => Class::Conversion,
        "IADD" | "IADD3" | "IADD32I" | "IMAD" | "IMUL" | "ISETP" | "IMNMX" | "IABS" | "ISCADD"
        | "IDP" | "IDP4A" | "LEA" | "LOP" | "LOP3" | "LOP32I" | "SHF" | "SHL" | "SHR" | "SEL"
        | "PRMT" | "PLOP3" | "SGXT" | "BMSK" | "BREV" | "FLO" | "POPC" | "BFE" | "BFI"
        | "VIADD" | "VIADDMNMX" | "VIMNMX" | "VIMNMX3" | "VABSDIFF" | "VABSDIFF4" | "PSETP"
        | "UIADD3" | "UIMAD" | "UISETP" | "UIMNMX" | "UVIMNMX" | "UVIADD" | "UIABS" | "ULEA"
        | "ULOP" | "ULOP3" | "USHF" | "USHL" | "USHR" | "USEL" | "UPRMT" | "UPLOP3" | "USGXT"
        | "UBMSK" | "UBREV" | "UFLO" | "UPOPC" | "UPSETP" => Class::Int,
        _ => Class::Other,
    }
}

/// How many instructions there are of each class; of the others there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mix {
    counts: BTreeMap<Class, u64>,
}

impl Mix {
    /// Instructions of one class.
    pub fn get(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or(0)
    }

    /// All instructions.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl FromIterator<Class> for Mix {
    fn from_iter<I: IntoIterator<Item = Class>>(classes: I) -> Self {
        let mut mix = Mix::default();
        for class in classes {
            *mix.counts.entry(class).or_insert(0) += 1;
        }
        mix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_told_apart_by_space_type_and_name() {
        for (opcode, class) in [
            ("fma.rn.f64", Class::Fp64),
            ("setp.lt.f32", Class::Fp32),
            ("add.rn.bf16x2", Class::Fp16),
            ("mad.lo.s64", Class::Int),
            ("selp.b16", Class::Int),
            ("and.pred", Class::Int),
            ("ld.global.nc.v4.b32", Class::Global),
            ("ld.relaxed.gpu.global.u64", Class::Global),
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                Class::Global,
            ),
            ("cp.async.bulk.wait_group.read", Class::Barrier),
            ("st.shared.b32", Class::Shared),
            ("st.shared::cta.b32", Class::Shared),
            ("st.local.b64", Class::Local),
            ("ld.param.b64", Class::Constant),
            ("ld.u32", Class::Generic),
            ("atom.acq_rel.gpu.add.u32", Class::Generic),
            ("bra.uni", Class::Control),
            ("bar.sync", Class::Barrier),
            ("bar.warp.sync", Class::Warp),
            ("mbarrier.try_wait.parity.shared::cta.b64", Class::Barrier),
            ("griddepcontrol.wait", Class::Barrier),
            ("shfl.sync.bfly.b32", Class::Warp),
            ("cvt.rn.f64.u64", Class::Conversion),
            ("cvta.to.global.u64", Class::Conversion),
            ("rsqrt.approx.ftz.f64", Class::Special),
            (
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
                Class::Tensor,
            ),
            ("mov.b32", Class::Move),
            ("tex.1d.v4.f32.s32", Class::Other),
            ("made.up", Class::Other),
        ] {
            assert_eq!(Class::of_ptx(opcode), class, "{opcode}");
        }
    }

    #[test]
    fn machine_code_is_told_apart_by_its_opcode() {
        for (opcode, class) in [
            ("DFMA", Class::Fp64),
            ("FSETP.GEU.AND", Class::Fp32),
            ("HFMA2.BF16_V2", Class::Fp16),
            ("HFMA2.MMA", Class::Move),
            ("IMAD.WIDE.U32", Class::Int),
            ("IMAD.MOV.U32", Class::Move),
            ("ULOP3.LUT", Class::Int),
            ("LDG.E.128.CONSTANT", Class::Global),
            ("UBLKCP.S.G", Class::Global),
            ("STS.64", Class::Shared),
            ("LDL.LU.64", Class::Local),
            ("ULDC.64", Class::Constant),
            ("ST.E.STRONG.GPU", Class::Generic),
            ("BRA.DIV", Class::Control),
            ("BAR.SYNC.DEFER_BLOCKING", Class::Barrier),
            ("SYNCS.PHASECHK.TRANS64.TRYWAIT", Class::Barrier),
            ("SHFL.UP", Class::Warp),
            ("F2F.F64.F32", Class::Conversion),
            ("MUFU.RSQ64H", Class::Special),
            ("HGMMA.64x8x16.F32", Class::Tensor),
            ("S2R", Class::Move),
            ("NOP", Class::Other),
            ("MADEUP", Class::Other),
        ] {
            assert_eq!(Class::of_sass(opcode), class, "{opcode}");
        }
    }

    #[test]
    fn a_mix_counts_each_class_and_all() {
        let mix: Mix = [Class::Int, Class::Fp64, Class::Int].into_iter().collect();
        assert_eq!((mix.get(Class::Int), mix.get(Class::Fp64)), (2, 1));
        assert_eq!((mix.get(Class::Tensor), mix.total()), (0, 3));
    }
}
