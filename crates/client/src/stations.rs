//! Handing a ballot to a station. Nothing is verified here: whoever asks verifies the receipt.

use serde::{Deserialize, Serialize};
use ureq::Agent;

use crate::{
    ClientError,
    connection::{agent, read},
};

/// Whose station it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its public key.
    pub key: String,
    /// The election's board.
    pub election: String,
    /// Seconds within which it posts what it takes.
    pub promise_seconds: u64,
}

/// A station at an address: `https://…`, or `http://…` on this machine.
pub struct Station {
    agent: Agent,
    server: String,
}

impl Station {
    /// The station at an address, trusting the certificate authorities in a PEM file.
    ///
    /// # Errors
    /// [`ClientError::Options`].
    pub fn at(server: &str, roots: &[u8]) -> Result<Self, ClientError> {
        let server = server.trim_end_matches('/').to_owned();
        Ok(Self { agent: agent(&server, roots)?, server })
    }

    /// Whose station it says it is.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn about(&self) -> Result<About, ClientError> {
        let url = format!("{}/v1/station", self.server);
        let answer = read(&url, self.agent.get(&url).call())?;
        serde_json::from_slice(&answer).map_err(ClientError::answer)
    }

    /// Hands a ballot in; returns the receipt.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Problem`] if the station does not take the ballot.
    pub fn hand_in(&self, ballot: &[u8]) -> Result<Vec<u8>, ClientError> {
        let url = format!("{}/v1/ballots", self.server);
        let request = self.agent.post(&url).header("content-type", "application/octet-stream");
        read(&url, request.send(ballot))
    }
}
