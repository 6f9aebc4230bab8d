//! Who asked what, when, and with what outcome: lines for a file or standard output, written by a thread
//! of its own, so that no request waits for a disk.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    },
    thread::JoinHandle,
};

use super::ServeError;
use crate::config::AccessLog;

/// Lines that wait to be written; more are lost, and counted.
const WAITING: usize = 1 << 14;

/// Notes requests.
pub struct Accesses {
    writer: Mutex<Option<(SyncSender<String>, JoinHandle<()>)>>,
    lost: Arc<AtomicU64>,
}

impl Accesses {
    /// Opens the log, if there is to be one.
    ///
    /// # Errors
    /// [`ServeError::File`].
    pub fn open(log: Option<&AccessLog>) -> Result<Self, ServeError> {
        let lost = Arc::new(AtomicU64::new(0));
        let Some(log) = log else { return Ok(Self { writer: Mutex::default(), lost }) };
        let sink = Sink::open(log);
        let sink = sink.map_err(|error| ServeError::File {
            path: log.file.clone(),
            reason: error.to_string(),
        })?;
        let (sender, receiver) = sync_channel(WAITING);
        let counter = Arc::clone(&lost);
        let thread = std::thread::Builder::new()
            .name("accesses".to_owned())
            .spawn(move || write_all(sink, &receiver, &counter))
            .map_err(ServeError::Runtime)?;
        Ok(Self { writer: Mutex::new(Some((sender, thread))), lost })
    }

    /// Whether there is a log.
    pub fn is_kept(&self) -> bool {
        // Nothing under the lock can panic half-way.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Notes a line, unless so many wait that it is lost.
    pub fn note(&self, line: String) {
        // As in `is_kept`.
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((sender, _)) = &*writer
            && sender.try_send(line).is_err()
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines that were lost so far.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until everything noted is written.
    pub fn finish(&self) {
        // As in `is_kept`.
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((sender, thread)) = writer {
            drop(sender);
            // A thread that ended early has written what it could.
            let _ = thread.join();
        }
    }
}

fn write_all(mut sink: Sink, lines: &Receiver<String>, lost: &AtomicU64) {
    let (mut told, mut batch) = (0, Vec::new());
    while let Ok(line) = lines.recv() {
        batch.clear();
        let mut count = 0;
        let mut next = Ok(line);
        while let Ok(line) = next {
            batch.extend_from_slice(line.as_bytes());
            batch.push(b'\n');
            count += 1;
            next = match batch.len() < 1 << 16 {
                true => lines.try_recv(),
                false => Err(TryRecvError::Empty),
            };
        }
        let all = lost.load(Ordering::Relaxed);
        if all > told {
            batch.extend_from_slice(format!("{{\"lost\":{}}}\n", all - told).as_bytes());
        }
        match sink.write(&batch) {
            Ok(()) => told = all,
            Err(_) => drop(lost.fetch_add(count, Ordering::Relaxed)),
        }
    }
}

/// Where lines go.
enum Sink {
    Stdout,
    File { log: AccessLog, file: Option<File>, length: u64 },
}

impl Sink {
    fn open(log: &AccessLog) -> io::Result<Self> {
        if log.is_stdout() {
            return Ok(Self::Stdout);
        }
        let (file, length) = append(&log.file)?;
        Ok(Self::File { log: log.clone(), file: Some(file), length })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (log, file, length) = match self {
            Self::Stdout => {
                let mut out = io::stdout().lock();
                return out.write_all(bytes).and_then(|()| out.flush());
            }
            Self::File { log, file, length } => (log, file, length),
        };
        if *length > 0 && length.saturating_add(bytes.len() as u64) > log.bytes {
            *file = None;
            rotate(log)?;
        }
        // Also after it could not be written: there may be space again.
        let open = match file {
            Some(open) => open,
            None => {
                let (opened, size) = append(&log.file)?;
                *length = size;
                file.insert(opened)
            }
        };
        let written = open.write_all(bytes);
        match written {
            Ok(()) => *length += bytes.len() as u64,
            Err(_) => *file = None,
        }
        written
    }
}

fn append(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// `access.log` becomes `access.log.1`, that `access.log.2`, and the last is gone.
fn rotate(log: &AccessLog) -> io::Result<()> {
    let numbered = |number: u32| {
        let mut name = log.file.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    // Somebody else may have taken the file away.
    let unless_gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    if log.files == 0 {
        return unless_gone(std::fs::remove_file(&log.file));
    }
    for number in (1..log.files).rev() {
        let from = numbered(number);
        if from.symlink_metadata().is_ok() {
            std::fs::rename(from, numbered(number + 1))?;
        }
    }
    unless_gone(std::fs::rename(&log.file, numbered(1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn files_are_rotated_and_no_line_is_torn() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("access.log");
        let log = AccessLog { file: file.clone(), bytes: 100, files: 2 };
        for round in 0..2 {
            let accesses = Accesses::open(Some(&log)).unwrap();
            for line in 0..10 {
                // One at a time, so that each may be the one after which a file is full.
                accesses.note(format!("round {round} line {line} {}", "x".repeat(20)));
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            accesses.finish();
            assert_eq!(accesses.lost(), 0);
        }
        let mut names: Vec<_> = std::fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["access.log", "access.log.1", "access.log.2"]);
        for name in names {
            let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
            assert!(text.lines().all(|line| line.starts_with("round ") && line.ends_with('x')));
        }
        let newest = std::fs::read_to_string(&file).unwrap();
        assert!(newest.ends_with(&format!("round 1 line 9 {}\n", "x".repeat(20))));
    }

    #[test]
    fn what_cannot_be_written_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("logs/access.log");
        let log = AccessLog { file: file.clone(), bytes: 1, files: 1 };
        assert!(Accesses::open(Some(&log)).is_err());
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let accesses = Accesses::open(Some(&log)).unwrap();
        accesses.note("one".to_owned());
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
        accesses.note("two".to_owned());
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        accesses.note("three".to_owned());
        accesses.finish();
        assert_eq!(accesses.lost(), 1);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "three\n{\"lost\":1}\n");
    }
}
