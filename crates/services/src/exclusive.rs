//! A file that only one process at a time reads, decides about and writes. It has the state that was signed last. Two
//! processes that read the same state could each sign a different history.

use std::{fs::File, io, path::Path};

/// Has what stands under a path to itself until this is dropped, or the process ends.
pub struct Exclusive(#[expect(dead_code, reason = "held, not read")] File);

impl Exclusive {
    /// Waits until nobody else has what stands under a path to himself. The lock is a file beside it,
    /// which stays: `<path>.lock`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn take(path: &Path) -> io::Result<Self> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let file = File::options().create(true).append(true).open(beside)?;
        file.lock()?;
        Ok(Self(file))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    /// Eight at once read a number, wait, and write the next: none is lost.
    #[test]
    fn nobody_reads_while_another_decides() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state");
        std::fs::write(&path, "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _held = Exclusive::take(&path).unwrap();
                    let number: u32 = std::fs::read_to_string(&path).unwrap().parse().unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    std::fs::write(&path, (number + 1).to_string()).unwrap();
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "8");
    }
}
