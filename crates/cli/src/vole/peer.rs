//! Reaching the other party.

use std::{path::PathBuf, time::Duration};

use wire::{Address, Channel, ChannelError, Listener, TlsClient, TlsServer};

use crate::{
    connect::{reach, stop_after},
    failure::Failure,
    output::Output,
};

/// Where the other party is. One party connects, the other listens.
#[derive(clap::Args)]
pub struct PeerArgs {
    /// Where the other party listens: `tls://HOST:PORT`, `tcp://HOST:PORT` or `unix:///PATH`.
    #[arg(long, value_name = "ADDRESS", required_unless_present = "listen")]
    connect: Option<Address>,
    /// Where to wait for the other party, instead of connecting to it.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "connect")]
    listen: Option<Address>,
    /// How long the other party may take to be there.
    #[arg(long, value_name = "N", default_value_t = 60)]
    connect_timeout_seconds: u64,
    /// How long the other party may take for a message.
    #[arg(long, value_name = "N", default_value_t = 120)]
    timeout_seconds: u64,
    /// The other party's certificate, or that of its authority, as a PEM file; to connect to
    /// `tls://`.
    #[arg(long, value_name = "PEM", conflicts_with = "listen")]
    tls_trust: Option<PathBuf>,
    /// The certificate chain, as a PEM file; to listen at `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_key", conflicts_with = "connect")]
    tls_chain: Option<PathBuf>,
    /// The certificate's key, as a PEM file; to listen at `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_chain", conflicts_with = "connect")]
    tls_key: Option<PathBuf>,
}

impl PeerArgs {
    /// Connects, or waits for the other party to do so.
    pub fn meet(&self, output: &Output) -> Result<Channel, Failure> {
        let mut channel = match (&self.connect, &self.listen) {
            (Some(address), _) => self.reach(address)?,
            (_, Some(address)) => self.wait_at(address, output)?,
            (None, None) => return Err(Failure::input("neither --connect nor --listen")),
        };
        let timeout = Some(Duration::from_secs(self.timeout_seconds));
        channel.set_read_timeout(timeout);
        channel.set_write_timeout(timeout);
        Ok(channel)
    }

    /// Tries until the other party listens.
    fn reach(&self, address: &Address) -> Result<Channel, Failure> {
        let trusted = self.tls_trust.as_ref().map(|path| {
            let pem = super::read(path)?;
            TlsClient::from_pem(&pem).map_err(|error| Failure::file(path, error))
        });
        let trusted = trusted.transpose()?;
        let timeout = Duration::from_secs(self.connect_timeout_seconds);
        reach(address, trusted.as_ref(), timeout).map_err(|error| {
            Failure::input(format!("{address}: {error}"))
                .hint("start the other party with --listen")
        })
    }

    fn wait_at(&self, address: &Address, output: &Output) -> Result<Channel, Failure> {
        let failed = |error: ChannelError| Failure::input(format!("{address}: {error}"));
        let tls = match (&self.tls_chain, &self.tls_key) {
            (Some(chain), Some(key)) => {
                let pem = [super::read(chain)?, super::read(key)?];
                Some(TlsServer::from_pem(&pem[0], &pem[1]).map_err(failed)?)
            }
            _ => None,
        };
        let listener = Listener::bind(address, tls.as_ref()).map_err(failed)?;
        output.done("listening", &listener.address().to_string());
        let hint = "start the other party with --connect and this address, or wait longer with \
                    --connect-timeout-seconds";
        accept_within(&listener, self.connect_timeout_seconds, hint, output)
    }
}

/// The first peer that comes to a listener within so many seconds. `hint` says what to do if none
/// does.
pub fn accept_within(
    listener: &Listener,
    seconds: u64,
    hint: &str,
    output: &Output,
) -> Result<Channel, Failure> {
    let address = listener.address();
    let _in_time = stop_after(listener, Duration::from_secs(seconds))
        .map_err(|error| Failure::input(format!("{address}: {error}")))?;
    loop {
        match listener.accept() {
            Ok(channel) => return Ok(channel),
            Err(ChannelError::Closed) => {
                let late = format!("{address}: nobody came within {seconds} seconds");
                return Err(Failure::input(late).hint(hint));
            }
            // One stranger does not keep the other party out.
            Err(error) => output.warn(&format!("a connection failed: {error}")),
        }
    }
}
