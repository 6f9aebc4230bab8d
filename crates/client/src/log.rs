//! A client of one table, and the log that it has seen.

use data_encoding::BASE64;
use table::{
    Genesis, Hash, Table,
    log::{Evidence, LoggedRotation, SignedCheckpoint, merkle},
};

use crate::{
    ClientError, Options,
    api::{Consistency, EpochInfo, Gossip, LogView},
    connection::Connection,
    error::refused,
};

/// Asks a server about one table, and believes nothing.
pub struct Client {
    pub(crate) connection: Connection,
    /// As the genesis has it: changes of the operator's key come with every log.
    genesis: Table,
    seen: Option<SignedCheckpoint>,
}

/// A log that was verified.
pub(crate) struct VerifiedLog {
    /// The table, with the changes of the operator's key that the log records.
    pub(crate) table: Table,
    pub(crate) signed: SignedCheckpoint,
    pub(crate) rotations: Vec<LoggedRotation>,
}

impl Client {
    /// Fetches the genesis of a table, which must be the one that its identifier is the hash of.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn connect(options: &Options, table: &Hash) -> Result<Self, ClientError> {
        let connection = Connection::open(options)?;
        let bytes = connection.get_bytes("")?;
        let genesis = Genesis::from_bytes(&bytes).and_then(Table::new);
        let genesis = genesis.map_err(|error| ClientError::answer(format!("genesis: {error}")))?;
        if genesis.id() != table {
            let fault = table::Fault::Mismatch { what: "the genesis" };
            return Err(ClientError::Refused { what: "the table", fault });
        }
        Ok(Self { connection, genesis, seen: None })
    }

    /// The table, as its genesis has it.
    pub fn table(&self) -> &Table {
        &self.genesis
    }

    /// Requires of every log that it continues this one, which the client's user kept. Changes of the
    /// operator's key are learnt from the first log that is shown.
    ///
    /// # Errors
    /// [`ClientError`] if the server's log does not.
    pub fn remember(&mut self, note: &str) -> Result<(), ClientError> {
        // The rotations that the newest log records say by which key the older one was signed.
        let answer = self.connection.post_bytes("/gossip", ("text/plain", note.as_bytes()), &[])?;
        let answer: Gossip = serde_json::from_slice(&answer).map_err(ClientError::answer)?;
        let shown = self.read(&answer.log)?;
        let seen =
            SignedCheckpoint::from_note(&shown.table, note).map_err(refused("the log seen"))?;
        seen.verify_operator(&shown.table).map_err(refused("the log seen"))?;
        self.seen = Some(seen);
        self.advance(&shown)
    }

    /// The newest log seen: keep its note ([`SignedCheckpoint::to_note`]) for the next time.
    pub fn seen(&self) -> Option<&SignedCheckpoint> {
        self.seen.as_ref()
    }

    /// How far an epoch is, as the server says.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn epoch(&self, epoch: u32) -> Result<EpochInfo, ClientError> {
        let info: EpochInfo = self.connection.get(&format!("/epochs/{epoch}"))?;
        match info.epoch == epoch {
            true => Ok(info),
            false => Err(ClientError::answer("it is about another epoch")),
        }
    }

    /// Verifies signatures and growth of a log that an answer is about.
    pub(crate) fn verify_log(&mut self, view: &LogView) -> Result<VerifiedLog, ClientError> {
        let shown = self.read(view)?;
        self.advance(&shown)?;
        Ok(shown)
    }

    /// Reads a log, and checks the operator's signature and the witnesses'.
    fn read(&self, view: &LogView) -> Result<VerifiedLog, ClientError> {
        let mut table = self.genesis.clone();
        let rotations = view.rotations.iter().map(|text| decode::<LoggedRotation>(text));
        let rotations: Vec<_> = rotations.collect::<Result<_, _>>()?;
        let signed = SignedCheckpoint::from_note_with(&mut table, &view.checkpoint, &rotations);
        let signed = signed.map_err(refused("the log"))?;
        signed.verify(&table).map_err(refused("the log"))?;
        Ok(VerifiedLog { table, signed, rotations })
    }

    /// Requires that a log continues the one seen, and remembers it.
    fn advance(&mut self, shown: &VerifiedLog) -> Result<(), ClientError> {
        let new = &shown.signed.checkpoint;
        if let Some(seen) = &self.seen {
            let old = &seen.checkpoint;
            if new.size < old.size {
                return Err(ClientError::Stale { shown: new.size, seen: old.size });
            }
            let proof = match new.size == old.size {
                true => Vec::new(),
                false => self.consistency(old.size, new.size)?,
            };
            let (old, new) = ((old.size, &old.root), (new.size, &new.root));
            if merkle::verify_consistency(old, new, &proof).is_err() {
                return Err(equivocation(seen, shown));
            }
        }
        self.seen = Some(shown.signed.clone());
        Ok(())
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, ClientError> {
        let path = format!("/log/consistency?from={from}&to={to}");
        let answer: Consistency = self.connection.get(&path)?;
        let hash = |text: &String| text.parse().map_err(|_| ClientError::answer("not a hash"));
        answer.proof.iter().map(hash).collect()
    }
}

fn equivocation(seen: &SignedCheckpoint, shown: &VerifiedLog) -> ClientError {
    let evidence = Evidence::TwoRoots { one: seen.clone(), other: shown.signed.clone() };
    let evidence = evidence.verify(&shown.table).is_ok().then(|| Box::new(evidence));
    let (seen, shown) = (Box::new(seen.clone()), Box::new(shown.signed.clone()));
    ClientError::Equivocation { seen, shown, evidence }
}

/// Reads canonical bytes in base64.
pub(crate) fn decode<T: wire::Decode>(text: &str) -> Result<T, ClientError> {
    let bytes = BASE64.decode(text.as_bytes()).map_err(ClientError::answer)?;
    T::from_bytes(&bytes).map_err(ClientError::answer)
}
