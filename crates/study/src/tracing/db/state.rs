//! What the board amounts to: the session and every query, verified entry by entry.

use std::sync::Arc;

use board::{AuthorId, Entry};
use shuffle::tw::Generators;
use trace::{Query, routed::KeyTranscript};
use trace_db::{
    DEALER, DbEngine, G1, InputBox, KeyRecord, Outputs, PaillierMessages, Session, SessionRules,
    Step, VerifiedSession,
};
use wire::{CheckName, Digest, Encode as _};

use super::{
    DbMessage, DbQuery, DbSetup, DbTask,
    messages::Known,
    queries::Queries,
    stages::{DbStage, Keys, Mixing, Refused, task_of},
};
use crate::{
    checks::DB_32,
    replay::{Begin, Protocol, check_slot},
    tracing::{Fault, Traced, docket::count_questions, state::author_of},
};

/// A traceable mix of the engine `db`, as of the last entry applied.
pub struct DbTracing {
    id: Digest,
    operator: AuthorId,
    setup: DbSetup,
    rules: SessionRules,
    record: Option<KeyRecord>,
    session: Option<Arc<Session>>,
    stage: DbStage,
    queries: Queries,
    faults: Vec<Fault>,
    dropped: Vec<String>,
}

impl Begin for DbTracing {
    fn begin(genesis: &Entry) -> Result<Self, String> {
        let known = Known { rules: None, session: None };
        let message = DbMessage::from_entry(genesis.kind(), genesis.payload(), &known);
        let Ok(DbMessage::Setup(setup)) = message else {
            return Err("the board is not that of a traceable mix of the engine `db`".into());
        };
        let id = genesis.digest();
        let rules = setup.rules(&id).map_err(|error| error.to_string())?;
        let keys = Keys {
            elgamal: KeyTranscript { round1: vec![], round2: vec![], round3: vec![] },
            base: None,
            sealing: vec![],
            contributions: vec![],
            dealt: None,
            confirmed: 0,
        };
        Ok(Self {
            id,
            operator: genesis.author(),
            setup,
            rules,
            record: None,
            session: None,
            stage: DbStage::Key(Box::new(keys)),
            queries: Queries::default(),
            faults: vec![],
            dropped: vec![],
        })
    }
}

impl Protocol for DbTracing {
    const NAME: &'static str = "session";
    type Message = DbMessage;
    type Task = DbTask;

    fn apply(&mut self, entry: &Entry) {
        let author = entry.author();
        let known = Known { rules: Some(&self.rules), session: self.session.as_deref() };
        let taken = DbMessage::from_entry(entry.kind(), entry.payload(), &known)
            .map_err(|error| error.to_string())
            .and_then(|message| {
                check_slot(self, entry, &message).map_err(|(_, reason)| reason)?;
                self.take(author, message)
            });
        if let Err(reason) = taken {
            self.faults.push(Fault { sequence: entry.sequence(), author, reason });
        }
    }

