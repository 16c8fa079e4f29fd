//! Which device a user asks for, `--device auto|cuda|cuda:N|emulator`, or which several:
//! `cuda:N,M`, `cuda:all`, `emulator:COUNT`.

use std::fmt;
use std::str::FromStr;

use super::{Device, Devices};
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

/// One device or several that share work, as a user names them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DevicesChoice {
    /// One device.
    One(DeviceChoice),
    /// The CUDA devices of these numbers: `cuda:0,1`.
    Cuda(Vec<u32>),
    /// All CUDA devices of the machine, the first 8 where there are more: `cuda:all`.
    AllCuda,
    /// So many emulated devices: `emulator:4`.
    Emulated(usize),
}

impl DevicesChoice {
    /// The first of them, which says what PTX they run best.
    pub fn first(&self) -> DeviceChoice {
        match self {
            Self::One(one) => *one,
            Self::Cuda(numbers) => DeviceChoice::Cuda(numbers.first().copied()),
            Self::AllCuda => DeviceChoice::Cuda(None),
            Self::Emulated(_) => DeviceChoice::Emulator { schedule: None },
        }
    }

    /// Opens them. `Some` reason where the emulator stands in for a GPU that there is not.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason when one is not there; those of [`Devices::new`].
    pub fn open(&self) -> Result<(Devices, Option<String>), Error> {
        let devices = match self {
            Self::One(DeviceChoice::Auto) => {
                let (device, reason) = Device::open_best()?;
                return Ok((Devices::new(vec![device])?, reason));
            }
            Self::One(one) => Devices::new(vec![Device::open(*one)?]),
            Self::Cuda(numbers) => Devices::cuda(numbers),
            Self::AllCuda => Devices::all(),
            Self::Emulated(count) => Devices::emulated(*count, None),
        };
        Ok((devices?, None))
    }
}

impl FromStr for DevicesChoice {
    type Err = Error;

    /// [`Error::Argument`] for another text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let numbers = |text: &str| text.split(',').map(number).collect::<Option<Vec<u32>>>();
        let several = match text.split_once(':') {
            Some(("cuda", "all")) => Some(Self::AllCuda),
            Some(("cuda", list)) if list.contains(',') => numbers(list).map(Self::Cuda),
            Some(("emulator", count)) => number(count).map(|count| Self::Emulated(count as usize)),
            _ => text.parse().map(Self::One).ok(),
        };
        let problem = "is unknown, allowed are auto, cuda, cuda:N, cuda:N,M,..., cuda:all, emulator \
                       and emulator:COUNT";
        several.ok_or_else(|| Error::argument("devices", format!("`{text}` {problem}")))
    }
}

impl fmt::Display for DevicesChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(one) => one.fmt(f),
            Self::Cuda(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
            Self::AllCuda => f.write_str("cuda:all"),
            Self::Emulated(count) => write!(f, "emulator:{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_devices_are_understood_and_printed_back() {
        for name in [
            "auto",
            "cuda:3",
            "cuda:0,1",
            "cuda:2,0,7",
            "cuda:all",
            "emulator:4",
        ] {
            let choice: DevicesChoice = name.parse().expect(name);
            assert_eq!(choice.to_string(), name);
        }
        for name in [
            "cuda:0,",
            "cuda:,1",
            "cuda:0,x",
            "emulator:",
            "emulator:-1",
            "gpu:1",
        ] {
            let text = name.parse::<DevicesChoice>().expect_err(name).to_string();
            assert!(text.starts_with(&format!("devices `{name}` is unknown, allowed are ")));
        }
    }

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
