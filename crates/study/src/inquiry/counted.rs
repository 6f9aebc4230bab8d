//! A finished election as queries see it.

use std::sync::Arc;

use board::{AuthorId, Entry};
use thiserror::Error;
use trace::{
    Cut, Exposure, Query,
    routed::{Foundation, Ground, MixName, Signer},
};
use wire::Digest;

use crate::{
    election::{BALLOTS_MIX, Election, Role, TereliusWikstrom},
    preferences::Ranking,
    tracing::G,
};

const ID: &str = "subrosa/inquiry/v1";

/// Why nothing can be asked about an election.
#[derive(Debug, Error)]
#[error("no questions can be asked about this election: {0}")]
pub struct NotTraceable(String);

/// A finished election: its mix, whose ballot is in which row, and what the results say.
pub struct Counted {
    ground: Arc<Ground<G>>,
    voters: Vec<u32>,
    rankings: Vec<Option<Ranking>>,
    states: Vec<Digest>,
}

impl Counted {
    /// Takes up the election that the entries of its board amount to.
    ///
    /// # Errors
    /// [`NotTraceable`] before the outcome, and if nobody voted.
    pub fn of(
        entries: &[Entry],
        election: &Election<TereliusWikstrom>,
    ) -> Result<Self, NotTraceable> {
        let refused = |reason: &str| NotTraceable(reason.to_owned());
        if election.has_classes() {
            return Err(refused("its classes of voters have mixes of their own"));
        }
        let entry = |sequence: u64| entries.iter().find(|entry| entry.sequence() == sequence);
        let outcome = election.end().and_then(entry).ok_or(refused("it is not finished"))?;
        let (Some(keys), Some(generators)) = (election.keys(), election.parameters()) else {
            return Err(refused("it has no key"));
        };
        // What the mixes are bound to.
        let study = election.ballot_context().ok_or(refused("its polls never opened"))?;
        let mixes = election.verified_mixes();
        // Verified with the lists of the election; the proofs of queries are about the same.
        let all = mixes.iter().flat_map(|mix| &mix.lists);
        let permutations: Option<Vec<_>> = all.clone().map(|list| list.verified.clone()).collect();
        let permutations = permutations.ok_or(refused("nobody voted"))?;
        let name = MixName {
            study: study.as_bytes().to_vec(),
            mix: BALLOTS_MIX.to_vec(),
            mixers: mixes.iter().map(|mix| mix.mixer.into()).collect(),
        };
        let points = election.opened().map_err(NotTraceable)?;
        let rows = election.accepted();
        let value = |row: usize| points.iter().copied().skip(row).step_by(rows.max(1)).collect();
        let ground = Ground::new(Foundation {
            id: Digest::of(ID, outcome.digest().as_bytes()),
            digest: outcome.digest(),
            name,
            permutations,
            keys: keys.clone(),
            signers: signers(election),
            generators: Arc::new(generators.clone()),
            values: (0..rows).map(value).collect(),
        });
        let ground = ground.map_err(|error| NotTraceable(error.to_string()))?;
        let rankings = election.rankings(&points);
        let states = all.map(|list| list.state).collect();
        Ok(Self { ground: Arc::new(ground), voters: election.voted(), rankings, states })
    }

    /// The mix, as queries see it.
    pub fn ground(&self) -> &Arc<Ground<G>> {
        &self.ground
    }

    /// Whose ballot is in each row of the inputs: places on the roll, counted from 0.
    pub fn voters(&self) -> &[u32] {
        &self.voters
    }

    /// What each output says; `None` where it is no ranking.
    pub fn rankings(&self) -> &[Option<Ranking>] {
        &self.rankings
    }

    /// For every mix that counts, the digest that its mixer derived its randomness from.
    pub(super) fn states(&self) -> &[Digest] {
        &self.states
    }

    /// Refuses what an election must not tell: anything. Ballots are traced to all results and results
    /// to all ballots, where the answer is known beforehand and the proof is not.
    ///
    /// # Errors
    /// The reason.
    pub fn require_harmless(&self, query: &Query<G>) -> Result<(), String> {
        let after = Exposure::of([query], self.ground.class_of());
        Cut::Nothing.judge(&Exposure::default(), &after, self.ground.class_of())
    }
}

/// The mixers in the order in which they mixed, then the trustees who decrypted. No other trustee
/// ever gives a share, and these sign what they give shares of.
fn signers(election: &Election<TereliusWikstrom>) -> Vec<Signer> {
    let parties = &election.setup().parties;
    let key = |role, number: u16| -> Option<AuthorId> {
        parties.keys(role).get(usize::from(number).checked_sub(1)?).copied()
    };
    let mixers = election.mixes().into_iter().map(|mixer| (Role::Mixer, mixer));
    let trustees = election.decrypted_by().into_iter().map(|trustee| (Role::Trustee, trustee));
    mixers
        .chain(trustees)
        .filter_map(|(role, number)| {
            let trustee = (role == Role::Trustee).then_some(number);
            Some(Signer { id: key(role, number)?, trustee })
        })
        .collect()
}
