//! What is left of a GPU's memory, and giving back what a module took of it.

use ptx_syntax::Space;

use super::Gpu;
use crate::program::Program;

impl Gpu {
    /// Bytes of global memory that no allocation and no module's variable has.
    pub fn free_memory(&self) -> u64 {
        self.global.unused()
    }

    /// Takes a program's variables out of memory, where it has any: a later
    /// launch begins with their initial values, at other addresses.
    pub fn unload(&mut self, program: &Program) {
        let Some(instance) = self.instances.remove(&program.id) else {
            return;
        };
        for (variable, place) in program.code.variables.iter().zip(instance.places) {
            if variable.space == Space::Global {
                // `place` allocated it, and nobody else may free it: a program
                // that did has given it back already.
                let _ = self.free(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gpu, Model, Program};

    #[test]
    fn a_program_that_is_unloaded_gives_its_variables_back()
    -> Result<(), Box<dyn std::error::Error>> {
        let program = Program::load(
            ".version 8.0 .target sm_75 .address_size 64
             .visible .global .b8 table[1000];
             .visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, table; ret; }",
        )?;
        let mut gpu = Gpu::new(Model {
            memory: 4096,
            ..Model::h200()
        });
        assert_eq!(gpu.free_memory(), 4096);
        let data = gpu.alloc(96)?;
        gpu.launch(&program, "k", [1; 3], [1; 3], 0, &[])?;
        assert_eq!(gpu.free_memory(), 4096 - 96 - 1000);
        gpu.unload(&program);
        gpu.unload(&program);
        gpu.free(data)?;
        assert_eq!(gpu.free_memory(), 4096);
        Ok(())
    }
}
