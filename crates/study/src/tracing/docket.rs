//! All queries about one mix, as the board has them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use algebra::Group;
use board::AuthorId;
use rand_core::CryptoRng;
use trace::{
    By, Direction, Journal, Query, TraceError,
    routed::{Ground, Member, Pass},
};
use wire::{Digest, Encode as _};

use super::{Asked, Failed, G, Message, Step, Task, asked::advance, messages::MAX_REASON};

/// The queries about a mix, verified message by message.
#[derive(Default)]
pub struct Docket {
    queries: Vec<Asked>,
    /// Whom these queries wait for in vain, as far as this process knows.
    skipped: BTreeSet<(Digest, u16)>,
}

impl Docket {
    /// The queries, in order.
    pub fn queries(&self) -> &[Asked] {
        &self.queries
    }

    /// A query by its id.
    pub fn query(&self, id: &Digest) -> Option<&Asked> {
        self.queries.iter().find(|asked| asked.query.id() == id)
    }

    /// The queries that all parties agreed on: of these shares may be out. Reports are about them;
    /// what counts against a party's policy is in its own journal.
    pub fn agreed(&self) -> impl Iterator<Item = &Query<G>> {
        let agreed = |asked: &&Asked| matches!(asked.step, Step::Agreed(..));
        self.queries.iter().filter(agreed).map(|asked| &asked.query)
    }

    /// Whether a party answered as many questions as it answers at most: its policy admits no other.
    pub fn is_used_up(&self, ground: &Ground<G>, server: u16, most: usize) -> bool {
        let answered = self.queries.iter().filter(|asked| {
            matches!(asked.step, Step::Agreed(..)) && asked.is_over_for(ground, server)
        });
        count_questions(answered.map(|asked| &asked.query)) >= most
    }

    /// What a party is waited for, the oldest query first.
    pub fn awaited(&self, ground: &Ground<G>, server: u16) -> Option<Task> {
        let is_open = |asked: &&Asked| !self.skipped.contains(&(*asked.query.id(), server));
        self.queries.iter().filter(is_open).find_map(|asked| asked.awaited(ground, server))
    }

    /// Takes what somebody says about a query.
    ///
    /// # Errors
    /// The reason, if the message has no effect.
    pub fn take(
        &mut self,
        ground: &Arc<Ground<G>>,
        author: &AuthorId,
        message: Message,
    ) -> Result<(), String> {
        let server = ground.number_of(author).ok_or("no server of this session");
        match message {
            Message::Query(query) => {
                let text = |error: TraceError| error.to_string();
                Pass::new(ground.clone(), query.clone()).map_err(text)?;
                if self.query(query.id()).is_some() {
                    return Err("this query was asked before".into());
                }
                let (step, complaints) = (Step::Routing(vec![]), BTreeMap::new());
                self.queries.push(Asked { query, step, complaints });
                Ok(())
            }
            // Whoever posts it: it proves itself.
            Message::Complaint(id, complaint) => {
                let asked = self.queries.iter_mut().find(|asked| *asked.query.id() == id);
                asked.ok_or("there is no such query")?.complain(&complaint)
            }
            Message::Refusal(id, reason) => {
                let server = server?;
                let asked = self.queries.iter_mut().find(|asked| *asked.query.id() == id);
                let asked = asked.ok_or("there is no such query")?;
                match asked.step {
                    Step::Agreed(..) | Step::Failed(_) => Err("too late to refuse".into()),
                    _ => {
                        asked.step = Step::Failed(Failed::Refused { server, reason });
                        Ok(())
                    }
                }
            }
            message => self.take_task(ground, server?, message),
        }
    }

