//! Following the board behind the outcome, and speaking there.

use board::{AuthorId, Entry, Identity};
use rand_core::CryptoRng;
use thiserror::Error;
use trace::{
    By, Journal, Query, Request, TraceError,
    routed::{AnswerRecord, Member, Querier, QueryRecord},
};
use wire::{Digest, Encode as _};

use super::{Counted, Found, NotTraceable, PlanError, Topic};
use crate::{
    election::{Phase, Session, SessionError, TereliusWikstrom},
    tracing::{Docket, Failed, Fault, G, Message, Step, Task, is_about_query},
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

/// A finished election and what is asked about it, as of the last entry read.
pub struct Inquiry {
    session: Session<TereliusWikstrom>,
    counted: Counted,
    docket: Docket,
    faults: Vec<Fault>,
    applied: usize,
}

impl Inquiry {
    /// Takes up the inquiry on the board of a finished election.
    ///
    /// # Errors
    /// [`InquiryError::NotTraceable`].
    pub fn open(session: Session<TereliusWikstrom>) -> Result<Self, InquiryError> {
        let entries = session.board().entries();
        let counted = Counted::of(entries, session.election())?;
        let end = session.election().end();
        let applied = entries.iter().filter(|entry| Some(entry.sequence()) <= end).count();
        let docket = Docket::default();
        let mut inquiry = Self { session, counted, docket, faults: Vec::new(), applied };
        inquiry.apply_new();
        Ok(inquiry)
    }

    /// Waits for the outcome, as a party of the election does that goes on with what it verified:
    /// then it verifies nothing twice.
    ///
    /// # Errors
    /// [`InquiryError::Session`], also if the election fails; [`InquiryError::NotTraceable`].
    pub fn after(mut session: Session<TereliusWikstrom>) -> Result<Self, InquiryError> {
        loop {
            match session.election().phase() {
                Phase::Finished => return Self::open(session),
                Phase::Failed(reason) => return Err(SessionError::Failed(reason).into()),
                _ => drop(session.wait()?),
            }
        }
    }

    /// The board, and the election on it.
    pub fn session(&self) -> &Session<TereliusWikstrom> {
        &self.session
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

    /// What a party is waited for.
    pub fn awaited(&self, number: u16) -> Option<Task> {
        self.docket.awaited(self.counted.ground(), number)
    }

    /// Waits a moment for new entries.
    ///
    /// # Errors
    /// [`InquiryError::Session`].
    pub fn wait(&mut self) -> Result<(), InquiryError> {
        self.session.wait()?;
        self.apply_new();
        Ok(())
    }

    /// Says something; reads first what others say meanwhile, and gives up, with `false`, once
    /// `holds` does not any more.
    ///
    /// # Errors
    /// [`InquiryError::Session`].
    pub fn post(
        &mut self,
        identity: &Identity,
        message: &Message,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<bool, InquiryError> {
        let bytes = message.to_bytes();
        while holds(self) {
            let posted = self.session.append(identity, message.kind(), &bytes)?;
            self.apply_new();
            if posted {
                return Ok(true);
            }
        }
        Ok(false)
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
        let question = topic.question(self.session.election(), &self.counted)?;
        let is_it = |request: &Request<G>| {
            request.querier == querier.id()
                && request.direction == topic.direction()
                && request.questions == [question.clone()]
        };
        let mut open =
            self.docket.queries().iter().filter(|asked| !matches!(asked.step, Step::Failed(_)));
        if let Some(asked) = open.find(|asked| asked.query.requests().any(is_it)) {
            return Ok(*asked.query.id());
        }
        let (ground, questions) = (self.counted.ground(), vec![question]);
        let request = querier.request(ground, topic.direction(), By::Value, questions, rng);
        let query = Query::new(vec![request])?;
        let id = *query.id();
        self.post(identity, &Message::Query(query), |inquiry| inquiry.docket.query(&id).is_none())?;
        Ok(id)
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

    /// Does a party's work, one task after the other, until `is_done` says so.
    ///
    /// # Errors
    /// [`InquiryError`].
    pub fn serve(
        &mut self,
        member: &mut Member<G>,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
        mut report: impl FnMut(Task, bool),
        is_done: impl Fn(&Self) -> bool,
    ) -> Result<(), InquiryError> {
        let number = member.number();
        loop {
            match self.awaited(number) {
                Some(task) => {
                    let ground = self.counted.ground();
                    let message = match self.docket.answer(ground, task, member, journal, rng) {
                        Ok(message) => message,
                        Err(error) => {
                            let id = task.query().filter(|_| is_about_query(&error));
                            self.docket.skip(id.ok_or(error)?, number);
                            report(task, false);
                            continue;
                        }
                    };
                    let awaits = |inquiry: &Self| inquiry.awaited(number) == Some(task);
                    let identity = member.identity();
                    report(task, self.post(identity, &message, awaits)?);
                }
                None if is_done(self) => return Ok(()),
                None => self.wait()?,
            }
        }
    }

    fn apply_new(&mut self) {
        let entries = self.session.board().entries();
        for entry in entries.iter().skip(self.applied) {
            if let Err(reason) = take(&mut self.docket, &self.counted, entry) {
                let (sequence, author): (u64, AuthorId) = (entry.sequence(), entry.author());
                self.faults.push(Fault { sequence, author, reason });
            }
        }
        self.applied = entries.len();
    }
}

fn take(docket: &mut Docket, counted: &Counted, entry: &Entry) -> Result<(), String> {
    let message = Message::from_entry(entry.kind(), entry.payload());
    let message = message.map_err(|error| error.to_string())?;
    if let Message::Query(query) = &message {
        counted.require_harmless(query)?;
    }
    docket.take(counted.ground(), &entry.author(), message)
}
