//! Reaching the other party.

use std::{
    cell::Cell,
    path::PathBuf,
    time::{Duration, Instant},
};

use ::vole::{Meeting, VoleError};
use board::{AuthorId, Identity};
use humantime::format_duration;
use wire::{Address, Channel, ChannelError, Listener, TlsClient, TlsServer};

use super::inputs::read;
use crate::{
    arguments::duration,
    connect::{reach, stop_after},
    failure::Failure,
    keygen::PassphraseArgs,
    output::Output,
};

/// How long somebody who connects may take to show that he is the other party: to shake hands, and
/// for the first messages. Others wait meanwhile.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Where the other party is, and who. One party connects, the other listens.
#[derive(clap::Args)]
pub struct PeerArgs {
    /// Where the other party listens: `tls://HOST:PORT`, `tcp://HOST:PORT` or `unix:///PATH`.
    #[arg(long, value_name = "ADDRESS", required_unless_present = "listen")]
    connect: Option<Address>,
    /// The address to listen on, instead of connecting to the other party.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "connect")]
    listen: Option<Address>,
    /// How long to wait until the other party is there.
    #[arg(long, alias = "connect-timeout-seconds", value_name = "TIME", default_value = "1m",
          value_parser = duration)]
    connect_timeout: Duration,
    /// How long to wait for a message of the other party.
    #[arg(long, alias = "timeout-seconds", value_name = "TIME", default_value = "2m",
          value_parser = duration)]
    timeout: Duration,
    /// How long the whole session may take.
    #[arg(long, alias = "session-timeout-seconds", value_name = "TIME", default_value = "1h",
          value_parser = duration)]
    session_timeout: Duration,
    /// This party's key file, by which the other party recognises it; `subrosa keygen` makes one.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The public key of the other party: nobody else is accepted.
    #[arg(long, value_name = "PUBKEY")]
    pub peer: Option<AuthorId>,
    /// The other party's TLS certificate, or that of the authority that signed it, as a PEM file: to
    /// connect to `tls://`, or to accept only connections with this certificate.
    #[arg(long, value_name = "PEM")]
    tls_trust: Option<PathBuf>,
    /// This party's TLS certificate chain, as a PEM file: to listen at `tls://`, or to show it when
    /// connecting.
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_chain: Option<PathBuf>,
    /// The certificate's key, as a PEM file.
    #[arg(long, value_name = "PEM", requires = "tls_chain")]
    tls_key: Option<PathBuf>,
}

/// What a session with the other party is given: the connection, who takes part, and what it calls
/// once they have met.
pub type Attempt<'a> = (&'a mut Channel, Meeting<'a>, &'a dyn Fn(&mut Channel));

impl PeerArgs {
    /// The key by which the other party knows this one.
    pub fn identity(&self) -> Result<Option<Identity>, Failure> {
        self.key.as_deref().map(|path| self.passphrase.identity(path)).transpose()
    }

