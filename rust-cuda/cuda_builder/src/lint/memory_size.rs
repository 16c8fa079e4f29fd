//! More variables in shared or constant memory than there is room for.
//!
//! A driver refuses such a module, and does not say where in the source they are.
//! The sizes are those of the CUDA Programming Guide 13.0, "Technical
//! Specifications per Compute Capability", the same for every architecture.

use ptx_syntax::{Module, Space};

use super::{Body, Finding, Lint};

/// What a kernel may declare; beyond it, the launch decides the size.
const SHARED: u64 = 48 * 1024;

/// What all constants of a module may take up.
const CONSTANT: u64 = 64 * 1024;

pub(super) fn shared(body: &Body<'_, '_>, module: &Module<'_>, findings: &mut Vec<Finding>) {
    let bytes = module.reached(body.function).shared_bytes();
    if body.function.entry && bytes > SHARED {
        let message = format!(
            "its static shared memory is {bytes} bytes, and a block may have {SHARED}; take more as dynamic shared memory, whose size the launch says"
        );
        findings.push(body.finding(Lint::MemorySize, body.first_location(), message));
    }
}

pub(super) fn constant(bodies: &[Body<'_, '_>], module: &Module<'_>, findings: &mut Vec<Finding>) {
    let constants = module.variables();
    let constants = constants.filter(|variable| variable.space == Space::Constant);
    let bytes: u64 = constants.map(|variable| variable.bytes()).sum();
    let Some(body) = bodies.iter().find(|body| body.function.entry) else {
        return;
    };
    if bytes > CONSTANT {
        let message = format!(
            "the constants of this module are {bytes} bytes, and a module may have {CONSTANT}; put large tables into global memory: leave #[address_space(constant)] away"
        );
        findings.push(body.finding(Lint::MemorySize, body.first_location(), message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check, testing::findings};

    fn with(variable: &str) -> String {
        format!(
            ".version 8.0\n.target sm_90\n{variable}\n.visible .entry k()\n{{\n\t.loc\t1 7 1\n\
             \tld.shared.b32 %r1, [BIG];\n\tret;\n}}\n.file\t1 \"src/lib.rs\"\n"
        )
    }

    #[test]
    fn fires_one_byte_beyond_each_limit_and_not_at_it() {
        for (space, limit) in [(".shared", 48 * 1024), (".visible .const", 64 * 1024)] {
            let of = |bytes: u64| {
                check(
                    &with(&format!("{space} .align 4 .b8 BIG[{bytes}];")),
                    &["k"],
                )
                .unwrap()
            };
            assert_eq!(of(limit), []);
            let found = of(limit + 1);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].lint, Lint::MemorySize);
            assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:7"));
            let words = format!("{} bytes", limit + 1);
            assert!(found[0].message.contains(&words), "{}", found[0].message);
        }
    }

    #[test]
    fn is_silent_about_shared_memory_that_the_kernel_does_not_use() {
        let body = "\tst.shared.b32 [TILE], 0;";
        assert_eq!(findings(Lint::MemorySize, body), []);
        let other = with(".shared .align 4 .b8 OTHER[65536];");
        assert_eq!(check(&other, &["k"]), Ok(vec![]));
    }
}
