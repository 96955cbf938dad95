//! Progress on stderr: one bar a stage on a terminal, messages for what was skipped.

use std::io::{self, IsTerminal, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use retold::{BadRecord, Progress, Stage};
use retold_report::grouped;

use crate::settings::{Talk, Volume};
use crate::terminal;

/// Skipped records that are named before they are only counted.
const MOST_NAMED: u64 = 20;

/// Time between two changes of the text beside a bar.
const TEXT_EVERY: Duration = Duration::from_millis(200);

/// Shows progress, or nothing where nobody watches.
pub(crate) struct Bars {
    volume: Volume,
    is_coloured: bool,
    is_watched: bool,
    columns: u16,
    n_bad: AtomicU64,
    n_duplicates: AtomicU64,
    n_strikes: AtomicU64,
    now: Mutex<Now>,
}

/// The stage that is shown.
struct Now {
    bar: ProgressBar,
    is_counting: bool,
    began: Instant,
    text_at: Instant,
}

impl Bars {
    /// Makes bars for a terminal; elsewhere and in quiet runs there are none.
    pub(crate) fn new(talk: Talk) -> Self {
        let now = Instant::now();
        Self {
            volume: talk.volume,
            is_coloured: terminal::colours_messages(talk.color),
            is_watched: talk.volume != Volume::Quiet && io::stderr().is_terminal(),
            columns: terminal_size::terminal_size_of(io::stderr()).map_or(80, |size| size.0.0),
            n_bad: AtomicU64::new(0),
            n_duplicates: AtomicU64::new(0),
            n_strikes: AtomicU64::new(0),
            now: Mutex::new(Now {
                bar: ProgressBar::hidden(),
                is_counting: false,
                began: now,
                text_at: now,
            }),
        }
    }

    /// Says something above the bar.
    pub(crate) fn say(&self, word: &str, text: &str) {
        let line = terminal::message(word, text, self.is_coloured);
        let now = self.now.lock().expect("nobody panics while holding the bar");
        now.bar.suspend(|| {
            // A message that cannot be printed is lost: there is nobody to tell.
            let _ = writeln!(io::stderr().lock(), "{line}");
        });
    }

    fn found_so_far(&self) -> String {
        let of = |n: &AtomicU64, what: &str| match n.load(Ordering::Relaxed) {
            0 => String::new(),
            n => format!("  {} {what}", grouped(n)),
        };
        of(&self.n_duplicates, "duplicates") + &of(&self.n_strikes, "strikes")
    }

    /// Shows what was found so far, where nothing else is counted beside the bar.
    fn tell_found(&self) {
        if self.is_watched
            && let Ok(now) = self.now.try_lock()
            && !now.is_counting
        {
            now.bar.set_message(self.found_so_far());
        }
    }

    /// Takes the bar away and returns how many records were skipped.
    pub(crate) fn finish(&self) -> u64 {
        self.end();
        let n = self.n_bad.load(Ordering::Relaxed);
        if self.volume == Volume::Normal && n > MOST_NAMED {
            let rest = grouped(n - MOST_NAMED);
            self.say("skipped", &format!("{rest} more; `-v` names them all"));
        }
        n
    }
}

impl Progress for Bars {
    fn begin(&self, stage: Stage, total: u64) {
        if !self.is_watched {
            return;
        }
        let mut now = self.now.lock().expect("nobody panics while holding the bar");
        now.bar.finish_and_clear();
        let bar = ProgressBar::new(total).with_style(style(stage, total, self.columns));
        bar.set_prefix(stage.name());
        bar.enable_steady_tick(Duration::from_millis(100));
        let at = Instant::now();
        *now = Now { bar, is_counting: stage == Stage::Read, began: at, text_at: at };
    }

    fn at(&self, done: u64, n_documents: u64) {
        if !self.is_watched {
            return;
        }
        // Whoever comes while another draws has nothing newer to show.
        let Ok(mut now) = self.now.try_lock() else { return };
        now.bar.set_position(done);
        if now.is_counting && now.text_at.elapsed() >= TEXT_EVERY {
            now.text_at = Instant::now();
            let ms = now.began.elapsed().as_millis().max(1) as u64;
            now.bar.set_message(format!(
                "{} documents  {}/s{}",
                grouped(n_documents),
                grouped(n_documents * 1000 / ms),
                self.found_so_far()
            ));
        }
    }

    fn duplicates(&self, n_duplicates: u64) {
        self.n_duplicates.store(n_duplicates, Ordering::Relaxed);
        self.tell_found();
    }

    fn strikes(&self, n_strikes: u64) {
        self.n_strikes.store(n_strikes, Ordering::Relaxed);
        self.tell_found();
    }

    fn bad(&self, record: &BadRecord) {
        let n = self.n_bad.fetch_add(1, Ordering::Relaxed);
        match self.volume {
            Volume::Quiet => {}
            Volume::Normal if n >= MOST_NAMED => {}
            Volume::Normal | Volume::Verbose => self.say("skipped", &record.to_string()),
        }
    }

    fn note(&self, text: &str) {
        if self.volume != Volume::Quiet {
            self.say("note", text);
        }
    }

    fn end(&self) {
        let mut now = self.now.lock().expect("nobody panics while holding the bar");
        now.bar.finish_and_clear();
        now.bar = ProgressBar::hidden();
    }
}

/// Returns how a stage is drawn on a line of `columns`; what has no known end spins.
fn style(stage: Stage, total: u64, columns: u16) -> ProgressStyle {
    // What stands beside the bar takes some 68 columns when numbers are large.
    let bar = columns.saturating_sub(68).clamp(8, 30);
    let counted = match stage {
        Stage::Read => "{bytes}  {msg}  {eta} left",
        Stage::Copy => "{bytes}  {eta} left",
        Stage::Verify => "{human_pos} pairs{msg}  {eta} left",
        Stage::Image | Stage::Search => "{human_pos} documents{msg}  {eta} left",
        _ => "{eta} left",
    };
    let template = if total > 0 {
        format!("{{prefix:>9}} {{bar:{bar}.cyan/dim}} {{percent:>3}}%  {counted}")
    } else {
        let done = if matches!(stage, Stage::Read | Stage::Copy) { "{bytes}  {msg}  " } else { "" };
        format!("{{prefix:>9}} {{spinner:.cyan}} {done}{{elapsed}}")
    };
    ProgressStyle::with_template(&template)
        .expect("the templates above are well formed")
        .progress_chars("━╸─")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_can_be_drawn_with_and_without_an_end() {
        for stage in Stage::ALL {
            for total in [0, 10] {
                let bar = ProgressBar::new(total).with_style(style(stage, total, 80));
                bar.set_prefix(stage.name());
                assert_eq!(bar.prefix(), stage.name());
            }
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
