//! A log behind HTTP: its keeper's and its witnesses' side of the line.

use std::{thread, time::Duration};

use log::{
    AccessError, Header, Leaf, LogAccess, SignedCheckpoint, Standing,
    merkle::{Hash, decode_proof},
    note::VerifierKey,
};
use ureq::{
    Agent,
    http::{Response, StatusCode},
};
use wire::{Decode, Digest, Encode as _, Reader};

use crate::{ClientError, api::Problem, connection::agent};

/// Bytes of an answer, and of a problem.
const ANSWER_LIMIT: u64 = 1 << 23;
const PROBLEM_LIMIT: u64 = 1 << 16;
/// Leaves that are read of one answer at most.
const MAX_LEAVES: usize = 1 << 12;
/// Seconds that a keeper lets a request wait for news.
const PATIENCE: u64 = 20;
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(200);
const ATTEMPTS: usize = 4;
/// Within this time a log that was promised to is cosigned.
const WITNESSED: Duration = Duration::from_secs(30);
/// Seconds in which a keeper must have appended what it promises.
const MAX_PROMISE: u64 = 24 * 3600;

/// A log at an address: `https://…`, or `http://…` on this machine.
pub struct RemoteLog {
    agent: Agent,
    server: String,
    key: VerifierKey,
}

impl RemoteLog {
    /// The log with this key; without one, the log that the server says it keeps. Trusts the certificate
    /// authorities in a PEM file.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Answer`] if the server keeps another log.
    pub fn connect(
        server: &str,
        key: Option<VerifierKey>,
        roots: &[u8],
    ) -> Result<Self, ClientError> {
        let server = server.trim_end_matches('/').to_owned();
        let agent = agent(&server, roots)?;
        let failed = |error: AccessError| ClientError::Transport {
            url: server.clone(),
            reason: error.to_string(),
        };
        let url = format!("{server}/key");
        let answer = read(&url, agent.get(&url).call()).map_err(failed)?;
        let shown = String::from_utf8_lossy(&answer.1);
        let shown: VerifierKey = shown.trim_end().parse().map_err(ClientError::answer)?;
        match key.unwrap_or_else(|| shown.clone()) {
            key if key == shown => Ok(Self { agent, server, key }),
            key => Err(ClientError::Answer(format!("the server keeps {shown}, not {key}"))),
        }
    }

    /// Asks again while nobody answers, or the keeper is busy: every request may be repeated.
    fn ask(
        &self,
        path: &str,
        request: impl Fn(&str) -> Result<Response<ureq::Body>, ureq::Error>,
    ) -> Result<(StatusCode, Vec<u8>), AccessError> {
        let url = format!("{}{path}", self.server);
        let mut attempt = 1;
        loop {
            let answer = read(&url, request(&url));
            let passing = match &answer {
                Ok((status, _)) => *status == StatusCode::SERVICE_UNAVAILABLE,
                Err(error) => matches!(error, AccessError::Unreachable { .. }),
            };
            if !passing || attempt >= ATTEMPTS {
                return answer;
            }
            attempt += 1;
            thread::sleep(PAUSE);
        }
    }

    fn get(&self, path: &str) -> Result<Option<Vec<u8>>, AccessError> {
        let (status, body) = self.ask(path, |url| self.agent.get(url).call())?;
        match status {
            StatusCode::OK => Ok(Some(body)),
            StatusCode::NOT_FOUND => Ok(None),
            status => Err(refusal(status, &body)),
        }
    }

    fn found(&self, path: &str) -> Result<Vec<u8>, AccessError> {
        let missing = || AccessError::Malformed(format!("the keeper has nothing under {path}"));
        self.get(path)?.ok_or_else(missing)
    }

    /// What a keeper says of an entry, if the promise is one that convicts it when it is broken.
    fn accept(&self, header: &Header, standing: &[u8]) -> Result<Standing, AccessError> {
        let standing = Standing::from_bytes(standing).map_err(malformed)?;
        if let Standing::Promised(promise) = &standing {
            let origin = self.key.name.as_str().parse().map_err(malformed)?;
            // A keeper may have appended what its witnesses have not cosigned yet.
            let begun = promise.size.checked_sub(1);
            let begun = begun.map_or(Ok(true), |last| self.wait_beyond(last, WITNESSED))?;
            let due = (if begun { promise.size } else { 0 }, promise_limit(header));
            promise.accept(&origin, &self.key.key, header, due).map_err(malformed)?;
        }
        Ok(standing)
    }
}

/// The latest deadline that an author takes, by its own clock.
fn promise_limit(header: &Header) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or_else(|_| header.time(), |now| now.as_secs()).saturating_add(MAX_PROMISE)
}

fn malformed(error: impl std::fmt::Display) -> AccessError {
    AccessError::Malformed(error.to_string())
}

