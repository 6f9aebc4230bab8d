//! Following the board behind the outcome, and speaking there.

use board::{Entry, Identity};
use rand_core::CryptoRng;
use thiserror::Error;
use trace::{
    By, Journal, Query, Request, TraceError,
    routed::{AnswerRecord, Member, Querier, QueryRecord},
};
use wire::{Digest, Encode as _};

use super::{Counted, Found, NotTraceable, PlanError, Topic};
use crate::{
    election::{Election, Phase, Session, TereliusWikstrom},
    replay::{Party, Protocol, Replay, SessionError, check_slot},
    tracing::{Docket, Failed, Fault, G, Message, Step, Task, is_about_a_query},
};

/// Why a party of an inquiry cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InquiryError {
    /// The board, or the party's part of the election.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Nothing can be asked about the election.
    #[error(transparent)]
    NotTraceable(#[from] NotTraceable),
    /// The election has nothing of the kind that is asked about.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A query came to nothing; why, and by whose doing.
    #[error("the query failed: {0}")]
    Failed(Failed),
    /// The party's own computation failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// A finished election and what is asked about it, as of the last entry applied.
pub struct Inquiry {
    election: Election<TereliusWikstrom>,
    counted: Counted,
    docket: Docket,
    faults: Vec<Fault>,
}

/// The board of a finished election, followed behind its outcome.
pub type Follower = Replay<Inquiry>;

impl Inquiry {
    /// Takes up what the entries of a board, up to the outcome, amount to.
    ///
    /// # Errors
    /// [`NotTraceable`].
    pub fn about(
        election: Election<TereliusWikstrom>,
        entries: &[Entry],
    ) -> Result<Self, NotTraceable> {
        let counted = Counted::of(entries, &election)?;
        Ok(Self { election, counted, docket: Docket::default(), faults: Vec::new() })
    }

    /// The election.
    pub fn election(&self) -> &Election<TereliusWikstrom> {
        &self.election
    }

    /// The election as queries see it.
    pub fn counted(&self) -> &Counted {
        &self.counted
    }

    /// The queries.
    pub fn docket(&self) -> &Docket {
        &self.docket
    }

    /// The entries behind the outcome that had no effect.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Whether a party answered as many questions as it answers at most.
    pub fn is_used_up(&self, number: u16, most: usize) -> bool {
        self.docket.is_used_up(self.counted.ground(), number, most)
    }

    /// What a party is waited for.
    pub fn awaited(&self, number: u16) -> Option<Task> {
        self.docket.awaited(self.counted.ground(), number)
    }

    /// The answer to a query about a topic, once enough trustees sent their shares.
    ///
    /// # Errors
    /// [`InquiryError::Failed`] if it was refused or spoiled, or if all shares are there and too
    /// few of them hold.
    pub fn read(
        &self,
        querier: &Querier<G>,
        topic: &Topic,
        id: &Digest,
    ) -> Result<Option<Found>, InquiryError> {
        let (agreed, shares) = match self.docket.query(id).map(|asked| &asked.step) {
            Some(Step::Agreed(agreed, shares)) => (agreed, shares),
            Some(Step::Failed(reason)) => return Err(InquiryError::Failed(reason.clone())),
            _ => return Ok(None),
        };
        let sent: Vec<_> = shares.values().cloned().collect();
        let reading = querier.read(agreed, 0, &sent)?;
        let trustees = self.counted.ground().signers().iter().filter_map(|signer| signer.trustee);
        match reading.answer {
            Err(error) if sent.len() == trustees.count() => {
                Err(InquiryError::Failed(Failed::Spoiled(error.to_string())))
            }
            Err(_) => Ok(None),
            Ok(_) => {
                let (query, shares) = (QueryRecord::of(agreed), reading.shares);
                let record = AnswerRecord { query, request: 0, shares }.to_bytes();
                Ok(Some(Found { topic: topic.clone(), record }))
            }
        }
    }

    fn take(&mut self, entry: &Entry) -> Result<(), String> {
        let message = Message::from_entry(entry.kind(), entry.payload());
        let message = message.map_err(|error| error.to_string())?;
        check_slot(self, entry, &message).map_err(|(_, reason)| reason)?;
        if let Message::Query(query) = &message {
            self.counted.require_harmless(query)?;
        }
        self.docket.take(self.counted.ground(), &entry.author(), message)
    }
}

impl Protocol for Inquiry {
    const NAME: &'static str = "inquiry";
    type Message = Message;
    type Task = Task;

    fn apply(&mut self, entry: &Entry) {
        if let Err(reason) = self.take(entry) {
            let (sequence, author) = (entry.sequence(), entry.author());
            self.faults.push(Fault { sequence, author, reason });
        }
    }

    /// Never: a query that fails leaves the others as they are.
    fn failure(&self) -> Option<String> {
        None
    }

    fn subject(&self, message: &Message) -> Vec<u8> {
        message.subject()
    }

    fn entry_of(message: &Message) -> (String, Vec<u8>) {
        (message.kind().to_owned(), message.to_bytes())
    }
}

impl Follower {
    /// Takes up the inquiry on the board of a finished election.
    ///
    /// # Errors
    /// [`InquiryError::NotTraceable`].
    pub fn take_up(session: Session<TereliusWikstrom>) -> Result<Self, InquiryError> {
        // Without an outcome there is no inquiry either.
        let last = session.election().end().unwrap_or(u64::MAX);
        Ok(session.follow_on(last, Inquiry::about)?)
    }

    /// Waits for the outcome, as a party of the election does that goes on with what it verified:
    /// then it verifies nothing twice.
    ///
    /// # Errors
    /// [`InquiryError::Session`], also if the election fails; [`InquiryError::NotTraceable`].
    pub fn take_up_after(mut session: Session<TereliusWikstrom>) -> Result<Self, InquiryError> {
        while session.election().phase() != Phase::Finished {
            session.wait()?;
        }
        Self::take_up(session)
    }

    /// Asks about a topic, unless this querier's question is on the board already: the query's id.
    ///
    /// # Errors
    /// [`InquiryError`].
    pub fn ask(
        &mut self,
        querier: &Querier<G>,
        identity: &Identity,
        topic: &Topic,
        rng: &mut impl CryptoRng,
    ) -> Result<Digest, InquiryError> {
        let Inquiry { election, counted, docket, .. } = self.state();
        let question = topic.question(election, counted)?;
        let is_it = |request: &Request<G>| {
            request.querier == querier.id()
                && request.direction == topic.direction()
                && request.questions == [question.clone()]
        };
        let mut open =
            docket.queries().iter().filter(|asked| !matches!(asked.step, Step::Failed(_)));
        if let Some(asked) = open.find(|asked| asked.query.requests().any(is_it)) {
            return Ok(*asked.query.id());
        }
        let questions = vec![question];
        let request =
            querier.request(counted.ground(), topic.direction(), By::Value, questions, rng);
        let query = Query::new(vec![request])?;
        let id = *query.id();
        let is_new = |inquiry: &Inquiry| inquiry.docket.query(&id).is_none();
        self.post(identity, &Message::Query(query), is_new)?;
        Ok(id)
    }
}

/// A mixer or a trustee that answers questions.
pub struct Responder<J> {
    member: Member<G>,
    journal: J,
    queries: Option<usize>,
}

impl<J: Journal> Responder<J> {
    /// A party with its journal, which stops after so many answered queries if any number is given.
    pub fn new(member: Member<G>, journal: J, queries: Option<usize>) -> Self {
        Self { member, journal, queries }
    }
}

impl<J: Journal> Party<Inquiry> for Responder<J> {
    fn identity(&self) -> &Identity {
        self.member.identity()
    }

    fn awaited(&self, inquiry: &Inquiry) -> Option<Task> {
        inquiry.awaited(self.member.number())
    }

    fn perform(
        &mut self,
        task: Task,
        inquiry: &Inquiry,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, SessionError> {
        let Self { member, journal, .. } = self;
        Ok(inquiry.docket.answer(inquiry.counted.ground(), task, member, journal, rng)?)
    }

    fn pass_over(&self, task: &Task, error: &SessionError, inquiry: &mut Inquiry) -> bool {
        let query = task.query().filter(|_| is_about_a_query(error));
        query.map(|id| inquiry.docket.skip(id, self.member.number())).is_some()
    }

    fn is_done(&self, inquiry: &Inquiry) -> bool {
        let (ground, number) = (inquiry.counted.ground(), self.member.number());
        let answered = inquiry.docket.queries().iter().filter(|asked| {
            matches!(asked.step, Step::Agreed(..)) && asked.is_over_for(ground, number)
        });
        self.queries.is_some_and(|queries| answered.count() >= queries)
    }
}
