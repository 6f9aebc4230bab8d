//! Progress bars, on a terminal only.

use std::{sync::Mutex, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use wire::Progress;

/// Draws one bar for the current stage; nothing when standard error is no terminal.
#[derive(Default)]
pub struct Bars {
    current: Mutex<Option<ProgressBar>>,
}

impl Bars {
    /// No stage has begun.
    pub fn new() -> Self {
        Self::default()
    }

    fn replace(&self, bar: Option<ProgressBar>) {
        let Ok(mut current) = self.current.lock() else { return };
        if let Some(old) = std::mem::replace(&mut *current, bar) {
            old.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &str, total: u64) {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let template = "{msg:16} [{bar:32}] {human_pos}/{human_len} {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(stage.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.replace(Some(bar));
    }

    fn advance(&self, steps: u64) {
        let Ok(current) = self.current.lock() else { return };
        if let Some(bar) = current.as_ref() {
            bar.inc(steps);
        }
    }

    fn finish(&self) {
        self.replace(None);
    }
}
