//! The measuring process's loop: a job a line in, an answer a line out, until its
//! input ends. It ends with its parent, because its input does.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::channel;

use super::protocol::{Answer, Greeting, Job};
use crate::measure::Measurement;

/// Why a job failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// One sentence.
    pub reason: String,
    /// Entries of the PTX that ran until then.
    pub entries: Vec<String>,
    /// True when the device's context is beyond use.
    pub lost: bool,
}

/// What carries out jobs: a device with the PTX loaded.
pub trait Server {
    /// The device.
    fn greeting(&self) -> Greeting;
    /// Does one job.
    fn carry_out(&mut self, job: &Job) -> Result<Measurement, Failure>;
}

fn say(output: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Answers every job. Ends when the input ends, after a lost context, and at a
/// line that is not a job.
pub fn serve(
    server: &mut dyn Server,
    input: impl IntoIterator<Item = io::Result<String>>,
    output: &mut dyn Write,
) -> io::Result<()> {
    say(output, &Answer::Ready(Box::new(server.greeting())))?;
    for line in input {
        let job: Job = serde_json::from_str(&line?)?;
        match server.carry_out(&job) {
            Ok(measurement) => say(
                output,
                &Answer::Done {
                    id: job.id,
                    measurement: Box::new(measurement),
                },
            )?,
            Err(Failure {
                reason,
                entries,
                lost,
            }) => {
                say(
                    output,
                    &Answer::Failed {
                        id: job.id,
                        reason,
                        entries,
                        lost,
                    },
                )?;
                if lost {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// The lines of standard input. A thread reads them, and ends the process when
/// they end: a parent that died must not leave a long kernel's process behind.
pub fn standard_input() -> impl Iterator<Item = io::Result<String>> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lines() {
            if sender.send(line).is_err() {
                return;
            }
        }
        std::process::exit(0);
    });
    lines.into_iter()
}

/// Takes standard output for the answers alone: what a kernel or the driver
/// writes to it from now on (a kernel's `println!` ends there) goes to standard
/// error. To be called before the device is opened.
pub fn claim_standard_output() -> io::Result<File> {
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(answers))
}

/// The only line of a process that has no device, or cannot use it.
pub fn decline(output: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    say(output, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Sampling;
    use crate::record::{Cell, sample};

    struct Fake;

    impl Server for Fake {
        fn greeting(&self) -> Greeting {
            Greeting {
                device: sample::device("fake"),
                no_gpu: Some("none".into()),
                no_clocks: None,
            }
        }

        fn carry_out(&mut self, job: &Job) -> Result<Measurement, Failure> {
            match job.cell.text("kernel") {
                Some("fault") => Err(Failure {
                    reason: "illegal address".into(),
                    entries: vec!["fault".into()],
                    lost: true,
                }),
                Some("refused") => Err(Failure {
                    reason: "refused".into(),
                    entries: Vec::new(),
                    lost: false,
                }),
                _ => Ok(measured(job)),
            }
        }
    }

    fn measured(job: &Job) -> Measurement {
        Measurement {
            record: sample::record(&job.table, job.cell.clone()).having("pi", 0.5),
            notices: vec!["a peer is missing".into()],
            bits: Some(0.5_f64.to_bits()),
        }
    }

    fn job(id: u64, kernel: &str) -> Job {
        Job {
            id,
            table: "faults".into(),
            cell: Cell::default().with("kernel", kernel),
            sampling: Sampling::default(),
        }
    }

    fn line(id: u64, kernel: &str) -> String {
        serde_json::to_string(&job(id, kernel)).unwrap_or_default() + "\n"
    }

    fn answers(input: &str) -> Vec<Answer> {
        let mut output = Vec::new();
        let _ = serve(
            &mut Fake,
            input.lines().map(|line| Ok(line.to_owned())),
            &mut output,
        );
        String::from_utf8_lossy(&output)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    #[test]
    fn it_says_that_it_is_ready_and_answers_every_job() {
        let input = line(1, "healthy") + &line(2, "refused");
        let answers = answers(&(input + &line(3, "healthy")));
        assert_eq!(answers.len(), 4);
        assert!(
            matches!(&answers[0], Answer::Ready(greeting) if **greeting == Fake.greeting()),
            "it comes back whole"
        );
        let first = Answer::Done {
            id: 1,
            measurement: Box::new(measured(&job(1, "healthy"))),
        };
        assert_eq!(answers[1], first, "so does a measurement");
        assert!(matches!(
            answers[2],
            Answer::Failed {
                id: 2,
                lost: false,
                ..
            }
        ));
        assert!(matches!(answers[3], Answer::Done { id: 3, .. }));
    }

    #[test]
    fn it_ends_when_the_context_is_lost() {
        let input = line(1, "fault") + &line(2, "healthy");
        let answers = answers(&input);
        assert_eq!(answers.len(), 2);
        assert!(matches!(
            &answers[1],
            Answer::Failed {
                id: 1,
                lost: true,
                entries,
                ..
            } if entries == &["fault"]
        ));
    }

    #[test]
    fn a_line_that_is_no_job_ends_it_with_an_error() {
        assert!(serve(&mut Fake, [Ok("nonsense".to_owned())], &mut Vec::new()).is_err());
    }
}