fn read(
    url: &str,
    answer: Result<Response<ureq::Body>, ureq::Error>,
) -> Result<(StatusCode, Vec<u8>), AccessError> {
    let failed = |error: ureq::Error| AccessError::Unreachable {
        place: url.to_owned(),
        reason: error.to_string(),
    };
    let mut answer = answer.map_err(failed)?;
    let status = answer.status();
    let limit = if status.is_success() { ANSWER_LIMIT } else { PROBLEM_LIMIT };
    let body = answer.body_mut().with_config().limit(limit).read_to_vec();
    Ok((status, body.map_err(failed)?))
}

/// Why the keeper does not do what it was asked to.
fn refusal(status: StatusCode, body: &[u8]) -> AccessError {
    let problem = serde_json::from_slice::<Problem>(body);
    let reason = problem.map_or_else(|_| format!("HTTP status {status}"), |problem| problem.detail);
    let wait = match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Some(1000),
        StatusCode::CONFLICT | StatusCode::REQUEST_TIMEOUT => Some(0),
        _ => None,
    };
    AccessError::Refused { reason, wait }
}

impl LogAccess for RemoteLog {
    fn key(&self) -> &VerifierKey {
        &self.key
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        let note = self.get("/checkpoint")?;
        note.map(|note| SignedCheckpoint::parse(&note).map_err(malformed)).transpose()
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        let start = std::time::Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            // Rounded up: the keeper answers as soon as there is news.
            let seconds = left.as_secs_f64().ceil().min(PATIENCE as f64);
            let path = format!("/v1/news?beyond={size}&seconds={seconds}");
            let (status, body) = self.ask(&path, |url| self.agent.get(url).call())?;
            match status {
                StatusCode::OK => return Ok(true),
                StatusCode::NO_CONTENT if start.elapsed() >= timeout => return Ok(false),
                StatusCode::NO_CONTENT => {}
                status => return Err(refusal(status, &body)),
            }
            // A keeper with too many who wait answers at once.
            thread::sleep(left.min(PAUSE));
        }
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        let bytes = self.found(&format!("/v1/leaves?from={from}&limit={limit}"))?;
        let mut reader = Reader::new(&bytes);
        let count = reader.count("leaves", limit.min(MAX_LEAVES)).map_err(malformed)?;
        let leaves = (0..count).map(|_| Leaf::decode(&mut reader)).collect::<Result<_, _>>();
        let leaves = leaves.map_err(malformed)?;
        reader.finish().map_err(malformed)?;
        Ok(leaves)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        let entry = header.digest();
        let mut payload = Vec::new();
        loop {
            let from = payload.len();
            let part = self.get(&format!("/v1/entries/{entry}/payload?from={from}"))?;
            let Some(part) = part else { return Ok(None) };
            payload.extend_from_slice(&part);
            if payload.len() as u64 >= header.length() || part.is_empty() {
                header.verify_payload(&payload)?;
                return Ok(Some(payload));
            }
        }
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        header.verify_payload(payload)?;
        let octets = "application/octet-stream";
        let bytes = header.to_bytes();
        let (status, seat) = self.ask("/v1/headers", |url| {
            self.agent.post(url).header("content-type", octets).send(&bytes[..])
        })?;
        match status {
            StatusCode::OK => return self.accept(header, &seat),
            StatusCode::ACCEPTED => {}
            status => return Err(refusal(status, &seat)),
        }
        let seat = String::from_utf8(seat).map_err(malformed)?;
        if seat.len() != 32 || !seat.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(malformed("not a seat"));
        }
        let url = format!("{}/v1/entries/{}?seat={seat}", self.server, header.digest());
        let put = self.agent.put(&url).header("content-type", octets).send(payload);
        match read(&url, put)? {
            (StatusCode::OK, standing) => self.accept(header, &standing),
            (status, body) => Err(refusal(status, &body)),
        }
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        let standing = self.get(&format!("/v1/entries/{entry}"))?;
        standing.map(|bytes| Standing::from_bytes(&bytes).map_err(malformed)).transpose()
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        let bytes = self.found(&format!("/v1/consistency?from={from}&to={to}"))?;
        let mut reader = Reader::new(&bytes);
        let proof = decode_proof(&mut reader).map_err(malformed)?;
        reader.finish().map_err(malformed)?;
        Ok(proof)
    }
}

/// What a witness answers to `add-checkpoint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witnessed {
    /// The line of its cosignature, and whatever lines stand before it.
    Cosigned(String),
    /// It cosigned this size last.
    Conflict(u64),
    /// It does not cosign.
    Refused(Unsigned),
}

/// That a witness does not cosign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsigned {
    /// The status of its answer.
    pub status: u16,
    /// The status in words, and the first line of what it says, for people.
    pub reason: String,
}

