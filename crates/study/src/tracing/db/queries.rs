//! The queries of a session, as the board has them.

use std::{collections::BTreeSet, sync::Arc};

use board::AuthorId;
use trace::{Query, TraceError};
use trace_db::{Asked, G1, Offer, Outputs, Part, Said};
use wire::Digest;

use super::DbTask;
use crate::tracing::Failed;

/// A query on the board.
pub struct DbQuery {
    /// What is asked.
    pub query: Query<G1>,
    /// How far it is; or why it failed, and by whose doing.
    pub asked: Result<Box<Asked>, Failed>,
}

/// All queries about one mix.
#[derive(Default)]
pub(super) struct Queries {
    list: Vec<DbQuery>,
    /// Whom these queries wait for in vain, as far as this process knows.
    skipped: BTreeSet<(Digest, u16)>,
}

impl Queries {
    pub(super) fn list(&self) -> &[DbQuery] {
        &self.list
    }

    pub(super) fn skip(&mut self, query: Digest, party: u16) {
        self.skipped.insert((query, party));
    }

    pub(super) fn find(&self, id: &Digest) -> Option<&DbQuery> {
        self.list.iter().find(|query| query.query.id() == id)
    }

    /// What a party is waited for, the oldest query first.
    pub(super) fn awaited(&self, party: u16) -> Option<DbTask> {
        self.list.iter().find_map(|DbQuery { query, asked }| {
            // A query that failed waits for nobody.
            let asked = asked.as_ref().ok()?;
            let is_open = asked.awaits(party) && !self.skipped.contains(&(*query.id(), party));
            is_open.then(|| DbTask::Query(*query.id(), asked.step()))
        })
    }

    /// Takes a querier's question; who may ask is for the servers' policies to say.
    pub(super) fn ask(
        &mut self,
        outputs: &Arc<Outputs>,
        query: Query<G1>,
        offers: [Offer; 2],
        dealer: Option<&AuthorId>,
    ) -> Result<(), String> {
        if self.find(query.id()).is_some() {
            return Err("this query was asked before".into());
        }
        let asked = Asked::new(outputs, query.clone(), offers, dealer);
        let asked = Ok(Box::new(asked.map_err(|error: TraceError| error.to_string())?));
        self.list.push(DbQuery { query, asked });
        Ok(())
    }

    /// A server refuses, as long as not all have signed.
    pub(super) fn refuse(&mut self, id: &Digest, server: u16, reason: &str) -> Result<(), String> {
        let query = self.find_mut(id)?;
        match &query.asked {
            Ok(asked) if !asked.is_agreed() => {
                query.asked = Err(Failed::Refused { server, reason: reason.to_owned() });
                Ok(())
            }
            _ => Err("too late to refuse".into()),
        }
    }

    /// A party says what it is waited for, and nothing else. What does not hold ends the query.
    pub(super) fn say(&mut self, id: &Digest, party: u16, parts: [Part; 2]) -> Result<(), String> {
        let query = self.find_mut(id)?;
        let [first, second] = &parts;
        let is_awaited = query.asked.as_ref().is_ok_and(|asked| {
            asked.awaits(party) && [first, second].iter().all(|part| part.step() == asked.step())
        });
        if !is_awaited {
            return Err("the party is not waited for to say this".into());
        }
        let gone = Err(Failed::Spoiled(String::new()));
        let asked = std::mem::replace(&mut query.asked, gone).map_err(|why| why.to_string())?;
        let taken = asked.take(Said { party, parts });
        let spoiled = |error: TraceError| Failed::Spoiled(error.to_string());
        query.asked = taken.map(Box::new).map_err(spoiled);
        Ok(())
    }

    fn find_mut(&mut self, id: &Digest) -> Result<&mut DbQuery, String> {
        let found = self.list.iter_mut().find(|query| query.query.id() == id);
        found.ok_or_else(|| "there is no such query".into())
    }
}
