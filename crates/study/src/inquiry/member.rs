//! A mixer or a trustee of an election, taking part in queries.

use rand_core::Rng as _;
use shuffle::tw::CommittedPermutation;
use trace::{Policy, routed::Member};
use zeroize::Zeroizing;

use super::Counted;
use crate::{
    election::{Election, Role, TereliusWikstrom, Trustee},
    replay::SessionError,
    secrets::RunSecrets,
    tracing::G,
};

/// Takes up the work of the party whose secrets these are: a mixer derives the permutation with which it mixed
/// once more, a trustee its part of the key.
///
/// # Errors
/// [`SessionError::Secret`] if its run has ended;
/// [`SessionError::NotAParty`] for a key whose owner neither mixed nor decrypted,
/// [`SessionError::Party`].
pub fn member(
    secrets: &RunSecrets,
    election: &Election<TereliusWikstrom>,
    counted: &Counted,
    policy: Policy,
) -> Result<Member<G>, SessionError> {
    let key = secrets.identity().id();
    let ground = counted.ground();
    let role = "mixer or trustee whose work counts";
    let number = ground.number_of(&key).ok_or(SessionError::NotAParty { key, role })?;
    let mut hedge = Zeroizing::new([0; 32]);
    secrets.rng("inquiry", ground.id().as_bytes())?.fill_bytes(&mut *hedge);
    let member = Member::new(hedge, (number, secrets.signing()), *ground.id(), policy);

    let party = election.setup().parties.party(&key);
    if party.is_some_and(|party| party.role == Role::Trustee) {
        let share = Trustee::new(secrets.clone(), election)?.key_share(election)?;
        return Ok(member.with_share(share));
    }
    let state = counted.states().get(usize::from(number).saturating_sub(1));
    let state = state.ok_or(SessionError::NotAParty { key, role })?;
    let mut rng = secrets.rng("mix", state.as_bytes())?;
    let committed = CommittedPermutation::random(ground.rows(), ground.generators(), &mut rng);
    let committed = committed.map_err(|error| SessionError::Party(error.to_string()))?;
    Ok(member.with_permutation(committed))
}
