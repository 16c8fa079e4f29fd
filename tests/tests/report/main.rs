//! `report.html` in a browser, headless: nothing is complained about, every figure
//! is drawn and fits, on a telephone and on a desk, light and dark.
//!
//! Where there is no Chromium the tests are ignored, by name and with the
//! reason; the structure of the page is checked on every machine, in `quadscan`.

mod browser;
mod picture;
mod sample;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use browser::{Browser, Scheme, View};

/// Widths of telephones and of desks, in pixels.
const WIDTHS: [u32; 4] = [320, 400, 1280, 1600];

/// Text of a drawing that is smaller than this cannot be read, in pixels.
const SMALLEST_TEXT: f64 = 8.0;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = Browser::find();
    let mut trials = Vec::new();
    for (name, page) in sample::pages() {
        for width in WIDTHS {
            for scheme in [Scheme::Light, Scheme::Dark] {
                let view = View { width, scheme };
                let page = page.clone();
                let title = format!("chromium::{name}_is_drawn_at_{width}_{scheme}");
                trials.push(trial(&browser, title, move |browser| {
                    is_drawn(browser, &page, view)
                }));
            }
        }
    }
    trials.push(trial(
        &browser,
        "chromium::a_page_that_is_wrong_is_noticed".into(),
        wrong_pages_are_noticed,
    ));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(
    browser: &Result<Browser, String>,
    name: String,
    run: impl FnOnce(&Browser) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let browser = browser.clone();
    Trial::ignorable_test(name, move || match browser {
        Ok(browser) => run(&browser).map(|()| Completion::Completed),
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
}

fn is_drawn(browser: &Browser, page: &str, view: View) -> Result<(), Failed> {
    match &objections(browser, page, view)?[..] {
        [] => Ok(()),
        objections => Err(objections.join("\n").into()),
    }
}

/// What a person would object to, looking at the page.
fn objections(browser: &Browser, page: &str, view: View) -> Result<Vec<String>, Failed> {
    let measured = browser.measure(page, view)?;
    let shot = browser.photograph(page, view, measured.height)?;
    let mut objections: Vec<String> = shot
        .messages
        .iter()
        .map(|message| format!("the console says: {message}"))
        .collect();
    if measured.inner != view.width {
        objections.push(format!("the page is {} px wide", measured.inner));
    }
    if measured.scroll > measured.inner {
        objections.push(format!(
            "the page needs {} px and has {}",
            measured.scroll, measured.inner
        ));
    }
    let is_dark = shot.picture.luminance(0, 0) < 0.5;
    if is_dark != (view.scheme == Scheme::Dark) || measured.dark != is_dark {
        objections.push(format!("the page is not {}", view.scheme));
    }
    for text in &measured.crowded {
        objections.push(format!("`{text}` does not fit its cell"));
    }
    for text in &measured.faint {
        objections.push(format!("`{text}` is a contrast too low"));
    }
    for figure in &measured.figures {
        objections.extend(objections_to(figure, &shot.picture));
    }
    if measured.figures.is_empty() {
        objections.push("the page has no figure".into());
    }
    Ok(objections)
}

fn objections_to(figure: &browser::Figure, picture: &picture::Picture) -> Vec<String> {
    let mut objections = Vec::new();
    let shown: Vec<&browser::Drawing> = figure
        .drawings
        .iter()
        .filter(|drawing| drawing.width > 0.0)
        .collect();
    let [drawing] = shown[..] else {
        return vec![format!(
            "{}: {} drawings are shown, and one should be",
            figure.id,
            shown.len()
        )];
    };
    if drawing.marks == 0 {
        objections.push(format!("{}: no mark is drawn", figure.id));
    }
    if drawing.text < SMALLEST_TEXT {
        objections.push(format!("{}: text of {} px", figure.id, drawing.text));
    }
    for cut in &drawing.cut {
        objections.push(format!("{}: `{cut}` is cut off", figure.id));
    }
    for text in &drawing.shortened {
        objections.push(format!("{}: `{text}` is not told to its end", figure.id));
    }
    // One colour would be an empty box; a mark and its edges are several.
    let colours = picture.colours(drawing.x, drawing.y, drawing.width, drawing.height);
    if colours < 8 {
        objections.push(format!("{}: {colours} colours are seen", figure.id));
    }
    objections
}

/// Two pages on which everything is wrong, and what has to be said of them.
fn wrong_pages_are_noticed(browser: &Browser) -> Result<(), Failed> {
    const FIGURES: &str = "
        <figure id='empty'><svg viewBox='0 0 300 100'></svg></figure>
        <figure id='texts'><svg viewBox='0 0 300 100'>
            <text class='mark' x='-60' y='20' font-size='12'>cut off</text>
            <text class='mark' x='9' y='20' font-size='3'>small</text>
            <text x='9' y='40' font-size='12'>work-effic…</text>
        </svg></figure>
        <figure id='twice'><svg viewBox='0 0 9 9'></svg><svg viewBox='0 0 9 9'></svg></figure>
        <div class='scroll'><table><tr><td style='display:block; width:20px'>0123456789abcdef</td>
            <td>next</td></tr></table></div>
        <p style='width:2000px'>wide</p>
        <p style='color:#999'>pale</p>
        <script>console.error('oh no')</script>";
    for (scheme, body, expected) in [
        (
            Scheme::Light,
            FIGURES,
            &[
                "empty: no mark is drawn",
                "empty: 1 colours are seen",
                "texts: `cut off` is cut off",
                "texts: text of 3",
                "texts: `work-effic…` is not told to its end",
                "`0123456789abcdef` does not fit its cell",
                "twice: 2 drawings are shown",
                "the page needs 2000 px and has 320",
                "`pale: 2.85` is a contrast too low",
                "the console says",
            ][..],
        ),
        (
            Scheme::Dark,
            "",
            &["the page is not dark", "the page has no figure"],
        ),
    ] {
        let page = format!(
            "<!DOCTYPE html><html><head><style>body {{ margin: 0; background: #fff }} \
             figure {{ margin: 0 }} svg {{ display: block; width: 100% }}</style></head><body>{body}</body></html>"
        );
        let width = WIDTHS[0];
        let objections = objections(browser, &page, View { width, scheme })?;
        for said in expected {
            if !objections.iter().any(|objection| objection.contains(said)) {
                return Err(format!("`{said}` is not among {objections:#?}").into());
            }
        }
    }
    Ok(())
}
