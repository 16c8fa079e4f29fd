//! Which device a user asks for: `--device auto|cuda|cuda:N|emulator`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A device as a user names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The best device of this machine: a CUDA device, or the emulator.
    #[default]
    Auto,
    /// A CUDA device, by its ordinal or the first one.
    Cuda(Option<u32>),
    /// The emulator of PTX.
    Emulator {
        /// The seed of a random interleaving of warps and blocks; `None` for the
        /// one that is always the same.
        schedule: Option<u64>,
    },
}

impl DeviceChoice {
    /// Major and minor compute capability of the device that would be opened, which is what
    /// decides the PTX that it runs best.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason when there is no such device; the driver's.
    pub fn compute_capability(self) -> Result<(u32, u32), Error> {
        super::Device::capability_of(self)
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownDevice {
            text: text.to_owned(),
        };
        match text {
            "auto" => Ok(Self::Auto),
            "cuda" => Ok(Self::Cuda(None)),
            "emulator" => Ok(Self::Emulator { schedule: None }),
            _ => {
                let ordinal = text.strip_prefix("cuda:").ok_or_else(unknown)?;
                let digits = !ordinal.is_empty() && ordinal.bytes().all(|b| b.is_ascii_digit());
                match ordinal.parse() {
                    Ok(ordinal) if digits => Ok(Self::Cuda(Some(ordinal))),
                    _ => Err(unknown()),
                }
            }
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cuda(None) => f.write_str("cuda"),
            Self::Cuda(Some(ordinal)) => write!(f, "cuda:{ordinal}"),
            Self::Emulator { .. } => f.write_str("emulator"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_name_is_understood_and_printed_back() {
        for name in ["auto", "cuda", "cuda:0", "cuda:17", "emulator"] {
            let choice: DeviceChoice = name.parse().expect(name);
            assert_eq!(choice.to_string(), name);
        }
    }

    #[test]
    fn other_names_are_refused_with_the_allowed_ones() {
        for name in [
            "",
            "gpu",
            "cuda:",
            "cuda:x",
            "cuda:-1",
            "cuda:+1",
            "cuda:4294967296",
            "CUDA",
        ] {
            let error = name.parse::<DeviceChoice>().expect_err(name).to_string();
            assert_eq!(
                error,
                format!("unknown device `{name}`, allowed are auto, cuda, cuda:N and emulator")
            );
        }
    }
}
