//! Our programs, as people and scripts run them.

use std::process::Output;

/// What a run printed, and its exit code.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// What it wrote to standard output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints text");
        let code = output.status.code().expect("the program ends by itself");
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Ran {
    /// What the run printed; it must have succeeded.
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Sees that the run ended with `code` and said `message`.
    pub fn failed(&self, code: i32, message: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.contains(message), "{message}: {self:?}");
    }
}
