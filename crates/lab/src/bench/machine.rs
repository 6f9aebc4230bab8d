//! The machine that a bench ran on, and what the process took of it.

use cli::output;
use serde::Serialize;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// What a figure depends on beside the program.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// The processor, as it names itself.
    pub cpu: String,
    /// Logical processors.
    pub cores: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// The operating system and its version.
    pub os: String,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let kinds = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(kinds);
        // What the system does not tell stays empty; so the name of the system.
        let cpu = system.cpus().first().map(|cpu| cpu.brand().to_owned()).unwrap_or_default();
        Self {
            cpu,
            cores: system.cpus().len(),
            memory: system.total_memory(),
            os: System::long_os_version().unwrap_or_default(),
        }
    }

    /// All of it, for people.
    pub fn line(&self) -> String {
        let Self { cpu, cores, memory, os } = self;
        format!("{cpu}, {cores} cores, {}, {os}", output::bytes(*memory))
    }
}

/// The most memory that this process ever held, in bytes; `None` where the system does not tell.
#[cfg(unix)]
pub fn peak_rss_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    // Apple counts bytes, everyone else kibibytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let peak = getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss();
    u64::try_from(peak).ok().map(|peak| peak * unit)
}

/// The most memory that this process ever held, in bytes; `None` where the system does not tell.
#[cfg(not(unix))]
pub fn peak_rss_bytes() -> Option<u64> {
    None
}
