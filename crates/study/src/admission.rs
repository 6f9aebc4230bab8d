//! Who may write on a board: what its first entry says, whichever protocol it begins.
//!
//! A keeper of boards asks this before it stores anything. It decides by author and kind, without reading a
//! payload that is no first entry; what an entry says is for the [protocols](crate::replay) to judge.

use std::collections::{BTreeMap, BTreeSet};

use board::{AuthorId, Entry};

use crate::{
    election, tracing,
    tracing::db::{self, DbMessage, Known},
};

/// The largest submission to a traceable mix, in bytes: senders are many.
const MAX_SUBMISSION: usize = 1 << 20;

/// Who may write on a board behind its first entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The protocol's own parties, whose word it waits for.
    parties: BTreeSet<AuthorId>,
    /// How many submissions everybody who may submit has left.
    senders: BTreeMap<AuthorId, u32>,
    /// Who may ask; named by the keeper.
    queriers: BTreeSet<AuthorId>,
    /// The kinds of a submission, and of a query with what its querier says about it.
    kinds: Kinds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kinds {
    submission: &'static str,
    query: &'static str,
}

impl Admission {
    /// Those whom the first entry of an election or of a traceable mix names, and the queriers that the
    /// keeper lets ask: no first entry names them, and what they are told is for the parties' policies.
    ///
    /// # Errors
    /// The reason, if no board begins so.
    pub fn of(genesis: &Entry, queriers: &[AuthorId]) -> Result<Self, String> {
        let (kind, payload) = (genesis.kind(), genesis.payload());
        let mut parties = BTreeSet::from([genesis.author()]);
        let mut senders = BTreeMap::new();
        let kinds = match kind.split('/').next() {
            Some("election") => {
                let setup = election::Setup::from_genesis(genesis);
                let setup = setup.map_err(|error| format!("this sets up no election: {error}"))?;
                parties.extend(setup.parties.everybody());
                Kinds { submission: "", query: "trace/query" }
            }
            Some("trace") if kind == db::GENESIS => {
                let known = Known { rules: None, session: None };
                let message = DbMessage::from_entry(kind, payload, &known);
                let Ok(DbMessage::Setup(setup)) = message else { return Err(no_trace()) };
                setup.rules(&genesis.digest()).map_err(|error| error.to_string())?;
                parties.extend(setup.servers.iter().chain(&setup.dealer));
                senders.extend(setup.senders.iter().map(|sender| (*sender, 1)));
                Kinds { submission: "trace/db/submission", query: "trace/db/query" }
            }
            Some("trace") => {
                let message = tracing::Message::from_entry(kind, payload);
                let Ok(tracing::Message::Setup(setup)) = message else { return Err(no_trace()) };
                setup.rules(&genesis.digest()).map_err(|error| error.to_string())?;
                parties.extend(&setup.servers);
                senders.extend(setup.senders.iter().map(|sender| (*sender, setup.ballots)));
                Kinds { submission: "trace/submission", query: "trace/query" }
            }
            _ => return Err(format!("no protocol of this program begins with `{kind}`")),
        };
        Ok(Self { parties, senders, queriers: queriers.iter().copied().collect(), kinds })
    }

    /// Whether an author may write an entry of a kind, with a payload of so many bytes.
    ///
    /// # Errors
    /// The reason, for the author.
    pub fn admit(&self, author: &AuthorId, kind: &str, bytes: usize) -> Result<(), String> {
        let Kinds { submission, query } = self.kinds;
        let is_query =
            kind.strip_prefix(query).is_some_and(|rest| matches!(rest.get(..1), None | Some("/")));
        if self.parties.contains(author) || (is_query && self.queriers.contains(author)) {
            return Ok(());
        }
        match self.senders.get(author) {
            Some(_) if kind != submission => Err(format!("a sender writes `{submission}` only")),
            Some(0) => Err("this sender has submitted as often as the rules allow".to_owned()),
            Some(_) if bytes > MAX_SUBMISSION => {
                Err(format!("a submission of {bytes} bytes is over the limit of {MAX_SUBMISSION}"))
            }
            Some(_) => Ok(()),
            None if self.queriers.contains(author) => {
                Err(format!("a querier writes `{query}` only"))
            }
            None => Err("the author is none of those who write here".to_owned()),
        }
    }

    /// Takes note of an entry that is on the board.
    pub fn count(&mut self, author: &AuthorId, kind: &str) {
        if kind == self.kinds.submission
            && let Some(left) = self.senders.get_mut(author)
        {
            *left = left.saturating_sub(1);
        }
    }
}

fn no_trace() -> String {
    "this sets up no traceable mix".to_owned()
}
