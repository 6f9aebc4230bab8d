//! How the parties reach one another.

use std::{
    net::TcpStream,
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use cli::{accept_within, arguments::duration, failure::Failure, output::Output};
use serde::Serialize;
use wire::{Address, Channel, Listener};

use super::relay::{self, Link};

/// A link that is imitated.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum NetworkName {
    /// 11 Gbit/s, 0.2 ms there and back.
    Lan,
    /// 20 Mbit/s, 100 ms there and back.
    Wan,
}

impl NetworkName {
    fn link(self) -> Link {
        match self {
            Self::Lan => Link { bits_per_second: 11e9, delay: Duration::from_micros(100) },
            Self::Wan => Link { bits_per_second: 20e6, delay: Duration::from_millis(50) },
        }
    }
}

/// Options about the connection.
#[derive(Args)]
pub struct NetworkArgs {
    /// Wait for the other party instead of connecting to it.
    #[arg(short, long)]
    pub listen: bool,
    /// The other party's host, or the address to listen on.
    #[arg(short = 'h', long, value_name = "HOST", default_value = "localhost")]
    pub host: String,
    /// The port.
    #[arg(short, long, value_name = "PORT", default_value = "1337")]
    pub port: u16,
    /// How long to wait until the other party is there: to listen, or to connect.
    #[arg(long, alias = "connect-timeout-seconds", value_name = "TIME", default_value = "100s",
          value_parser = duration)]
    pub connect_timeout: Duration,
    /// How long to wait for a message of the other party.
    #[arg(long, alias = "timeout-seconds", value_name = "TIME", default_value = "30m",
          value_parser = duration)]
    pub timeout: Duration,
    /// Imitate a link with a relay that limits the rate and adds delay: between the two threads, or at the
    /// party that connects.
    #[arg(long, value_enum)]
    pub network: Option<NetworkName>,
}

impl NetworkArgs {
    /// Two ends in this process.
    pub fn pair(&self) -> Result<(Channel, Channel), Failure> {
        let sockets = || UnixStream::pair().map_err(Failure::input);
        let (left, right) = sockets()?;
        let right = match self.network {
            None => right,
            Some(network) => {
                let (near, far) = sockets()?;
                relay::start(right, near, network.link()).map_err(Failure::input)?;
                far
            }
        };
        Ok((self.patient(Channel::unix(left)), self.patient(Channel::unix(right))))
    }

    /// The end of one party.
    pub fn open(&self, output: &Output) -> Result<Channel, Failure> {
        let address = Address::Tcp { host: self.host.clone(), port: self.port };
        if self.listen {
            let listener = Listener::bind(&address, None)
                .map_err(|error| Failure::channel(&address, &error))?;
            let hint = "start the other party without --listen, with the same --port and this \
                        --host, or wait longer with --connect-timeout";
            let wait = self.connect_timeout;
            return Ok(self.patient(accept_within(&listener, wait, hint, output)?));
        }
        let socket = self.connect().map_err(|error| {
            Failure::environment(format!("{address}: {error}"))
                .hint("start the other party with --listen, with the same --port")
        })?;
        let Some(network) = self.network else {
            return Ok(self.patient(Channel::tcp(socket).map_err(Failure::input)?));
        };
        socket.set_nodelay(true).map_err(Failure::input)?;
        let (near, far) = UnixStream::pair().map_err(Failure::input)?;
        relay::start(socket, near, network.link()).map_err(Failure::input)?;
        Ok(self.patient(Channel::unix(far)))
    }

    /// Tries until the other party listens.
    fn connect(&self) -> std::io::Result<TcpStream> {
        let deadline = Instant::now() + self.connect_timeout;
        loop {
            match TcpStream::connect((self.host.as_str(), self.port)) {
                Err(error) if Instant::now() >= deadline => return Err(error),
                Err(_) => thread::sleep(Duration::from_millis(20)),
                Ok(socket) => return Ok(socket),
            }
        }
    }

    fn patient(&self, mut channel: Channel) -> Channel {
        let timeout = Some(self.timeout);
        channel.set_read_timeout(timeout);
        channel.set_write_timeout(timeout);
        channel
    }
}