    fn failure(&self) -> Option<String> {
        match &self.stage {
            DbStage::Failed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    fn subject(&self, message: &DbMessage) -> Vec<u8> {
        message.subject()
    }

    fn entry_of(message: &DbMessage) -> (String, Vec<u8>) {
        (message.kind(), message.to_bytes())
    }
}

impl DbTracing {
    /// What a server, or the [dealer](DEALER), is waited for, the oldest first.
    pub fn awaited(&self, party: u16) -> Option<DbTask> {
        let servers = self.rules.servers().len();
        let next = |done: usize| done < servers && done + 1 == usize::from(party);
        match &self.stage {
            DbStage::Key(keys) => keys.awaited(&self.rules, party),
            DbStage::Mixing(mixing) if mixing.permutations.len() < servers => {
                next(mixing.permutations.len()).then_some(DbTask::Commit)
            }
            DbStage::Mixing(mixing) => next(mixing.turns.len()).then_some(DbTask::Mix),
            DbStage::Decrypting(decrypting) if decrypting.agreement.len() < servers => {
                next(decrypting.agreement.len()).then_some(DbTask::SignMix)
            }
            DbStage::Decrypting(decrypting) => {
                next(decrypting.partials.len()).then_some(DbTask::Decrypt)
            }
            DbStage::Ready(_) => self.queries.awaited(party),
            DbStage::Open(_) | DbStage::Failed(_) => None,
        }
    }

    /// Whether a server answered as many questions as it answers at most.
    pub fn is_used_up(&self, server: u16, most: usize) -> bool {
        let answered = self.queries.list().iter().filter(|query| {
            let asked = query.asked.as_ref();
            asked.is_ok_and(|asked| asked.step() == Step::Response && !asked.awaits(server))
        });
        self.outputs().is_some() && count_questions(answered.map(|query| &query.query)) >= most
    }

    /// Waits no longer for a party in a query, if the task is about one.
    pub(super) fn skip(&mut self, task: DbTask, party: u16) -> bool {
        let DbTask::Query(id, _) = task else { return false };
        self.queries.skip(id, party);
        true
    }

    /// The board's name.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// The genesis entry.
    pub fn setup(&self) -> &DbSetup {
        &self.setup
    }

    /// The session's rules.
    pub fn rules(&self) -> &SessionRules {
        &self.rules
    }

    /// Everything that was said to make the keys, once they are made.
    pub fn keys(&self) -> Option<&KeyRecord> {
        self.record.as_ref()
    }

    /// The session, once it has its keys.
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// How far the session is.
    pub fn stage(&self) -> &DbStage {
        &self.stage
    }

    /// The queries, in order.
    pub fn queries(&self) -> &[DbQuery] {
        self.queries.list()
    }

    /// A query by its id.
    pub fn query(&self, id: &Digest) -> Option<&DbQuery> {
        self.queries.find(id)
    }

    /// The queries that all servers agreed on: of these answers may be out.
    pub fn agreed(&self) -> impl Iterator<Item = &Query<G1>> {
        let agreed = |query: &&DbQuery| query.asked.as_ref().is_ok_and(|asked| asked.is_agreed());
        self.queries.list().iter().filter(agreed).map(|query| &query.query)
    }

    /// The entries that had no effect.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Submissions that were left out when they were closed, and why.
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// The opened session, once there is one.
    pub fn outputs(&self) -> Option<&Arc<Outputs>> {
        match &self.stage {
            DbStage::Ready(outputs) => Some(outputs),
            _ => None,
        }
    }

    /// The number of a server, counted from 1, or the dealer's.
    fn party(&self, author: &AuthorId) -> Option<u16> {
        if self.rules.dealer() == Some(author) {
            return Some(DEALER);
        }
        let servers = self.rules.servers().iter();
        (1..).zip(servers).find(|(_, server)| *server == author).map(|(number, _)| number)
    }

    fn take(&mut self, author: AuthorId, message: DbMessage) -> Result<(), String> {
        match message {
            DbMessage::Setup(_) => Err("the session is set up already".into()),
            DbMessage::Submission(submission) => {
                let DbStage::Open(inputs) = &mut self.stage else {
                    return Err("submissions are not open".into());
                };
                let is_own = submission.sender() == author.as_bytes();
                if !is_own || !self.setup.senders.contains(&author) {
                    return Err("not the submission of a sender who may submit".into());
                }
                inputs.admit(*submission).map_err(|error| error.to_string())
            }
            DbMessage::Close if author == self.operator => self.close(),
            DbMessage::Close => Err("only the operator closes".into()),
            DbMessage::Query(query, offers) => {
                let outputs = self.outputs().ok_or("the mix is not opened yet")?.clone();
                self.queries.ask(&outputs, query, *offers, self.rules.dealer())
            }
            DbMessage::Refusal(id, reason) => {
                let party = self.party(&author).ok_or("no server of this session")?;
                self.queries.refuse(&id, party, &reason)
            }
            DbMessage::Said(id, _, parts) => {
                let party = self.party(&author).ok_or("no server of this session")?;
                self.queries.say(&id, party, *parts)
            }
            message => self.take_from_party(&author, message),
        }
    }

    fn close(&mut self) -> Result<(), String> {
        let DbStage::Open(inputs) = &self.stage else { return Err("nothing is open".into()) };
        if inputs.is_empty() {
            return Err("nobody submitted anything".into());
        }
        let stage = std::mem::replace(&mut self.stage, DbStage::Failed(String::new()));
        let DbStage::Open(inputs) = stage else { return Ok(()) };
        self.stage = match inputs.close() {
            Ok((inputs, dropped)) => {
                self.dropped = dropped.iter().map(ToString::to_string).collect();
                DbStage::Mixing(Mixing {
                    generators: Arc::new(Generators::derive(inputs.rows())),
                    inputs: Arc::new(inputs),
                    permutations: vec![],
                    turns: vec![],
                })
            }
            Err(error) => DbStage::Failed(error.to_string()),
        };
        Ok(())
    }

    /// A party says what it is waited for, and nothing else.
    fn take_from_party(&mut self, author: &AuthorId, message: DbMessage) -> Result<(), String> {
        let party = self.party(author).ok_or("no server of this session")?;
        let awaited = self.awaited(party);
        if awaited.is_none() || awaited != task_of(&message) {
            return Err("the server is not waited for to say this".into());
        }
        let servers = self.rules.servers().len();
        match std::mem::replace(&mut self.stage, DbStage::Failed(String::new())) {
            DbStage::Key(mut keys) => {
                let taken = keys.take(&self.rules, party, message);
                self.stage = DbStage::Key(keys);
                match taken {
                    Ok(true) => self.establish(),
                    Ok(false) => {}
                    Err(Refused::Entry(reason)) => return Err(reason),
                    Err(Refused::Session(reason)) => self.stage = DbStage::Failed(reason),
                }
            }
            DbStage::Mixing(mut mixing) => {
                let taken = mixing.take(message);
                self.stage = mixing.next(servers);
                return taken;
            }
            DbStage::Decrypting(mut decrypting) => {
                let taken = match message {
                    DbMessage::Decryption(partial) if partial.server() == party => {
                        self.stage = decrypting.take(servers, partial);
                        return Ok(());
                    }
                    DbMessage::MixSignature(signature) => decrypting.sign(signature),
                    _ => Err("a message of another server's part".into()),
                };
                self.stage = DbStage::Decrypting(decrypting);
                return taken;
            }
            stage => self.stage = stage,
        }
        Ok(())
    }

    /// All keys are there.
    fn establish(&mut self) {
        let stage = std::mem::replace(&mut self.stage, DbStage::Failed(String::new()));
        let DbStage::Key(keys) = stage else { return };
        let Keys { elgamal, base, sealing, contributions, dealt, .. } = *keys;
        let Some(base) = base else { return };
        let paillier = match dealt {
            Some(dealt) => PaillierMessages::Dealer(Box::new(dealt)),
            None => PaillierMessages::Servers(contributions),
        };
        let record = KeyRecord { rules: self.rules.clone(), key: elgamal, sealing, paillier };
        self.stage = match record.establish_on(base) {
            Ok(session) => {
                let session = Arc::new(session);
                self.session = Some(session.clone());
                self.record = Some(record);
                DbStage::Open(InputBox::new(session))
            }
            Err(error) => DbStage::Failed(error.to_string()),
        };
    }
}

impl Traced for DbTracing {
    const CHECK: CheckName = DB_32;

    type Engine = DbEngine;

    fn title(&self) -> &str {
        &self.setup.title
    }

    fn opened(&self) -> Option<VerifiedSession> {
        Some(VerifiedSession::new(self.record.clone()?, self.outputs()?.clone()))
    }

    fn senders_of_rows(&self) -> Vec<AuthorId> {
        let inputs = self.outputs().map(|outputs| outputs.mixed().inputs().submissions());
        let submissions = inputs.into_iter().flatten();
        submissions.filter_map(|one| author_of(one.sender())).collect()
    }

    fn is_agreed(&self, query: &Digest) -> bool {
        self.agreed().any(|agreed| agreed.id() == query)
    }
}