    /// Meets the other party, by connecting or by waiting for it, and runs a session with it. Whoever
    /// comes and is not the other party is turned away. `failure` says what an error means.
    pub fn run<T>(
        &self,
        (context, identity): (&[u8], Option<&Identity>),
        output: &Output,
        failure: fn(VoleError) -> Failure,
        mut session: impl FnMut(Attempt<'_>) -> Result<T, VoleError>,
    ) -> Result<(T, Channel), Failure> {
        let mut meeting = Meeting::about(context);
        if let Some(identity) = identity {
            meeting = meeting.signed_by(identity);
        }
        if let Some(peer) = self.peer {
            meeting = meeting.with(peer);
        }
        let has_met = Cell::new(false);
        let met = |channel: &mut Channel| {
            // The second of two sessions is no other meeting.
            if !has_met.replace(true) {
                channel.set_deadline(Instant::now().checked_add(self.session_timeout));
            }
        };
        let mut attempt = |mut channel: Channel, time: Duration| {
            let timeout = Some(self.timeout);
            channel.set_read_timeout(timeout);
            channel.set_write_timeout(timeout);
            channel.set_deadline(Instant::now().checked_add(time));
            let outcome = session((&mut channel, meeting, &met));
            outcome.map(|made| (made, channel))
        };
        let timeout = self.connect_timeout;
        let address = match (&self.connect, &self.listen) {
            (Some(address), _) => {
                // A listener may first have to turn away others.
                let channel = self.reach(address, timeout)?;
                return attempt(channel, timeout.max(HANDSHAKE)).map_err(failure);
            }
            (_, Some(address)) => address,
            (None, None) => {
                return Err(Failure::input("the address is missing: give --connect or --listen"));
            }
        };
        let listener = self.listener(address, output)?;
        let _in_time =
            stop_after(&listener, timeout).map_err(|error| Failure::channel(address, &error))?;
        loop {
            match attempt(self.accept(&listener, output)?, HANDSHAKE) {
                Err(error) if !has_met.get() => {
                    let failure = failure(error);
                    let advice = failure.advice().map(|advice| format!("; {advice}"));
                    let advice = advice.unwrap_or_default();
                    output
                        .warn(&format!("a connection was refused: {}{advice}", failure.message()));
                }
                outcome => return outcome.map_err(failure),
            }
        }
    }

    /// Tries until the other party listens.
    fn reach(&self, address: &Address, timeout: Duration) -> Result<Channel, Failure> {
        let trusted = self.tls_trust.as_ref().map(|path| {
            let trusted = read(path)?;
            let client = match self.certificate()? {
                None => TlsClient::from_pem(&trusted),
                Some([chain, key]) => TlsClient::with_certificate(&trusted, &chain, &key),
            };
            client.map_err(|error| Failure::file(path, error))
        });
        let trusted = trusted.transpose()?;
        reach(address, trusted.as_ref(), timeout).map_err(|error| {
            Failure::channel(address, &error).hint("start the other party with --listen")
        })
    }

    /// The own certificate chain and its key.
    fn certificate(&self) -> Result<Option<[zeroize::Zeroizing<Vec<u8>>; 2]>, Failure> {
        match (&self.tls_chain, &self.tls_key) {
            (Some(chain), Some(key)) => Ok(Some([read(chain)?, read(key)?])),
            _ => Ok(None),
        }
    }

    fn listener(&self, address: &Address, output: &Output) -> Result<Listener, Failure> {
        let failed = |error: ChannelError| Failure::channel(address, &error);
        let clients = self.tls_trust.as_ref().map(|path| read(path)).transpose()?;
        let tls = self.certificate()?.map(|[chain, key]| match &clients {
            None => TlsServer::from_pem(&chain, &key),
            Some(clients) => TlsServer::for_clients(&chain, &key, clients),
        });
        let tls = tls.transpose().map_err(failed)?;
        let listener = Listener::bind(address, tls.as_ref()).map_err(failed)?;
        output.done("listening", &listener.address().to_string());
        Ok(listener)
    }

    /// Whoever comes next.
    fn accept(&self, listener: &Listener, output: &Output) -> Result<Channel, Failure> {
        let hint = "start the other party with --connect and this address, or wait longer with \
                    --connect-timeout";
        next(listener, self.connect_timeout, hint, output)
    }
}

/// The first peer that comes to a listener within so many seconds. `hint` says what to do if none
/// does.
pub fn accept_within(
    listener: &Listener,
    wait: Duration,
    hint: &str,
    output: &Output,
) -> Result<Channel, Failure> {
    let address = listener.address();
    let _in_time = stop_after(listener, wait).map_err(|error| Failure::channel(address, &error))?;
    next(listener, wait, hint, output)
}

/// Whoever comes next, unless the listener is stopped after so many seconds.
fn next(
    listener: &Listener,
    wait: Duration,
    hint: &str,
    output: &Output,
) -> Result<Channel, Failure> {
    let address = listener.address();
    loop {
        match listener.accept() {
            Ok(channel) => return Ok(channel),
            Err(ChannelError::Closed) => {
                let late = format!(
                    "{address}: the other party was not there within {}",
                    format_duration(wait)
                );
                return Err(Failure::environment(late).hint(hint));
            }
            // One stranger does not keep the other party out.
            Err(error) => output.warn(&format!("a connection failed: {error}")),
        }
    }
}