    /// A party says what it is waited for, and nothing else.
    fn take_task(
        &mut self,
        ground: &Arc<Ground<G>>,
        server: u16,
        message: Message,
    ) -> Result<(), String> {
        let task = message.task();
        let (Some(task), Some(id)) = (task, task.and_then(Task::query)) else {
            return Err("out of place".into());
        };
        let asked = self.queries.iter_mut().find(|asked| *asked.query.id() == id);
        let asked = asked.ok_or("there is no such query")?;
        let is_awaited = match task {
            Task::Share(_, request) => asked.lacks_share(ground, request, server),
            _ => asked.awaited(ground, server) == Some(task),
        };
        if !is_awaited {
            return Err("the server is not waited for to say this".into());
        }
        let step = std::mem::replace(&mut asked.step, Step::Failed(Failed::Spoiled(String::new())));
        let advanced = advance(step, &asked.query, ground, server, message);
        let spoiled = |error: TraceError| Step::Failed(Failed::Spoiled(error.to_string()));
        asked.step = advanced.unwrap_or_else(spoiled);
        Ok(())
    }

    /// Lets a party go on with other queries if it cannot give its share of this one.
    pub fn skip(&mut self, query: Digest, server: u16) {
        self.skipped.insert((query, server));
    }

    /// What a party says when a query waits for it. A query that its policy refuses, or that it
    /// cannot work on, is refused on the board as long as not all parties have signed it.
    ///
    /// # Errors
    /// [`TraceError`] if a share cannot be given, for which it is too late to refuse, and if the
    /// party can do nothing at all (see [`is_about_query`]).
    pub fn answer(
        &self,
        ground: &Arc<Ground<G>>,
        task: Task,
        member: &mut Member<G>,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        let id = task.query().ok_or_else(out_of_place)?;
        match self.try_answer(ground, (task, id), member, journal, rng) {
            Err(error) if is_about_query(&error) && !matches!(task, Task::Share(..)) => {
                let reason = match error {
                    TraceError::Policy { reason, .. } => reason,
                    error => error.to_string(),
                };
                Ok(Message::Refusal(id, reason.chars().take(MAX_REASON / 4).collect()))
            }
            other => other,
        }
    }

    fn try_answer(
        &self,
        ground: &Arc<Ground<G>>,
        (task, id): (Task, Digest),
        member: &mut Member<G>,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        let asked = self.query(&id).ok_or_else(out_of_place)?;
        match (&asked.step, task) {
            (Step::Routing(turns), Task::Pass(_)) => {
                let pass = Pass::new(ground.clone(), asked.query.clone())?;
                let turn = member.pass_on(&pass, turns, journal, rng)?;
                Ok(Message::QueryTurn(id, turn))
            }
            (Step::Blinding(routed, _), Task::Blind(_)) => {
                Ok(Message::Blinding(id, member.blind(routed, journal, rng)?))
            }
            (Step::Signing(blinded, _), Task::SignQuery(_)) => {
                Ok(Message::QuerySignature(id, member.sign_query(blinded, journal)?))
            }
            (Step::Agreed(agreed, _), Task::Share(_, request)) => {
                let share = member.share(agreed, request as usize, journal, rng)?;
                Ok(Message::Share(id, request, share))
            }
            _ => Err(out_of_place()),
        }
    }
}

/// How many questions queries ask, each counted once for each querier, as policies count them.
pub(crate) fn count_questions<'a, G: Group>(queries: impl Iterator<Item = &'a Query<G>>) -> usize {
    let names = queries.flat_map(Query::requests).flat_map(|request| {
        request.questions.iter().map(|question| {
            let ways = (request.direction == Direction::Out, request.by == By::Position);
            (request.querier, ways, question.inputs.to_bytes(), question.outputs.to_bytes())
        })
    });
    names.collect::<BTreeSet<_>>().len()
}

/// Whether an error is about the query at hand, and not the party's own: of its journal, its key
/// file, or what it was asked to do.
pub fn is_about_query(error: &TraceError) -> bool {
    !matches!(
        error,
        TraceError::Journal { .. }
            | TraceError::NotAServer
            | TraceError::ForeignPermutation { .. }
            | TraceError::Query(_)
    )
}

pub(super) fn out_of_place() -> TraceError {
    TraceError::Query("the board does not wait for this")
}
