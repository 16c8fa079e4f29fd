//! Chromium from the command line: a page's measures, its picture, and what its
//! console said. What to think of them is the tests' business.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde::Deserialize;

use crate::picture::Picture;

/// Names of the program, in the order in which they are tried.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// The variable that names another one.
const VARIABLE: &str = "CHROME";

/// Chromium makes no window that is narrower.
const LEAST_WIDTH: u32 = 500;

/// A page that takes longer is not coming.
const PATIENCE: Duration = Duration::from_secs(120);

/// Writes the page's measures into the page, for the dump of it.
const RULER: &str = include_str!("ruler.js");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        })
    }
}

/// A file with the page in a frame of the view's width, at the left and the top: no
/// window is as narrow as a telephone.
fn framed(folder: &Path, page: &str, view: View, height: u32) -> Result<PathBuf, Failed> {
    let content = page.replace('&', "&amp;").replace('"', "&quot;");
    let (width, path) = (view.width, folder.join("frame.html"));
    let frame = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><style>:root {{ color-scheme: light dark }} \
         body {{ margin: 0 }} iframe {{ border: 0; display: block }}</style>\
         <iframe width=\"{width}\" height=\"{height}\" srcdoc=\"{content}\"></iframe>"
    );
    fs::write(&path, frame)?;
    Ok(path)
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) scheme: Scheme,
}

/// What `ruler.js` measures, in pixels.
#[derive(Debug, Deserialize)]
pub(crate) struct Measured {
    /// Of the window.
    pub(crate) inner: u32,
    /// Of what is in it.
    pub(crate) scroll: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
    /// Texts and marks that stand out too little from what is behind them, with their contrast.
    pub(crate) faint: Vec<String>,
    /// Texts of tables that do not fit their cells.
    pub(crate) crowded: Vec<String>,
    pub(crate) figures: Vec<Figure>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Figure {
    pub(crate) id: String,
    pub(crate) drawings: Vec<Drawing>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Drawing {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Marks of any size.
    pub(crate) marks: usize,
    /// The smallest text.
    pub(crate) text: f64,
    /// Texts that leave the drawing.
    pub(crate) cut: Vec<String>,
    /// Texts that end before their end.
    pub(crate) shortened: Vec<String>,
}

/// A page as it is seen, and what its console said.
pub(crate) struct Shot {
    pub(crate) picture: Picture,
    pub(crate) messages: Vec<String>,
}

/// A Chromium that starts.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    program: PathBuf,
}

impl Browser {
    /// The one that the variable names, or the first on the path; Err says why
    /// there is none.
    pub(crate) fn find() -> Result<Self, String> {
        let named = std::env::var_os(VARIABLE).map(PathBuf::from);
        let candidates = match named {
            Some(program) => vec![program],
            None => NAMES.iter().map(PathBuf::from).collect(),
        };
        let starts = |program: &&PathBuf| {
            let version = Command::new(program).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        };
        match candidates.iter().find(starts) {
            Some(program) => Ok(Browser {
                program: program.clone(),
            }),
            None => Err(format!(
                "no Chromium: none of {} starts; {VARIABLE} may name one",
                candidates
                    .iter()
                    .map(|program| program.display().to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        }
    }

    /// The measures of a page. A script in a copy of it takes them; the page's own
    /// policy would not let it.
    pub(crate) fn measure(&self, page: &str, view: View) -> Result<Measured, Failed> {
        let folder = tempfile::tempdir()?;
        let start = page.find("<meta http-equiv");
        let end = start.and_then(|start| Some(start + page[start..].find('>')? + 1));
        let mut copy = page.to_owned();
        if let (Some(start), Some(end)) = (start, end) {
            copy.replace_range(start..end, "");
        }
        let script = format!("<script>{RULER}</script></body>");
        let copy = copy.replacen("</body>", &script, 1);
        let path = framed(folder.path(), &copy, view, 900)?;
        let (dump, _) = self.run(folder.path(), &path, view, 900, &["--dump-dom".into()])?;
        let dump = String::from_utf8_lossy(&dump);
        let json = dump
            .split_once("<pre id=\"measured\">")
            .and_then(|(_, rest)| rest.split_once("</pre>"))
            .map(|(json, _)| json)
            .ok_or("the page was not measured")?;
        let json = json
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&nbsp;", "\u{a0}")
            .replace("&amp;", "&");
        Ok(serde_json::from_str(&json)?)
    }

    /// The page as it is, `height` pixels of it.
    pub(crate) fn photograph(&self, page: &str, view: View, height: u32) -> Result<Shot, Failed> {
        let folder = tempfile::tempdir()?;
        let path = framed(folder.path(), page, view, height)?;
        let shot = folder.path().join("page.png");
        let options = [
            format!("--screenshot={}", shot.display()),
            "--enable-logging=stderr".to_owned(),
            "--v=0".to_owned(),
        ];
        let (_, log) = self.run(folder.path(), &path, view, height, &options)?;
        let messages = String::from_utf8_lossy(&log)
            .lines()
            .filter(|line| line.contains(":CONSOLE"))
            .map(str::to_owned)
            .collect();
        let picture = Picture::read(&shot)?;
        Ok(Shot { picture, messages })
    }

    /// Standard output and standard error of one visit.
    fn run(
        &self,
        folder: &Path,
        page: &Path,
        view: View,
        height: u32,
        options: &[String],
    ) -> Result<(Vec<u8>, Vec<u8>), Failed> {
        // The files take what a pipe would hold up while nobody reads it.
        let (output, log) = (folder.join("output"), folder.join("log"));
        let scheme = match view.scheme {
            Scheme::Dark => 0,
            Scheme::Light => 1,
        };
        let mut child = Command::new(&self.program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", folder.join("user").display()))
            .arg(format!(
                "--window-size={},{height}",
                view.width.max(LEAST_WIDTH)
            ))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .args(options)
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(fs::File::create(&output)?)
            .stderr(fs::File::create(&log)?)
            .spawn()?;
        let start = Instant::now();
        while child.try_wait()?.is_none() {
            if start.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Err(format!("the browser is not done after {PATIENCE:?}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok((fs::read(output)?, fs::read(log)?))
    }
}
