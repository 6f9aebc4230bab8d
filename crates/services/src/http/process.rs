//! A server as a process: its runtime, and what it is told by signals.

use std::{io, time::Duration};

use tokio::runtime::Runtime;

use super::ServeError;

/// Threads for connections; work has threads of its own.
const WORKERS: usize = 2;

/// Serves to the end, with at most so many threads that may wait, or as many as the runtime likes.
///
/// # Errors
/// Those of `serving`; [`ServeError::Runtime`].
pub fn run<T>(
    blocking: Option<usize>,
    serving: impl Future<Output = Result<T, ServeError>>,
) -> Result<T, ServeError> {
    let runtime = runtime(blocking).map_err(ServeError::Runtime)?;
    let served = runtime.block_on(serving)?;
    // Work that nobody waits for any more ends with the process; the stores take no harm.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(served)
}

fn runtime(blocking: Option<usize>) -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = blocking {
        builder.max_blocking_threads(threads);
    }
    builder.worker_threads(WORKERS).enable_all().build()
}

/// Ends when the process is told to stop; from now on that does not kill it.
///
/// # Errors
/// [`ServeError::Runtime`].
#[cfg(unix)]
pub fn stop_signal() -> Result<impl Future<Output = ()>, ServeError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Runtime)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Runtime)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends when the process is told to stop.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn stop_signal() -> Result<impl Future<Output = ()>, ServeError> {
    Ok(async {
        // If there is no such signal, the server stops at once rather than never.
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// SIGHUP, where there is one; from now on it does not end the process.
pub struct Hangup {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Hangup {
    /// From now on the process is told.
    ///
    /// # Errors
    /// [`ServeError::Runtime`].
    #[cfg(unix)]
    pub fn new() -> Result<Self, ServeError> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { signal: signal(SignalKind::hangup()).map_err(ServeError::Runtime)? })
    }

    /// There is no such signal here.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn new() -> Result<Self, ServeError> {
        Ok(Self {})
    }

    /// Waits for the next one.
    #[cfg(unix)]
    pub async fn recv(&mut self) {
        self.signal.recv().await;
    }

    /// Waits for ever.
    #[cfg(not(unix))]
    pub async fn recv(&mut self) {
        std::future::pending().await
    }
}
