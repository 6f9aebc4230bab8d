//! Who may write on a board: its first entry says it, for every protocol.
//!
//! A keeper of boards calls [`policy`] when it takes a first entry. After that it decides by header, without reading a
//! payload. The [protocols](crate::replay) judge the content of an entry.

use std::collections::BTreeMap;

use board::{AuthorId, Entry};
use log::{AdmissionPolicy, Header, Quota};

use crate::{
    election, tracing,
    tracing::db::{self, DbMessage, Known},
};

/// The largest submission to a traceable mix, in bytes: senders are many.
const MAX_SUBMISSION: u64 = 1 << 20;
/// Times that a sender may begin a run for each submission, and some more.
const RUNS: u64 = 4;

/// How fast the parties of an election write: an honest one hardly ever needs a second entry in a second, and everybody
/// reads and verifies each.
pub const PACE: Quota = Quota { entries: 4, bytes: u64::MAX, per: 4_000 };

/// Whom a first entry names.
struct Named {
    /// The protocol's own parties, whose word it waits for.
    parties: Vec<AuthorId>,
    /// Who may submit, and how often.
    senders: Vec<AuthorId>,
    submissions: u32,
    /// Whether the parties speak at a [`PACE`].
    is_paced: bool,
}

/// Who may write on a log behind a first entry that begins a board: the parties that it names, each with this
/// quota, and those of an election at a [`PACE`]; its senders, with one for what they may submit; and those whom `base` knows, such as queriers: no first entry
/// names them, and what they are told is for the parties' policies. Strangers write nothing. `None` of an
/// entry that begins no protocol of ours.
///
/// # Errors
/// The reason, if it is of a kind with which boards begin, and no board begins so.
pub fn policy(
    first: &Header,
    payload: &[u8],
    base: &AdmissionPolicy,
    quota: Quota,
) -> Result<Option<AdmissionPolicy>, String> {
    let Some(Named { parties, senders, submissions, is_paced }) =
        named(&Entry::announced(first, payload))?
    else {
        return Ok(None);
    };
    let submissions = u64::from(submissions);
    let submitting = Quota {
        entries: submissions.saturating_add(1).saturating_mul(RUNS),
        bytes: submissions.saturating_add(1).saturating_mul(MAX_SUBMISSION),
        per: quota.per,
    };
    // Who has two roles has the larger quota.
    let mut known: BTreeMap<AuthorId, Quota> =
        senders.into_iter().map(|sender| (sender, submitting)).collect();
    known.extend(base.known.clone());
    known.extend(parties.iter().map(|party| (*party, quota)));
    let paced = parties.into_iter().filter(|_| is_paced).map(|party| (party, PACE)).collect();
    Ok(Some(AdmissionPolicy { known, paced, strangers: None, ..base.clone() }))
}

fn named(genesis: &Entry) -> Result<Option<Named>, String> {
    let (kind, payload) = (genesis.kind(), genesis.payload());
    let none = || format!("`{kind}` sets up no traceable mix");
    let (servers, dealer, senders, submissions) = match kind {
        "election/setup" | "election/setup/2" => {
            let setup = election::Setup::from_genesis(genesis);
            let setup = setup.map_err(|error| format!("this sets up no election: {error}"))?;
            (setup.parties.everybody().collect(), None, Vec::new(), 0)
        }
        "trace/setup" => {
            let message = tracing::Message::from_entry(kind, payload);
            let Ok(tracing::Message::Setup(setup)) = message else { return Err(none()) };
            setup.rules(&genesis.digest()).map_err(|error| error.to_string())?;
            (setup.servers, None, setup.senders, setup.ballots)
        }
        db::GENESIS => {
            let known = Known { rules: None, session: None };
            let Ok(DbMessage::Setup(setup)) = DbMessage::from_entry(kind, payload, &known) else {
                return Err(none());
            };
            setup.rules(&genesis.digest()).map_err(|error| error.to_string())?;
            (setup.servers, setup.dealer, setup.senders, 1)
        }
        _ => return Ok(None),
    };
    let parties: Vec<_> = [genesis.author()].into_iter().chain(servers).chain(dealer).collect();
    let is_paced = kind.starts_with("election/");
    Ok(Some(Named { parties, senders, submissions, is_paced }))
}
