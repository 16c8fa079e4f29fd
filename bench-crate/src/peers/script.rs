//! A script among the peers: it is run by a Python that somebody named, and says what it
//! found in lines.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::compiler::find_source;

/// A script.
pub(super) struct Script<'a> {
    /// Its name in the peers' folder.
    pub(super) name: &'a str,
    /// The program that runs it.
    pub(super) python: &'a Path,
    /// The peers' folder.
    pub(super) peers: &'a Path,
    /// What is so without it: half a sentence.
    pub(super) without: &'a str,
    /// The longest that it may take.
    pub(super) limit: Duration,
}

impl Script<'_> {
    /// Runs it and hands on what it says, a line of JSON at a time. Err in one sentence when it did
    /// not come to its end, or quotes a line that is none.
    pub(super) fn run<L: DeserializeOwned>(
        &self,
        arguments: &[&str],
        mut hear: impl FnMut(L),
    ) -> Result<(), String> {
        let Script { name, without, .. } = self;
        let script = find_source(self.peers, name)
            .ok_or_else(|| format!("{} has no {name}", self.peers.display()))?;
        let python = self.python.display();
        let mut process = Command::new(self.python)
            .arg(script)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("--python {python} cannot be started, so {without}: {e}"))?;
        let heard = listen(&mut process, name, self.limit, |line| {
            let said = serde_json::from_str(line);
            hear(said.map_err(|_| format!("{name} said `{line}`"))?);
            Ok(())
        });
        if heard.is_err() {
            // It may have ended by itself meanwhile.
            let _ = process.kill();
        }
        let ended = process.wait();
        let last = heard?;
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{name} ended with {status}: {last}")),
            Err(e) => Err(format!("{name}: {e}")),
        }
    }
}

/// Hands on the process's lines until it says no more; the last line of its errors. Err when
/// the limit passes first, or `hear` objects.
fn listen(
    process: &mut Child,
    name: &str,
    limit: Duration,
    mut hear: impl FnMut(&str) -> Result<(), String>,
) -> Result<String, String> {
    let deadline = Instant::now() + limit;
    let (sender, lines) = channel();
    let (output, errors) = (process.stdout.take(), process.stderr.take());
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        // What cannot be read is not quoted.
        let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        text.lines().last().unwrap_or_default().to_owned()
    });
    thread::spawn(move || {
        let lines = output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines());
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => hear(&line)?,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("{name} was stopped after {} s", limit.as_secs()));
            }
        }
    }
    Ok(errors.join().unwrap_or_default())
}
