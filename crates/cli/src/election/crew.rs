//! The other parties' processes, on this machine.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::{failure::Failure, output::Output};

/// How often processes are looked after.
const ROUND: Duration = Duration::from_millis(100);
/// How often a process may die before it is left dead.
const LIVES: u32 = 5;

/// A party's process. It ends by itself when its work is done or this process is gone.
pub struct Worker {
    name: String,
    arguments: Vec<OsString>,
    log: PathBuf,
    child: Child,
    deaths: u32,
}

impl Worker {
    /// Starts `subrosa ARGUMENTS`, printing to a log file.
    pub fn start(
        name: &str,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        log: PathBuf,
    ) -> Result<Self, Failure> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let child = spawn(&arguments, &log)?;
        Ok(Self { name: name.to_owned(), arguments, log, child, deaths: 0 })
    }

    /// How the process ended, if it did.
    pub fn poll(&mut self) -> Result<Option<ExitStatus>, Failure> {
        self.child
            .try_wait()
            .map_err(|error| Failure::environment(format!("{}: {error}", self.name)))
    }

    /// Starts the process again if it died; `false` if it has died too often.
    fn tend(&mut self, output: &Output) -> Result<bool, Failure> {
        match self.poll()? {
            Some(status) if !status.success() && self.deaths < LIVES => {
                self.deaths += 1;
                output.warn(&format!("{} ended ({status}) and is started again", self.name));
                self.child = spawn(&self.arguments, &self.log)?;
                Ok(true)
            }
            Some(status) => Ok(status.success()),
            None => Ok(true),
        }
    }

    /// Waits until the work is done, starting the process again if it dies meanwhile.
    pub fn finish(
        mut self,
        output: &Output,
        mut meanwhile: impl FnMut() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        loop {
            match self.poll()? {
                Some(status) if status.success() => return Ok(()),
                _ if self.tend(output)? => meanwhile()?,
                _ => {
                    let log = self.log.display();
                    return Err(Failure::environment(format!("{} keeps failing", self.name))
                        .hint(format!("the end of its output is in {log}")));
                }
            }
            thread::sleep(ROUND);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Its work is on the board; a process that has ended already cannot be killed, nor need be.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks after processes until `work` is done: who dies is started again, on the board where it
/// was. Who dies too often is left to the operator's patience.
pub fn tend_during<T>(
    workers: &mut [Worker],
    output: &Output,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let tending = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for worker in workers.iter_mut() {
                    worker.tend(output)?;
                }
                thread::sleep(ROUND);
            }
            Ok(())
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        let tended = tending
            .join()
            .unwrap_or_else(|_| Err(Failure::input("a thread of this program panicked")));
        result.and_then(|value| tended.map(|()| value))
    })
}

/// Gives the processes a moment to end by themselves.
pub fn dismiss(workers: Vec<Worker>, patience: Duration) {
    let rounds = patience.as_millis() / ROUND.as_millis();
    for mut worker in workers {
        for _ in 0..rounds {
            if !matches!(worker.poll(), Ok(None)) {
                break;
            }
            thread::sleep(ROUND);
        }
    }
}

/// Runs `subrosa ARGUMENTS` to its end, printing to a log file.
pub fn finish(name: &str, arguments: &[OsString], log: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::file(log, error);
    match command(arguments, log)?.stdin(Stdio::null()).status().map_err(failed)?.success() {
        true => Ok(()),
        false => Err(Failure::input(format!("{name} failed"))
            .hint(format!("the end of its output is in {}", log.display()))),
    }
}

fn spawn(arguments: &[OsString], log: &Path) -> Result<Child, Failure> {
    let mut command = command(arguments, log)?;
    // Held open for as long as this process lives.
    command.arg("--attached").stdin(Stdio::piped());
    command.spawn().map_err(|error| Failure::file(log, error))
}

/// `subrosa ARGUMENTS`, which prints to a log file.
fn command(arguments: &[OsString], log: &Path) -> Result<Command, Failure> {
    let failed = |error| Failure::file(log, error);
    let program = std::env::current_exe().map_err(failed)?;
    let out = OpenOptions::new().create(true).append(true).open(log).map_err(failed)?;
    let errors = out.try_clone().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(arguments).stdout(out).stderr(errors);
    Ok(command)
}
