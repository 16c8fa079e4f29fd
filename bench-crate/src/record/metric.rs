//! What was measured or computed of a cell: a value with its unit, of a time every sample.

use serde::{Deserialize, Serialize};

use super::ordered::Ordered;
use crate::timing::{Measured, Timing};

/// The unit of times.
const MS: &str = "ms";

/// A metric of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub enum Metric {
    /// A time, ms.
    Time(Time),
    /// A number, with its unit; empty where it has none.
    Number(f64, String),
    /// So many.
    Count(u64),
    /// Whether it is so.
    Flag(bool),
    /// A name.
    Text(String),
}

/// A time with what is known of how it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    /// Its samples, and what they say.
    pub timing: Timing,
    /// What a sample was taken of, such as `graph of 343`.
    pub method: Option<String>,
    /// Whose it is, where it is a peer's.
    pub peer: Option<Peer>,
}

/// A library or a package that does the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peer {
    /// As it heads its columns: `CUB 3.0.1`.
    pub name: String,
    /// What it is in full: `CUB 3.0.1, CCCL 3.0.1, nvcc 13.0.88`.
    pub version: String,
}

/// A value as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Count(u64),
    Flag(bool),
    Number(f64),
    Text(String),
}

/// A metric as JSON has it.
#[derive(Serialize, Deserialize)]
struct Form {
    value: Scalar,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    unit: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    samples: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    processes: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peer: Option<Peer>,
}

impl Form {
    fn of(value: Scalar) -> Self {
        Form {
            value,
            unit: String::new(),
            samples: Vec::new(),
            processes: Vec::new(),
            method: None,
            peer: None,
        }
    }
}

impl From<Metric> for Form {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Time(time) => Form {
                unit: MS.to_owned(),
                samples: time.timing.samples_ms,
                processes: time.timing.processes,
                method: time.method,
                peer: time.peer,
                ..Form::of(Scalar::Number(time.timing.median_ms))
            },
            Metric::Number(value, unit) => Form {
                unit,
                ..Form::of(Scalar::Number(value))
            },
            Metric::Count(count) => Form::of(Scalar::Count(count)),
            Metric::Flag(flag) => Form::of(Scalar::Flag(flag)),
            Metric::Text(text) => Form::of(Scalar::Text(text)),
        }
    }
}

impl From<Form> for Metric {
    fn from(form: Form) -> Self {
        if let Some(timing) = Timing::from_samples(form.samples) {
            return Metric::Time(Time {
                timing: Timing {
                    processes: form.processes,
                    ..timing
                },
                method: form.method,
                peer: form.peer,
            });
        }
        match form.value {
            Scalar::Count(count) if !form.unit.is_empty() => {
                Metric::Number(count as f64, form.unit)
            }
            Scalar::Count(count) => Metric::Count(count),
            Scalar::Flag(flag) => Metric::Flag(flag),
            Scalar::Number(number) => Metric::Number(number, form.unit),
            Scalar::Text(text) => Metric::Text(text),
        }
    }
}

/// Makes metrics of values.
macro_rules! from {
    ($($type:ty: |$value:ident| $metric:expr;)*) => {$(
        impl From<$type> for Metric {
            fn from($value: $type) -> Self {
                $metric
            }
        }
    )*};
}

from! {
    Time: |time| Metric::Time(time);
    Timing: |timing| Metric::Time(Time { timing, method: None, peer: None });
    Measured: |measured| Metric::Time(Time {
        timing: measured.timing,
        method: Some(measured.method.to_string()),
        peer: None,
    });
    f64: |number| Metric::Number(number, String::new());
    u64: |count| Metric::Count(count);
    u32: |count| Metric::Count(count.into());
    bool: |flag| Metric::Flag(flag);
    &str: |text| Metric::Text(text.to_owned());
}

/// The metrics of a cell by their names; absent is what was not measured, which is never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metrics(Ordered<Metric>);

impl Metrics {
    /// Gives a name its metric. What is absent stays absent, and so does what is no number.
    pub fn put(&mut self, name: impl Into<String>, metric: Option<impl Into<Metric>>) {
        match metric.map(Into::into) {
            None => {}
            Some(Metric::Number(number, _)) if !number.is_finite() => {}
            Some(metric) => self.0.set(name, metric),
        }
    }

    /// The metric of a name.
    pub fn get(&self, name: &str) -> Option<&Metric> {
        self.0.get(name)
    }

    /// A time.
    pub fn time(&self, name: &str) -> Option<&Time> {
        match self.0.get(name)? {
            Metric::Time(time) => Some(time),
            _ => None,
        }
    }

    /// A number, a count, or the median of a time.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.0.get(name)? {
            Metric::Number(number, _) => Some(*number),
            Metric::Count(count) => Some(*count as f64),
            Metric::Time(time) => Some(time.timing.median_ms),
            Metric::Flag(_) | Metric::Text(_) => None,
        }
    }

    /// A count.
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Metric::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// Whether it is so.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Metric::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A name.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Metric::Text(text) => Some(text),
            _ => None,
        }
    }

    /// All of them by their names, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Metric)> {
        self.0.iter()
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Metric)> {
        self.0.iter_mut()
    }

    /// The times by their names.
    pub fn times(&self) -> impl Iterator<Item = (&str, &Time)> {
        self.0.iter().filter_map(|(name, metric)| match metric {
            Metric::Time(time) => Some((name, time)),
            _ => None,
        })
    }

    /// The times of peers.
    pub fn peers(&self) -> impl Iterator<Item = (&Peer, &Timing)> {
        let times = self.times();
        times.filter_map(|(_, time)| Some((time.peer.as_ref()?, &time.timing)))
    }

    /// Adds what others have found of the same cell.
    pub fn extend(&mut self, others: Metrics) {
        for (name, metric) in others.iter() {
            self.0.set(name, metric.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_an_object_with_its_unit_and_of_a_time_with_its_samples() {
        let mut metrics = Metrics::default();
        metrics.put("kernel", Timing::from_samples(vec![2.0, 1.0, 3.0]));
        metrics.put("pi", Some(3.0));
        metrics.put("value", Some(Metric::Number(4.0, "TFLOP/s".into())));
        metrics.put("adds", Some(7_u32));
        metrics.put("repeats", Some(true));
        metrics.put("chosen", Some("one_wave"));
        metrics.put("missing", None::<f64>);
        metrics.put("infinite", Some(f64::INFINITY));
        let json = serde_json::to_string(&metrics).expect("metrics have a form");
        assert_eq!(
            json,
            r#"{"kernel":{"value":2.0,"unit":"ms","samples":[2.0,1.0,3.0]},"pi":{"value":3.0},"value":{"value":4.0,"unit":"TFLOP/s"},"adds":{"value":7},"repeats":{"value":true},"chosen":{"value":"one_wave"}}"#
        );
        assert_eq!(serde_json::from_str::<Metrics>(&json).ok(), Some(metrics));
    }
}