impl Unsigned {
    /// Whether the consistency proof did not fit: the status 422 of C2SP `tlog-witness`.
    pub fn is_inconsistent(&self) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY.as_u16()
    }
}

/// A witness of any program that speaks C2SP `tlog-witness`, at an address.
pub struct RemoteWitness {
    agent: Agent,
    server: String,
}

impl RemoteWitness {
    /// A witness; trusts the certificate authorities in a PEM file.
    ///
    /// # Errors
    /// [`ClientError::Options`].
    pub fn new(server: &str, roots: &[u8]) -> Result<Self, ClientError> {
        let server = server.trim_end_matches('/').to_owned();
        Ok(Self { agent: agent(&server, roots)?, server })
    }

    /// Asks for a cosignature; nothing of the answer is checked.
    ///
    /// # Errors
    /// [`AccessError::Unreachable`], [`AccessError::Malformed`].
    pub fn add_checkpoint(&self, request: &log::AddCheckpoint) -> Result<Witnessed, AccessError> {
        let url = format!("{}/add-checkpoint", self.server);
        let post = self.agent.post(&url).header("content-type", "text/plain; charset=utf-8");
        let (status, body) = read(&url, post.send(request.to_text().as_bytes()))?;
        let text = String::from_utf8(body).map_err(malformed)?;
        Ok(match status {
            StatusCode::OK => Witnessed::Cosigned(text),
            StatusCode::CONFLICT => {
                Witnessed::Conflict(text.trim_end_matches('\n').parse().map_err(malformed)?)
            }
            status => Witnessed::Refused(Unsigned {
                status: status.as_u16(),
                // A witness need not say anything.
                reason: format!("{status}: {}", text.lines().next().unwrap_or("")),
            }),
        })
    }

    /// What convicts the keeper of a log, by the log's name, if the witness has anything; nothing of it is checked.
    ///
    /// # Errors
    /// [`AccessError::Unreachable`].
    pub fn evidence(&self, log: &Digest) -> Result<Option<Vec<u8>>, AccessError> {
        let url = format!("{}/v1/logs/{log}/evidence", self.server);
        let (status, body) = read(&url, self.agent.get(&url).call())?;
        Ok(Some(body).filter(|_| status == StatusCode::OK))
    }

    /// The checkpoint that the witness cosigned last, by the log's name, if it cosigned any; nothing of it is checked.
    ///
    /// # Errors
    /// [`AccessError::Unreachable`], [`AccessError::Malformed`].
    pub fn checkpoint(&self, log: &Digest) -> Result<Option<SignedCheckpoint>, AccessError> {
        let url = format!("{}/v1/logs/{log}/checkpoint", self.server);
        let (status, body) = read(&url, self.agent.get(&url).call())?;
        let note = Some(body).filter(|_| status == StatusCode::OK);
        note.map(|note| SignedCheckpoint::parse(&note).map_err(malformed)).transpose()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a fault here is a failed test")]
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
    };

    use log::{AddCheckpoint, Checkpoint};

    use super::*;

    /// What is made of a witness that answers with this status and this line.
    fn answered(status: &'static str, line: &'static str) -> Witnessed {
        let origin = "example.com/log".parse().unwrap();
        let checkpoint = Checkpoint::new(origin, 0, log::merkle::empty_root());
        let checkpoint = checkpoint.sign(&log::Identity::from_seed(&[1; 32])).unwrap();
        let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint };

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let witness = format!("http://{}", listener.local_addr().unwrap());
        let witness = RemoteWitness::new(&witness, &[]).unwrap();
        let body = request.to_text();
        let serving = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut asked, mut part) = (Vec::new(), [0; 1 << 12]);
            while !asked.ends_with(body.as_bytes()) {
                let read = stream.read(&mut part).unwrap();
                assert!(read > 0);
                asked.extend(part.iter().take(read));
            }
            let length = line.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n");
            stream.write_all(format!("{head}connection: close\r\n\r\n{line}").as_bytes()).unwrap();
        });
        let answer = witness.add_checkpoint(&request).unwrap();
        serving.join().unwrap();
        answer
    }

    /// The status says that a proof does not fit, whatever the words are.
    #[test]
    fn a_refusal_has_its_status() {
        let expected =
            [("422 Unprocessable Entity", true), ("422 No", true), ("403 Forbidden", false)];
        for (status, is_inconsistent) in expected {
            let Witnessed::Refused(refusal) = answered(status, "422: so it says") else { panic!() };
            assert_eq!(refusal.is_inconsistent(), is_inconsistent, "{status}");
            assert!(refusal.reason.ends_with(": 422: so it says"), "{}", refusal.reason);
        }
        assert_eq!(answered("409 Conflict", "7\n"), Witnessed::Conflict(7));
    }
}
