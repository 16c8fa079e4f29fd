//! A kernel of the table `kernels`: launched once and compared, then timed.

use super::protocol::{Job, Reading};
use crate::kernels::{self, Kernel};
use crate::measure::{Rule, device as timing};
use quadscan::device::Module;
use quadscan::{Error, Result};

/// Checks the kernel of a name on `n` elements, and times it where there is a timer and
/// times are asked for.
pub(super) fn measure(module: &Module, job: &Job, name: &str, n: u64) -> Result<Reading> {
    let kernel = kernels::by_name(name).ok_or_else(|| Error::UnknownKernel {
        kernel: name.to_owned(),
    })?;
    measured(module, job, kernel, n)
}

fn measured(module: &Module, job: &Job, kernel: &Kernel, n: u64) -> Result<Reading> {
    let device = module.device();
    let mut prepared = (kernel.prepare)(module, n)?;
    prepared.launch()?;
    let wrong = prepared.difference()?;
    let mut reading = Reading {
        bytes: Some((kernel.bytes)(n)),
        wrong: wrong.map(|wrong| format!("{}: {wrong}", kernel.name)),
        ..Reading::default()
    };
    if reading.wrong.is_some() || job.untimed || !device.properties().has_timer {
        return Ok(reading);
    }
    let mut launch = || prepared.launch();
    let rule = Rule::new(job.repeat);
    let measured = timing::kernels_and_methods(&rule, device, &mut [&mut launch])?.pop();
    reading.kernel_method = measured.as_ref().map(|kernel| kernel.method);
    reading.kernel = measured.map(|kernel| kernel.timing);
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Prepared;
    use crate::worker::protocol::Task;
    use quadscan::device::{Device, DeviceChoice};

    fn emulator() -> Device {
        let emulator = DeviceChoice::Emulator { schedule: None };
        Device::open(emulator).unwrap_or_else(|e| panic!("{e}"))
    }

    fn job() -> Job {
        Job {
            id: 1,
            task: Task::Kernel {
                kernel: String::new(),
                n: 0,
            },
            repeat: None,
            peer: None,
            checked: false,
            untimed: false,
            cold: false,
        }
    }

    #[test]
    fn every_kernel_is_right_at_sizes_of_one_block_and_of_several() {
        let loaded = crate::modules::ours().and_then(|artifact| emulator().load(&artifact));
        let module = loaded.unwrap_or_else(|e| panic!("{e}"));
        for kernel in kernels::ALL {
            for n in [1, 1000, 4096, 5000] {
                let reading = measure(&module, &job(), kernel.name, n);
                let reading = reading.unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                assert_eq!(reading.wrong, None, "{n} elements");
                assert_eq!(reading.bytes, Some((kernel.bytes)(n)));
                assert_eq!(reading.kernel, None, "the emulator has no times");
            }
        }
    }

    /// A kernel whose results are always wrong.
    struct Wrong;

    impl Prepared for Wrong {
        fn launch(&mut self) -> Result<()> {
            Ok(())
        }

        fn difference(&self) -> Result<Option<String>> {
            Ok(Some("result 0 is 1, not 2".to_owned()))
        }
    }

    #[test]
    fn a_result_that_is_wrong_is_told_with_the_kernels_name() {
        const EMPTY: &str = ".version 8.0 .target sm_75 .address_size 64
             .visible .entry nothing() { ret; }";
        let module = emulator().load_ptx(EMPTY).unwrap_or_else(|e| panic!("{e}"));
        let kernel = Kernel {
            name: "wrong",
            module: "main",
            bytes: |n| n,
            prepare: |_, _| Ok(Box::new(Wrong)),
        };
        let reading = measured(&module, &job(), &kernel, 1).unwrap_or_else(|e| panic!("{e}"));
        let said = "wrong: result 0 is 1, not 2";
        assert_eq!(reading.wrong.as_deref(), Some(said));
        let unknown = measure(&module, &job(), "nothing", 1);
        let said = "the module has no kernel `nothing`: ";
        assert!(unknown.is_err_and(|e| e.to_string().starts_with(said)));
    }
}
